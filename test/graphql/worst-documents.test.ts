import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, dataset, respondWith, start, times } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

/**
 * Documents that make the subgraph do more than they may: what multiplies is multiplied at every level, by aliases, lists, fragments and
 * arguments.
 */

/** How many of the documents are tried. */
const RUNS = randomCases(300);
const WORK = 2_000_000;
/** The most bytes of data for so much work. A byte of a row takes more than one unit. */
const DATA_BYTES = 2.2 * WORK;
/** Errors are bounded by their number, and each by its message and its path. */
const MAX_ERRORS = 1001;
const ERROR_BYTES = 500;

const copies = (field: string) => times(20, (copy) => `c${copy}: ${field}`);
const quantiles = times(20, (copy) => `q${copy}: quantiles(of: [${copy / 20}, 1])`);

/** What is selected on a series; each gets an alias. */
const onSeries: readonly string[] = [
  'rows { valueDate metrics { name value } }',
  'rows { ...row }',
  'rows { metrics(metrics: $names) { name } }',
  'rows { metrics(metrics: $tooMany) { name } }',
  'rows(first: 1, offset: 399) { valueDate }',
  'rows(first: -1) { valueDate }',
  'results { __typename }',
  'columns { valueDates metrics { name values } }',
  'columns(metrics: $names) { metrics { values } }',
  'columns(metrics: $names, points: 3) { rowCount metrics { name } }',
  'latest { valueDate metrics { name value } }',
  `statistics { name mean minimum { valueDate } ${copies('last { valueDate assetId }')} }`,
  `statistics { ${copies('name')} }`,
  'statistics(metrics: $tooMany) { count }',
  `periods(every: DAY) { dates metrics { name counts means ${copies('sums')} } }`,
  'metricNames',
  'asset { assetId name version categories centroid { latitude } }',
  `asset { ${copies('datasetId')} }`,
  'asset { series { version rows { valueDate } } }',
];

/** What is selected on results, around a selection on series. */
const onResults: readonly ((series: string) => string)[] = [
  (series) => `series { nodes { ${series} } }`,
  (series) => `series { edges { cursor node { ${series} } } }`,
  (series) => `series { nodes { ${series} bad: rows(first: -1) { valueDate } } }`,
  () => 'series { pageInfo { startCursor endCursor } totalCount }',
  () => `statistics { name nullCount ${copies('maximum { valueDate assetId }')} }`,
  () => `statistics(metrics: $names) { ${quantiles} }`,
  () => `byDate { dates metrics { name counts ${quantiles} } }`,
  () => 'byDate { metrics { quantiles(of: 2) } }',
  () => 'processingId',
  () => 'series(after: $long) { totalCount }',
];

/** What is selected on a dataset, around selections on results and on series. */
const onDataset: readonly ((results: string, series: string) => string)[] = [
  (results) => `results { ${results} }`,
  (results) => `results(filter: { assetIds: ["odd", "a1"] }) { ${results} }`,
  () => 'results(filter: { timeRange: { start: 2, stop: 1 } }) { sourceId }',
  (_, series) => `asset(assetId: "a1") { name series { ${series} } }`,
  () => 'asset(assetId: "") { assetId }',
  () => 'description',
  () => 'download { url method requiredHeaders ticketUrl }',
];

/** What stands around a selection on datasets. */
const roots: readonly ((dataset: string) => string)[] = [
  (dataset) => `dataset(id: $id) { ${dataset} }`,
  (dataset) => `datasetsByIds(ids: $ids) { ${dataset} }`,
  (dataset) => times(20, (index) => `r${index}: dataset(id: $id) { ${dataset} }`),
  (dataset) => `_entities(representations: $references) { ... on Dataset { ${dataset} } }`,
];

/** A document with so many datasets, results and series under aliases, and its variables. */
function documentOf(
  [root, onEachDataset, onEachResults, onEachSeries]: readonly [Root, OnDataset, OnResults, string],
  [datasets, ofResults, ofSeries]: readonly [number, number, number],
  { objects = 1, names = 1 },
) {
  const aliased = (count: number, letter: string, field: string) => times(count, (at) => `${letter}${at}: ${field}`);
  const node = aliased(ofSeries, 'n', onEachSeries);
  const page = aliased(ofResults, 's', onEachResults(node));
  const body = root(aliased(datasets, 'd', onEachDataset(page, node)));
  const types = {
    ...{ id: 'ID!', ids: '[ID!]!', references: '[_Any!]!' },
    ...{ names: '[String!]', tooMany: '[String!]', long: 'String' },
  };
  const fragment = body.includes('...row')
    ? ' fragment row on Result { a: valueDate b: value(metric: "m0") c: metrics { d: name } }'
    : '';
  const used = Object.entries(types).filter(([name]) => (body + fragment).includes(`$${name}`));
  const declared = used.map(([name, type]) => `$${name}: ${type}`).join();
  const ids = Array.from({ length: objects }, (_, index) => (index % 2 === 0 ? DATASET_ID : `x${index}`));
  const values: Record<string, unknown> = {
    id: DATASET_ID,
    ids,
    references: ids.map((id) => ({ __typename: 'Dataset', id })),
    names: Array.from({ length: names }, (_, index) => `m${index}`),
    tooMany: Array(1001).fill('m0'),
    long: 'WzAs'.repeat(10_000),
  };
  return {
    document: `query${declared === '' ? '' : `(${declared})`} { ${body} }${fragment}`,
    variables: Object.fromEntries(used.map(([name]) => [name, values[name]])),
  };
}

type Root = (typeof roots)[number];
type OnDataset = (typeof onDataset)[number];
type OnResults = (typeof onResults)[number];

const [ofId, ofIds, , ofReferences] = roots as [Root, Root, Root, Root];
const [allResults] = onDataset as [OnDataset];
const [allNodes] = onResults as [OnResults];
const [rows] = onSeries as [string];

/** All rows under ever more aliases: somewhere among them is the last document that fits. */
const allRows = [20, 22, 24].map((count) => documentOf([ofId, allResults, allNodes, rows], [1, 1, count], {}));
/** Each selection as often as possible, and often below what is multiplied, too. The numbers are on both sides of the limit. */
const documents = [
  ...onSeries.flatMap((series) => {
    const path = [ofId, allResults, allNodes, series] as const;
    return [
      ...[1, 5, 20, 30, 100, 480].map((count) => documentOf(path, [1, 1, count], { names: 270 })),
      ...[1, 1000].map((names) => documentOf(path, [1, 20, 20], { names })),
      documentOf([ofReferences, allResults, allNodes, series], [1, 1, 10], { objects: 50 }),
    ];
  }),
  ...onResults.flatMap((results) =>
    [1, 10, 100, 480].map((count) => documentOf([ofId, allResults, results, rows], [1, count, 1], {})),
  ),
  ...onDataset.flatMap((dataset) => [
    ...[10, 100, 480].map((count) => documentOf([ofId, dataset, allNodes, rows], [count, 1, 1], {})),
    documentOf([ofIds, dataset, allNodes, rows], [10, 1, 1], { objects: 1000 }),
  ]),
  ...roots.map((root) => documentOf([root, allResults, allNodes, rows], [5, 2, 2], { objects: 200 })),
];

const asset = (assetId: string, rows: number, date: (row: number) => unknown) => ({
  asset_id: assetId,
  asset_name: `Asset ${assetId}`,
  asset_version: 1,
  results: Array.from({ length: rows }, (_, row) => ({
    value_date: date(row),
    metrics: [0, 1].map((metric) => ({ name: `m${metric}`, value: row + metric / 2 })),
  })),
});

const shortTexts = {
  metadata: { name: 'N', description: 'x'.repeat(2000), start_date: 1 },
  results: {
    assets: [
      ...Array.from({ length: 20 }, (_, index) => asset(`a${index}`, 20, String)),
      asset('long', 400, String),
      asset('odd', 100, (row) => (row % 2 === 0 ? row : 'd')),
    ],
  },
};

/** Texts of which a character takes three bytes, wherever the service or a client may write one. */
const long = '\u4e00'.repeat(6000);
const LONG_ID = '\u4e00'.repeat(200);
const longTexts = {
  metadata: { name: long, description: long, processing_id: long, source_id: long, source_name: long },
  results: {
    processing_id: long,
    source_id: long,
    assets: [
      ...['a0', LONG_ID, 'odd'].map((assetId) => ({
        ...asset(assetId, 0, String),
        asset_name: long,
        parent_asset_id: long,
        parent_asset_name: long,
        results: ['1', '2', assetId === 'odd' ? long : '3'].map((value_date) => ({
          value_date,
          metrics: [0, 1].map((metric) => ({ name: `${metric}${long}`, value: 1 })),
        })),
      })),
      ...Array.from({ length: 12 }, (_, index) => asset(`b${index}`, 0, String)),
    ],
  },
};

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('3.27 The worst document', () => {
  it.each([
    ['short texts', shortTexts, DATASET_ID],
    ['texts of which each character takes three bytes', longTexts, LONG_ID],
  ] as const)(
    'gets no more than MAX_OPERATION_WORK allows, and 1000 errors, of %s',
    { tags: ['random'], timeout: 120_000 + RUNS * 1000 },
    async (_, service, id) => {
      const bed = await start({
        datasets: [{ ...dataset, metadata: { ...dataset.metadata, id } }],
        env: { MAX_OPERATION_WORK: String(WORK), DOWNLOAD_TICKET_SECRET: 's'.repeat(32), LOG_LEVEL: 'silent' },
      });
      respondWith(bed.simulator, service);
      const found = { answered: 0, refused: 0, largest: 0 };
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...documents), async ({ document, variables }) => {
          const ofService = JSON.parse(JSON.stringify(variables).replaceAll(DATASET_ID, id));
          // A response that cannot have fewer bytes breaks off.
          const answer = await bed.query(document, { variables: ofService }).catch(() => undefined);
          const { data = null, errors = [] } = answer?.body ?? {};
          found[answer === undefined || answer.text.includes('MAX_OPERATION_WORK') ? 'refused' : 'answered'] += 1;
          found.largest = Math.max(found.largest, sizeOf(data));
          // One with too many fields is refused as a whole, and one of more than a megabyte.
          expect([200, 400, 413]).toContain(answer?.status ?? 200);
          expect(sizeOf(data)).toBeLessThan(DATA_BYTES);
          expect(errors.length).toBeLessThanOrEqual(MAX_ERRORS);
          expect(sizeOf(errors)).toBeLessThan(MAX_ERRORS * ERROR_BYTES);
        }),
        { numRuns: RUNS, examples: allRows.map((document) => [document]) },
      );
      // The documents are on both sides of the limit.
      if (RUNS > 100) expect(Math.min(found.answered, found.refused)).toBeGreaterThan(RUNS / 20);
      if (service === shortTexts) expect(found.largest).toBeGreaterThan(0.9 * WORK);
    },
  );
});
