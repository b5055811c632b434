import { bodyIn, OperationError } from './operation-error.ts';
import { type Access, post } from './post.ts';
import { errorsOf } from './response/worker/errors.ts';
import type { ResponseError } from './response/worker/protocol.ts';

/** Something to choose. */
export interface Option {
  readonly id: string;
  readonly name: string;
  /** Absent without any. */
  readonly categories?: readonly string[];
}

/** What a dataset holds: everything but its values. */
export interface Outline {
  /** The id, if the dataset has no name. */
  readonly name: string;
  /** Empty if the dataset has none. */
  readonly description: string;
  /** Whose data it has; empty if unknown. */
  readonly attribution: string;
  /** The first and the last day, such as 2012-01-01. Empty if unknown. */
  readonly days: readonly [first: string, last: string];
  readonly assets: readonly Option[];
  readonly metrics: readonly Option[];
  /** Why a part is missing. A static dataset has no results. */
  readonly errors: readonly ResponseError[];
}

interface OutlineResponse {
  readonly data?: {
    readonly dataset: {
      readonly name: string | null;
      readonly description: string | null;
      readonly attributionText: string | null;
      readonly startDateTime: string | null;
      readonly stopDateTime: string | null;
      readonly results: { readonly series: { readonly nodes: readonly OutlineNode[] } | null } | null;
    } | null;
  } | null;
}

interface OutlineNode {
  readonly asset: {
    readonly assetId: string;
    readonly name: string | null;
    readonly categories: readonly string[] | null;
  };
  readonly metricNames: readonly string[] | null;
}

/**
 * Asks what a dataset holds. That takes two REST calls.
 *
 * @param query the operation that asks; its variable is `id`
 * @throws OperationError when nothing is known of it
 * @throws TypeError when the server cannot be reached
 */
export async function loadOutline(access: Access, query: string, id: string, signal: AbortSignal): Promise<Outline> {
  const response = await post(access, JSON.stringify({ query, variables: { id } }), signal);
  const body = (await bodyIn(response)) as OutlineResponse;
  const errors = errorsOf(body);
  const dataset = body.data?.dataset;
  if (!dataset) throw new OperationError(body, 'The server knows no such dataset.');
  const nodes = dataset.results?.series?.nodes ?? [];
  // The metadata may be there without the results. A static dataset has no results.
  if (nodes.length === 0 && dataset.name === null && errors.length > 0) throw new OperationError(body, '');
  const names = new Set(nodes.flatMap(({ metricNames }) => metricNames ?? []));
  // An asset has an entry for each of its versions.
  const assets = new Map(nodes.map(({ asset }) => [asset.assetId, asset]));
  return {
    name: dataset.name ?? id,
    description: dataset.description ?? '',
    attribution: dataset.attributionText ?? '',
    days: [dayOf(dataset.startDateTime), dayOf(dataset.stopDateTime)],
    assets: Array.from(assets, ([id, { name, categories }]) => ({
      id,
      name: name ?? id,
      ...(categories && { categories }),
    })),
    metrics: Array.from(names, (name) => ({ id: name, name })),
    errors,
  };
}

function dayOf(dateTime: string | null): string {
  return dateTime?.slice(0, 10) ?? '';
}
