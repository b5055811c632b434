import type { Fault, InterceptHandler, RecordedRequest, SimulatedDataset } from '../../simulator/src/simulator.ts';
import { assetResult, DATASET_ID, dataset, ofDataset, type TestBed } from './harness.ts';

export const ids = (...assetIds: string[]) => `assetIds: ${JSON.stringify(assetIds)}`;

export const NODES = '{ series { nodes { asset { assetId } rowCount } } }';
export const nodes = (assetIds: Iterable<string>, rowCount = 3) => ({
  series: { nodes: [...assetIds].map((assetId) => ({ asset: { assetId }, rowCount })) },
});

export const datasetOf = (assetIds: Iterable<string>, id = DATASET_ID): SimulatedDataset => ({
  ...dataset,
  metadata: { ...dataset.metadata, id },
  results: { assets: [...assetIds].map(assetResult) },
});

/** The asset ids of a results call; undefined where it restricts none. */
export const askedFor = ({ body }: RecordedRequest): string[] | undefined => JSON.parse(body).mo_ids;

/** Answers results calls alone. */
export const onResults =
  (response: (request: RecordedRequest) => Fault | undefined | Promise<Fault | undefined>): InterceptHandler =>
  (request) =>
    request.operation === 'getDatasetResults' ? response(request) : undefined;

/** The results calls made so far, the asset ids of each in alphabetical order: which one is first is nobody's concern. */
export const filters = (bed: TestBed) =>
  (bed.filters() as { mo_ids?: string[] }[]).map(({ mo_ids, ...others }) => ({
    ...(mo_ids && { mo_ids: mo_ids.toSorted() }),
    ...others,
  }));

/** Two filters that may be put together. */
export const MERGED = ofDataset(
  `a: results(filter: { ${ids('a')} }) ${NODES} b: results(filter: { ${ids('b')} }) ${NODES}`,
);

/** Everything that the service knows of a dataset of these assets, as a body. */
export function resultsOf(assetIds: Iterable<string>): string {
  return JSON.stringify({ ...dataset.results, assets: [...assetIds].map(assetResult) });
}

/** Calls that start together arrive in any order. */
export function anyOrder<T>(list: readonly T[]): T[] {
  return list.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
