import { bodyIn, OperationError } from './operation-error.ts';
import { type Access, post } from './post.ts';
import { errorsOf } from './response/worker/errors.ts';
import type { ResponseError } from './response/worker/protocol.ts';
import type { PageOperations } from './settings.ts';

/** Something to choose. */
export interface Option {
  readonly id: string;
  readonly name: string;
  /** Absent without any. */
  readonly categories?: readonly string[];
}

/** What the metadata of a dataset say. */
export interface Facts {
  /** The id, if the dataset has no name. */
  readonly name: string;
  /** Empty if the dataset has none. */
  readonly description: string;
  /** Whose data it has; empty if unknown. */
  readonly attribution: string;
  /** The first and the last day, such as 2012-01-01. Empty if unknown. */
  readonly days: readonly [first: string, last: string];
  /** Null if unknown. */
  readonly assetCount: number | null;
  /** Why a part is missing. */
  readonly errors: readonly ResponseError[];
}

/** What a dataset holds: everything but its values. A static dataset has no results: the errors say so. */
export interface Outline extends Facts {
  readonly assets: readonly Option[];
  readonly metrics: readonly Option[];
  /** The number of rows of all assets together. */
  readonly rowCount: number;
  /** Whether it has all assets, metrics and rows; otherwise those of the last days. */
  readonly isComplete: boolean;
}

/** A time range of `Outline`. */
interface TimeRange {
  readonly start: string;
}

type DatasetOf<Fields> = { readonly data?: { readonly dataset: Fields | null } | null };

interface MetadataFields {
  readonly name: string | null;
  readonly description: string | null;
  readonly assetCount: number | null;
  readonly attributionText: string | null;
  readonly startDateTime: string | null;
  readonly stopDateTime: string | null;
}

interface OutlineFields {
  readonly results: { readonly series: { readonly nodes: readonly OutlineNode[] } | null } | null;
}

interface OutlineNode {
  readonly asset: {
    readonly assetId: string;
    readonly name: string | null;
    readonly categories: readonly string[] | null;
  };
  readonly metricNames: readonly string[] | null;
  readonly rowCount: number | null;
}

/** Who asks for what is known of a dataset. */
export interface OutlineRequest {
  readonly access: Access;
  readonly operations: PageOperations;
  readonly id: string;
  readonly signal: AbortSignal;
}

/**
 * Asks for the metadata of a dataset. That takes one REST call.
 *
 * @throws OperationError when nothing is known of it
 * @throws TypeError when the server cannot be reached
 */
export async function loadFacts(request: OutlineRequest): Promise<Facts> {
  const [dataset, errors] = await readDataset<MetadataFields>(request, request.operations.metadata);
  return {
    name: dataset.name ?? request.id,
    description: dataset.description ?? '',
    attribution: dataset.attributionText ?? '',
    days: [dayOf(dataset.startDateTime), dayOf(dataset.stopDateTime)],
    assetCount: dataset.assetCount,
    errors,
  };
}

/**
 * Asks for the assets and the metrics of a dataset. That takes one REST call, for all of its results or for those of a time range.
 *
 * @throws OperationError when nothing is known of it
 * @throws TypeError when the server cannot be reached
 */
export async function loadOutline(request: OutlineRequest, facts: Facts, timeRange?: TimeRange): Promise<Outline> {
  const [dataset, ownErrors] = await readDataset<OutlineFields>(request, request.operations.outline, { timeRange });
  const nodes = dataset.results?.series?.nodes ?? [];
  const errors = [...facts.errors, ...ownErrors];
  // The metadata may be there without the results. A static dataset has no results.
  if (nodes.length === 0 && facts.name === request.id && errors.length > 0) throw new OperationError(errors, '');
  const names = new Set(nodes.flatMap(({ metricNames }) => metricNames ?? []));
  // An asset has an entry for each of its versions.
  const assets = new Map(nodes.map(({ asset }) => [asset.assetId, asset]));
  return {
    ...facts,
    assets: Array.from(assets, ([id, { name, categories }]) => ({
      id,
      name: name ?? id,
      ...(categories && { categories }),
    })),
    metrics: Array.from(names, (name) => ({ id: name, name })),
    rowCount: nodes.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0),
    isComplete: timeRange === undefined,
    errors,
  };
}

/** @throws OperationError when the response has no dataset */
async function readDataset<Fields>(
  { access, id, signal }: OutlineRequest,
  query: string,
  variables: object = {},
): Promise<[Fields, ResponseError[]]> {
  const response = await post(access, JSON.stringify({ query, variables: { id, ...variables } }), signal);
  const body = (await bodyIn(response)) as DatasetOf<Fields>;
  const dataset = body.data?.dataset;
  if (!dataset) throw new OperationError(errorsOf(body), 'The server knows no such dataset.');
  return [dataset, errorsOf(body)];
}

function dayOf(dateTime: string | null): string {
  return dateTime?.slice(0, 10) ?? '';
}
