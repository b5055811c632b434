import fc from 'fast-check';
import { type Choice, choice, documentOf, type Item, leaves, selection } from '../support/random-selection.ts';
import {
  ASSET_IDS,
  aggregatesByDate,
  asset,
  assetSeries,
  plainVariables,
  resultsFields,
  statistics,
  variableTypes,
} from '../support/results-selections.ts';

/** Random operations over several datasets, from the grammar of test/support/results-selections.ts. */

const metadata = leaves({ id: 1, name: 1, assetCount: 1, sharing: 1, startDate: 1, stopDateTime: 1 });

const dataset = selection('Dataset', [...metadata, ...resultsFields]);

const [results, ...assets] = resultsFields as [Choice, ...Choice[]];

/**
 * The dataset of an asset that was loaded before. Assets that came with an earlier call precede the others of a filter, so its filters
 * name one at most.
 */
const datasetOfAsset = selection('Dataset', [
  ...metadata,
  { ...results, args: ['', '', '(filter: {assetIds: ["b"]})', '(filter: {timeRange: {start: 0}})'] },
  ...assets,
]);

const field = (name: string, items?: readonly Item[], key?: string): Item => ({
  ...{ kind: 'field', field: name, key, directives: '', items },
});

/** Results of which one field needs each entry once, so that they may pass. */
const passing = fc
  .oneof(
    statistics.map((items) => field('statistics', items)),
    aggregatesByDate.map((items) => field('byDate', items)),
    assetSeries(1).map((items) => field('series', [field('nodes', items)])),
    fc.constant(field('metricNames')),
  )
  .map((only) => [field('results', [only])]);

/** All statistics: so many fields that few entities fill a turn of the event loop. */
const NUMBERS = ['name', 'count', 'nullCount', 'sum', 'mean', 'standardDeviation', 'quantiles(of: [0.5])'];
const POINT = ['value', 'valueDate', 'assetId'].map((name) => field(name));
const allStatistics = [
  field('results', [
    field('statistics', [
      ...NUMBERS.map((name) => field(name)),
      ...['first', 'last', 'minimum', 'maximum'].map((name) => field(name, POINT)),
    ]),
  ]),
];

/** Assets, each perhaps with results of its dataset, and datasets. */
const entity = fc
  .tuple(
    fc.oneof(
      asset(2),
      passing.map((items) => [field('dataset', items)]),
      fc.tuple(asset(2), datasetOfAsset).map(([items, its]) => [...items.slice(1), field('dataset', its, 'its')]),
    ),
    fc.option(fc.oneof(passing, dataset), { freq: 3 }),
  )
  .map(([ofAsset, ofDataset]): readonly Item[] => [
    { kind: 'inline', type: 'Asset', directives: '', items: ofAsset },
    ...(ofDataset === null ? [] : [{ kind: 'inline', type: 'Dataset', directives: '', items: ofDataset } as const]),
  ]);

const query = selection(
  'Query',
  [
    choice(6, 'dataset', { args: '(id: $id) | (id: $other)', bad: '(id: "")', items: dataset }),
    choice(2, 'datasetsByIds', { args: '(ids: $datasets) | (ids: [$other, $id])', items: dataset }),
    choice(4, '_entities', { args: '(representations: $references)', items: entity }),
  ],
  1,
);

/** What an asset leads to, from its page on. */
const neighbours = (parent: fc.Arbitrary<readonly Item[]> | undefined) =>
  selection('Asset', [
    ...leaves({ assetId: 1, name: 1, metricNames: 2 }),
    choice(3, 'series', {
      args: '| | (filter: {timeRange: null}) | (filter: {timeRange: {start: 0}})',
      items: assetSeries(0),
    }),
    choice(2, 'dataset', { items: selection('Dataset', [...metadata, ...assets]) }),
    ...(parent === undefined ? [] : [choice(5, 'parent', { items: parent })]),
  ]);

const parent = (next?: fc.Arbitrary<readonly Item[]>) =>
  selection('AssetParent', [choice(1, 'name'), choice(4, 'asset', { items: neighbours(next) })]);

const node = selection('AssetSeries', [
  choice(9, 'asset', { items: neighbours(parent(parent())) }),
  ...leaves({ version: 1, rowCount: 1 }),
  choice(1, 'latest', { items: selection('Result', leaves({ valueDate: 1 })) }),
]);

const page = selection('AssetSeriesConnection', [
  choice(4, 'nodes', { items: node }),
  choice(3, 'edges', { items: node.map((items) => [field('cursor'), field('node', items)]) }),
  choice(1, 'totalCount'),
  choice(1, 'pageInfo', { items: fc.constant([field('hasNextPage'), field('endCursor')]) }),
]);

/** Pages with their first assets, which lead to others. Of a large body that does not cause calls of its own, only this part is held. */
const firstPages = selection('DatasetResults', [
  choice(9, 'series', {
    args: '(first: 1) | (first: 2) | (first: 1, after: $after0) | (first: $first) | (first: 1, after: $after1)',
    items: page,
  }),
  choice(1, 'processingId'),
]);

const partOfResults = fc
  .tuple(
    firstPages,
    fc.option(fc.constantFrom('name', 'assetCount')),
    fc.constantFrom('', '(filter: {timeRange: {start: 0}})'),
  )
  .map(([items, other, filter]): readonly Item[] => [
    field('dataset(id: $id)', [...(other === null ? [] : [field(other)]), field(`results${filter}`, items)]),
  ]);

const types = { ...variableTypes, other: 'ID!', datasets: '[ID!]!' };

/** A query that selects results in one place, which entities may share. */
const oneResults = fc
  .tuple(fc.oneof(passing, fc.constant(allStatistics)), fc.constantFrom('Asset', 'Asset', 'Dataset'))
  .map(([items, type]): readonly Item[] => [
    {
      ...{ kind: 'field', field: '_entities(representations: $references)', key: undefined, directives: '' },
      items: [{ kind: 'inline', type, directives: '', items: type === 'Asset' ? [field('dataset', items)] : items }],
    },
  ]);

export const documents = fc
  .oneof({ weight: 5, arbitrary: query }, { weight: 1, arbitrary: oneResults }, { weight: 1, arbitrary: partOfResults })
  .map((items) => documentOf([{ name: undefined, items }], types));

const assetId = fc.constantFrom(...ASSET_IDS);

/** What the variables are made from. Datasets are numbers. */
export const variableSeeds = fc.record({
  ...plainVariables,
  datasets: fc.array(fc.nat(3), { maxLength: 4 }),
  references: fc.array(fc.tuple(fc.nat(3), fc.option(assetId, { freq: 5 })), { minLength: 1, maxLength: 7 }),
  // So many references that those behind them wait for a later turn of the event loop.
  others: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(20, 150, 400) }),
});

/** The variables, for datasets with these ids. @param small one that has hardly any results */
export function variablesOf(
  { datasets, references, others, ...values }: typeof variableSeeds extends fc.Arbitrary<infer T> ? T : never,
  ids: readonly string[],
  small: string,
  cursors: readonly (string | undefined)[],
): Record<string, unknown> {
  const idOf = (index: number) => ids[index % ids.length] as string;
  const [first, ...further] = references.map(([index, id]) => referenceTo(idOf(index), id));
  const again = others === 0 ? [] : references.slice(0, 1).map(([index]) => referenceTo(idOf(index), 'b'));
  const between = Array.from({ length: others }, (_, index) => referenceTo(small, ASSET_IDS[index % 2] as string));
  return {
    ...values,
    id: idOf(0),
    other: idOf(1),
    datasets: datasets.map(idOf),
    references: [first, ...between, ...further, ...again],
    after0: cursors[0],
    after1: cursors[1],
  };
}

const referenceTo = (datasetId: string, assetId: string | null) =>
  assetId === null ? { __typename: 'Dataset', id: datasetId } : { __typename: 'Asset', datasetId, assetId };
