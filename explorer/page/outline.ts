import { type Access, post } from './post.ts';

/** Something to choose. */
export interface Option {
  readonly id: string;
  readonly name: string;
}

/** What a dataset holds: everything but its values. */
export interface Outline {
  /** The id, if the dataset has no name. */
  readonly name: string;
  /** The first and the last day, such as 2012-01-01. Empty if unknown. */
  readonly days: readonly [first: string, last: string];
  readonly assets: readonly Option[];
  readonly metrics: readonly Option[];
}

interface OutlineResponse {
  readonly data?: {
    readonly dataset: {
      readonly name: string | null;
      readonly startDateTime: string | null;
      readonly stopDateTime: string | null;
      readonly results: { readonly series: { readonly nodes: readonly OutlineNode[] } | null } | null;
    } | null;
  } | null;
  readonly errors?: readonly { readonly message: string }[];
}

interface OutlineNode {
  readonly asset: { readonly assetId: string; readonly name: string | null };
  readonly metricNames: readonly string[] | null;
}

/**
 * Asks what a dataset holds. That takes two REST calls.
 *
 * @param query the operation that asks; its variable is `id`
 * @throws Error with a message for the user when nothing is known of it
 */
export async function loadOutline(access: Access, query: string, id: string, signal: AbortSignal): Promise<Outline> {
  const response = await post(access, JSON.stringify({ query, variables: { id } }), signal);
  const { data, errors = [] }: OutlineResponse = await response.json();
  const dataset = data?.dataset;
  if (!dataset) throw new Error(errors[0]?.message ?? 'The server knows no such dataset.');
  const nodes = dataset.results?.series?.nodes ?? [];
  // The metadata may be there without the results. A static dataset has no results.
  if (nodes.length === 0 && dataset.name === null && errors[0]) throw new Error(errors[0].message);
  const names = new Set(nodes.flatMap(({ metricNames }) => metricNames ?? []));
  // An asset has an entry for each of its versions.
  const assets = new Map(nodes.map(({ asset: { assetId, name } }) => [assetId, name ?? assetId]));
  return {
    name: dataset.name ?? id,
    days: [dayOf(dataset.startDateTime), dayOf(dataset.stopDateTime)],
    assets: Array.from(assets, ([assetId, name]) => ({ id: assetId, name })),
    metrics: Array.from(names, (name) => ({ id: name, name })),
  };
}

function dayOf(dateTime: string | null): string {
  return dateTime?.slice(0, 10) ?? '';
}
