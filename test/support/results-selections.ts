import fc from 'fast-check';
import { DATASET_ID } from './harness.ts';
import { type Choice, choice, documentOf, type Item, leaves, selection } from './random-selection.ts';

/**
 * Random GraphQL operations on results, from a small grammar: only documents that validate, because the others never
 * reach the resolvers. One response key always stands for one field with the same arguments, whatever is merged.
 */

/** Assets that may stand in a body; the last one in none. */
export const ASSET_IDS = ['a', 'b', 'c', 'd"ä\\', 'nobody'];

/** Names of metrics, of which one cannot stand in JSON as it is. */
export const METRIC_NAMES = ['m', 'n', 'größe', 'q"\\', '__proto__', 'k7'];

const METRICS = '| | (metrics: ["n", "m", "n", "nothing"]) | (metrics: $names) | (metrics: []) | (metrics: null)';
const MANY_NAMES = JSON.stringify(Array.from({ length: 20 }, (_, index) => `k${index * 2}`));

const metric = selection('Metric', [choice(3, 'name', { odd: 'toJSON' }), choice(4, 'value', { odd: 'constructor' })]);

const row = selection('Result', [
  choice(4, 'valueDate', { odd: '__proto__' }),
  choice(4, 'metrics', { args: `${METRICS} | (metrics: ["m"]) | (metrics: "m")`, odd: 'then', items: metric }),
  choice(3, 'value', {
    args: '(metric: "m") | (metric: "n") | (metric: $metric) | (metric: "nothing") | (metric: "")',
  }),
]);

const columns = selection('SeriesColumns', [
  ...leaves({ rowCount: 2, valueDates: 3 }),
  choice(4, 'metrics', { items: selection('MetricColumn', leaves({ name: 3, values: 4 })) }),
]);

const quantiles = choice(2, 'quantiles', {
  args: '(of: [0.1, 0.5, 0.9]) | (of: [1]) | (of: []) | (of: $quantiles) | (of: 0.25)',
  bad: '(of: [1.1]) | (of: [-1])',
});

const point = selection('MetricPoint', leaves({ value: 1, valueDate: 1, assetId: 1 }));

export const statistics = selection('MetricStatistics', [
  ...leaves({ name: 1, count: 1, nullCount: 1, sum: 1, mean: 1, standardDeviation: 1 }),
  ...['first', 'last', 'minimum', 'maximum'].map((name) => choice(1, name, { items: point })),
  quantiles,
]);

export const aggregatesByDate = selection('AggregatesByDate', [
  choice(1, 'dates'),
  choice(3, 'metrics', {
    items: selection('MetricAggregates', [
      ...leaves({ name: 1, counts: 1, sums: 1, means: 1, minimums: 1, maximums: 1, standardDeviations: 1 }),
      quantiles,
    ]),
  }),
]);

const idAndName = leaves({ id: 1, name: 1 });

/** The dataset of an asset. The last fields need more than its metadata. */
const datasetOfAsset = selection('Dataset', [
  ...leaves({
    id: 6,
    name: 6,
    assetCount: 6,
    sharing: 6,
    startDate: 6,
    stopDateTime: 1,
    seriesCount: 1,
    metricNames: 1,
  }),
  choice(6, 'processing', { items: selection('DatasetProcessing', idAndName) }),
  choice(6, 'source', { items: selection('DatasetSource', idAndName) }),
  choice(1, 'assetsByIds', {
    args: '(assetIds: ["b", "nobody"])',
    items: selection('Asset', leaves({ assetId: 1, name: 1 })),
  }),
]);

/** The parent of an asset. The last fields of the parent as an asset need more than its key. */
const parent = selection('AssetParent', [
  ...leaves({ assetId: 2, name: 2, version: 2 }),
  choice(1, 'asset', {
    items: selection('Asset', [
      ...leaves({ id: 3, datasetId: 6, assetId: 6, name: 1, metricNames: 1 }),
      choice(1, 'dataset', { items: datasetOfAsset }),
    ]),
  }),
]);

/** An asset within a series, within an asset, and so on: as often as `nesting` says. */
export function asset(nesting: number): fc.Arbitrary<readonly Item[]> {
  const series = () => [
    choice(nesting === 2 ? 12 : 1, 'series', {
      args: `| | (filter: null) | (filter: {}) | (filter: {timeRange: null}) | (filter: {timeRange: {start: 0}})
        | (filter: {timeRange: {stop: "2024-01-01T00:00:00Z"}})`,
      bad: '(filter: {timeRange: {}}) | (filter: {timeRange: {start: 1, stop: 0}})',
      items: assetSeries(nesting - 1),
    }),
    choice(nesting === 2 ? 3 : 1, 'metricNames'),
  ];
  return selection('Asset', [
    ...leaves({ id: 2, datasetId: 1, assetId: 3, name: 2, version: 1, categories: 1, surfaceAreaM2: 1 }),
    choice(1, 'centroid', { items: selection('GeoPoint', leaves({ latitude: 1, longitude: 1 })) }),
    choice(1, 'parent', { items: parent }),
    choice(1, 'dataset', { items: datasetOfAsset }),
    ...(nesting === 0 ? [] : series()),
  ]);
}

export function assetSeries(nesting: number): fc.Arbitrary<readonly Item[]> {
  return selection('AssetSeries', [
    choice(4, 'asset', { items: asset(nesting) }),
    choice(2, 'version', { odd: 'hasOwnProperty' }),
    ...leaves({ rowCount: 1, metricNames: 2 }),
    choice(8, 'rows', {
      args: `| | (first: 1) | (first: 2, offset: 1) | (offset: $offset) | (first: $first, offset: $offset) | (first: 0)
        | (first: null) | (first: 2147483647, offset: 2147483647)`,
      bad: '(offset: -1) | (first: -2)',
      items: row,
    }),
    choice(5, 'columns', {
      args: `${METRICS} | (metrics: ${MANY_NAMES}) | (metrics: "m") | (points: 3) | (points: 0)
        | (metrics: ["m", "n"], points: 12) | (metrics: $names, points: $first)`,
      bad: '(points: -1)',
      items: columns,
    }),
    choice(2, 'latest', { items: row }),
    choice(3, 'statistics', { args: METRICS, items: statistics }),
    choice(3, 'periods', {
      args: `(every: DAY) | (every: WEEK, metrics: "m") | (every: MONTH, metrics: ["n", "m", "n", "nothing"])
        | (every: QUARTER, metrics: $names) | (every: YEAR) | (every: $every)`,
      items: aggregatesByDate,
    }),
  ]);
}

const connection = selection('AssetSeriesConnection', [
  choice(6, 'nodes', { odd: '__proto__', items: assetSeries(1) }),
  choice(3, 'edges', {
    items: selection('AssetSeriesEdge', [choice(1, 'cursor'), choice(3, 'node', { items: assetSeries(1) })]),
  }),
  choice(1, 'pageInfo', {
    items: selection('PageInfo', leaves({ hasNextPage: 1, hasPreviousPage: 1, startCursor: 1, endCursor: 1 })),
  }),
  choice(1, 'totalCount', { odd: 'length' }),
]);

/** What is computed from all series of a dataset. */
export const ofAllSeries: readonly Choice[] = [
  choice(1, 'metricNames'),
  choice(1, 'statistics', { args: METRICS, items: statistics }),
  choice(1, 'byDate', {
    args: '| (metrics: ["m"]) | (metrics: $names) | (metrics: "m")',
    items: aggregatesByDate,
  }),
];

const results = selection('DatasetResults', [
  ...leaves({ processingId: 1, sourceId: 1 }),
  ...ofAllSeries,
  choice(12, 'series', {
    args: `| | | | (first: 1) | (first: 2, after: $after0) | (first: $first) | (after: $after1) | (first: 0)
      | (first: null, after: null)`,
    bad: '(first: -1) | (after: "nothing")',
    items: connection,
  }),
]);

/** The fields of a dataset that need results calls. */
export const resultsFields: readonly Choice[] = [
  choice(12, 'results', {
    args: `| | | (filter: {assetIds: ["a"]}) | (filter: {assetIds: ["a", "c", "b"]}) | (filter: {assetIds: ["b", "nobody"]})
      | (filter: {assetIds: $ids}) | (filter: {assetIds: []}) | (filter: {timeRange: {start: 0}})
      | (filter: {assetIds: ["a", "b"], timeRange: {start: 0}})`,
    bad: '(filter: {assetIds: [""]}) | (filter: {timeRange: {}})',
    items: results,
  }),
  choice(4, 'asset', {
    args: '(assetId: "a") | (assetId: "b") | (assetId: $asset) | (assetId: "nobody")',
    bad: '(assetId: "")',
    items: asset(2),
  }),
  choice(2, 'assetsByIds', {
    args: '(assetIds: ["a", "b"]) | (assetIds: ["b", "nobody", "b"]) | (assetIds: [$asset]) | (assetIds: [])',
    bad: '(assetIds: ["a", ""])',
    items: asset(1),
  }),
  ...leaves({ seriesCount: 2, metricNames: 2 }),
];

const dataset = selection('Dataset', [...idAndName, ...resultsFields]);

const entity = fc
  .tuple(asset(2), fc.option(dataset, { freq: 4 }))
  .map(([ofAsset, ofDataset]): readonly Item[] => [
    { kind: 'inline', type: 'Asset', directives: '', items: ofAsset },
    ...(ofDataset === null ? [] : [{ kind: 'inline', type: 'Dataset', directives: '', items: ofDataset } as const]),
  ]);

const query = selection(
  'Query',
  [
    choice(12, 'dataset', { args: '(id: $id)', items: dataset }),
    choice(1, 'datasetsByIds', { args: '(ids: [$id, $id])', items: dataset }),
    choice(3, '_entities', { args: '(representations: $references)', items: entity }),
  ],
  0,
);

/** The types of the variables. */
export const variableTypes: Readonly<Record<string, string>> = {
  id: 'ID!',
  references: '[_Any!]!',
  t: 'Boolean!',
  f: 'Boolean!',
  first: 'Int',
  offset: 'Int',
  names: '[String!]',
  metric: 'String!',
  ids: '[ID!]',
  asset: 'ID!',
  after0: 'String',
  after1: 'String',
  every: 'PeriodUnit!',
  quantiles: '[Float!]!',
};

/** Random documents, of one operation each, on the harness's dataset. */
export const documents: fc.Arbitrary<string> = query.map((items) =>
  documentOf([{ name: undefined, items }], variableTypes),
);

const assetId = fc.constantFrom(...ASSET_IDS);

/** A value that is mostly this. */
const mostly = <T, U>(usual: fc.Arbitrary<T>, ...odd: U[]) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...odd) });

/** Values of the variables that name no dataset. */
export const plainVariables = {
  t: mostly(fc.constant(true), false),
  f: mostly(fc.constant(false), true),
  first: fc.constantFrom(undefined, null, 0, 1, 2, 3),
  offset: mostly(fc.constantFrom(undefined, 0, 1, 2), 3, -1),
  names: fc.option(fc.array(fc.constantFrom(...METRIC_NAMES), { maxLength: 4 })),
  metric: fc.constantFrom(...METRIC_NAMES),
  ids: fc.option(fc.array(assetId, { maxLength: 4 })),
  asset: assetId,
  every: fc.constantFrom('DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'),
  quantiles: mostly(fc.constantFrom([], [0.5], [0, 0.25, 1], [0.1, 0.9]), [1.5]),
};

/** Values for all variables but `after0` and `after1`, the cursors of a body's first two entries. */
export const variables: fc.Arbitrary<Record<string, unknown>> = fc
  .record({ ...plainVariables, assets: fc.array(mostly(assetId, null, 5), { minLength: 1, maxLength: 4 }) })
  .map(({ assets, ...others }) => ({
    ...others,
    id: DATASET_ID,
    references: assets.map((id) =>
      id === null
        ? { __typename: 'Dataset', id: DATASET_ID }
        : { __typename: 'Asset', datasetId: DATASET_ID, assetId: id },
    ),
  }));
