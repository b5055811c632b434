import fc from 'fast-check';
import { aggregatesByDate, statistics } from './aggregate-selections.ts';
import { DATASET_ID } from './harness.ts';
import { datasetOfAsset, parent } from './neighbour-selections.ts';
import { type Choice, documentOf, type Item, selection } from './random-selection.ts';

/**
 * Random GraphQL operations on results, from a small grammar: only documents that validate, because the others never
 * reach the resolvers. One response key always stands for one field with the same arguments, whatever is merged.
 */

/** Assets that may stand in a body; the last one in none. */
export const ASSET_IDS = ['a', 'b', 'c', 'd"ä\\', 'nobody'];

/** Names of metrics, of which one cannot stand in JSON as it is. */
export const METRIC_NAMES = ['m', 'n', 'größe', 'q"\\', '__proto__', 'k7'];

const MANY_NAMES = JSON.stringify(Array.from({ length: 20 }, (_, index) => `k${index * 2}`));

const metric = selection('Metric', [
  { weight: 3, name: 'name', odd: 'toJSON' },
  { weight: 4, name: 'value', odd: 'constructor' },
]);

const row = selection('Result', [
  { weight: 4, name: 'valueDate', odd: '__proto__' },
  {
    weight: 4,
    name: 'metrics',
    args: [
      '',
      '',
      '(metrics: ["m"])',
      '(metrics: ["n", "m", "n"])',
      '(metrics: $names)',
      '(metrics: [])',
      '(metrics: null)',
      '(metrics: "m")',
    ],
    odd: 'then',
    items: metric,
  },
  {
    weight: 3,
    name: 'value',
    args: ['(metric: "m")', '(metric: "n")', '(metric: $metric)', '(metric: "nothing")', '(metric: "")'],
  },
]);

const column = selection('MetricColumn', [
  { weight: 3, name: 'name' },
  { weight: 4, name: 'values' },
]);

const columns = selection('SeriesColumns', [
  { weight: 2, name: 'rowCount' },
  { weight: 3, name: 'valueDates' },
  { weight: 4, name: 'metrics', items: column },
]);

const centroid = selection('GeoPoint', [
  { weight: 1, name: 'latitude' },
  { weight: 1, name: 'longitude' },
]);

const FILTERS = [
  '',
  '',
  '(filter: null)',
  '(filter: {})',
  '(filter: {timeRange: null})',
  '(filter: {timeRange: {start: 0}})',
  '(filter: {timeRange: {stop: "2024-01-01T00:00:00Z"}})',
];
const BAD_FILTERS = ['(filter: {timeRange: {}})', '(filter: {timeRange: {start: 1, stop: 0}})'];

/** An asset within a series, within an asset, and so on: as often as `nesting` says. */
export function asset(nesting: number): fc.Arbitrary<readonly Item[]> {
  const series: Choice[] =
    nesting === 0
      ? []
      : [
          {
            weight: nesting === 2 ? 12 : 1,
            name: 'series',
            args: FILTERS,
            bad: BAD_FILTERS,
            items: assetSeries(nesting - 1),
          },
          { weight: nesting === 2 ? 3 : 1, name: 'metricNames' },
        ];
  return selection('Asset', [
    { weight: 2, name: 'id' },
    { weight: 1, name: 'datasetId' },
    { weight: 3, name: 'assetId' },
    { weight: 2, name: 'name' },
    { weight: 1, name: 'version' },
    { weight: 1, name: 'categories' },
    { weight: 1, name: 'surfaceAreaM2' },
    { weight: 1, name: 'centroid', items: centroid },
    { weight: 1, name: 'parent', items: parent },
    { weight: 1, name: 'dataset', items: datasetOfAsset },
    ...series,
  ]);
}

const rows: Choice = {
  weight: 8,
  name: 'rows',
  args: [
    '',
    '',
    '(first: 1)',
    '(first: 2, offset: 1)',
    '(offset: $offset)',
    '(first: $first, offset: $offset)',
    '(first: 0)',
    '(first: null)',
    '(first: 2147483647, offset: 2147483647)',
  ],
  bad: ['(offset: -1)', '(first: -2)'],
  items: row,
};

export function assetSeries(nesting: number): fc.Arbitrary<readonly Item[]> {
  return selection('AssetSeries', [
    { weight: 4, name: 'asset', items: asset(nesting) },
    { weight: 2, name: 'version', odd: 'hasOwnProperty' },
    { weight: 1, name: 'rowCount' },
    { weight: 2, name: 'metricNames' },
    rows,
    {
      weight: 5,
      name: 'columns',
      args: [
        '',
        '',
        '(metrics: ["n", "m", "n", "nothing"])',
        `(metrics: ${MANY_NAMES})`,
        '(metrics: $names)',
        '(metrics: [])',
        '(metrics: null)',
        '(metrics: "m")',
        '(points: 3)',
        '(points: 0)',
        '(metrics: ["m", "n"], points: 12)',
        '(metrics: $names, points: $first)',
      ],
      bad: ['(points: -1)'],
      items: columns,
    },
    { weight: 2, name: 'latest', items: row },
    {
      weight: 3,
      name: 'statistics',
      args: ['', '', '(metrics: ["n", "m", "n", "nothing"])', '(metrics: $names)', '(metrics: [])', '(metrics: null)'],
      items: statistics,
    },
    {
      weight: 3,
      name: 'periods',
      args: [
        '(every: DAY)',
        '(every: WEEK, metrics: "m")',
        '(every: MONTH, metrics: ["n", "m", "n", "nothing"])',
        '(every: QUARTER, metrics: $names)',
        '(every: YEAR)',
        '(every: $every)',
      ],
      items: aggregatesByDate,
    },
  ]);
}

const edge = selection('AssetSeriesEdge', [
  { weight: 1, name: 'cursor' },
  { weight: 3, name: 'node', items: assetSeries(1) },
]);

const pageInfo = selection('PageInfo', [
  { weight: 1, name: 'hasNextPage' },
  { weight: 1, name: 'hasPreviousPage' },
  { weight: 1, name: 'startCursor' },
  { weight: 1, name: 'endCursor' },
]);

const connection = selection('AssetSeriesConnection', [
  { weight: 6, name: 'nodes', odd: '__proto__', items: assetSeries(1) },
  { weight: 3, name: 'edges', items: edge },
  { weight: 1, name: 'pageInfo', items: pageInfo },
  { weight: 1, name: 'totalCount', odd: 'length' },
]);

/** What is computed from all series of a dataset. */
export const ofAllSeries: readonly Choice[] = [
  { weight: 1, name: 'metricNames' },
  {
    weight: 1,
    name: 'statistics',
    args: ['', '', '(metrics: ["n", "m", "n", "nothing"])', '(metrics: $names)', '(metrics: [])'],
    items: statistics,
  },
  {
    weight: 1,
    name: 'byDate',
    args: ['', '(metrics: ["m"])', '(metrics: $names)', '(metrics: "m")'],
    items: aggregatesByDate,
  },
];

const results = selection('DatasetResults', [
  { weight: 1, name: 'processingId' },
  { weight: 1, name: 'sourceId' },
  ...ofAllSeries,
  {
    weight: 12,
    name: 'series',
    args: [
      '',
      '',
      '',
      '',
      '(first: 1)',
      '(first: 2, after: $after0)',
      '(first: $first)',
      '(after: $after1)',
      '(first: 0)',
      '(first: null, after: null)',
    ],
    bad: ['(first: -1)', '(after: "nothing")'],
    items: connection,
  },
]);

/** The fields of a dataset that need results calls. */
export const resultsFields: readonly Choice[] = [
  {
    weight: 12,
    name: 'results',
    args: [
      '',
      '',
      '',
      '(filter: {assetIds: ["a"]})',
      '(filter: {assetIds: ["a", "c", "b"]})',
      '(filter: {assetIds: ["b", "nobody"]})',
      '(filter: {assetIds: $ids})',
      '(filter: {assetIds: []})',
      '(filter: {timeRange: {start: 0}})',
      '(filter: {assetIds: ["a", "b"], timeRange: {start: 0}})',
    ],
    bad: ['(filter: {assetIds: [""]})', '(filter: {timeRange: {}})'],
    items: results,
  },
  {
    weight: 4,
    name: 'asset',
    args: ['(assetId: "a")', '(assetId: "b")', '(assetId: $asset)', '(assetId: "nobody")'],
    bad: ['(assetId: "")'],
    items: asset(2),
  },
  {
    weight: 2,
    name: 'assetsByIds',
    args: ['(assetIds: ["a", "b"])', '(assetIds: ["b", "nobody", "b"])', '(assetIds: [$asset])', '(assetIds: [])'],
    bad: ['(assetIds: ["a", ""])'],
    items: asset(1),
  },
  { weight: 2, name: 'seriesCount' },
  { weight: 2, name: 'metricNames' },
];

const dataset = selection('Dataset', [{ weight: 1, name: 'id' }, { weight: 1, name: 'name' }, ...resultsFields]);

const entity = fc
  .tuple(asset(2), fc.option(dataset, { freq: 4 }))
  .map(([ofAsset, ofDataset]): readonly Item[] => [
    { kind: 'inline', type: 'Asset', directives: '', items: ofAsset },
    ...(ofDataset === null ? [] : [{ kind: 'inline', type: 'Dataset', directives: '', items: ofDataset } as const]),
  ]);

const query = selection(
  'Query',
  [
    { weight: 12, name: 'dataset', args: ['(id: $id)'], items: dataset },
    { weight: 1, name: 'datasetsByIds', args: ['(ids: [$id, $id])'], items: dataset },
    { weight: 3, name: '_entities', args: ['(representations: $references)'], items: entity },
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
