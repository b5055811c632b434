import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, dataset, respondWith, start, times } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

/**
 * A search for documents that make the subgraph do more than they may: what multiplies is multiplied at every level, by
 * aliases, lists, fragments and arguments.
 */
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

const few = fc.constantFrom(1, 1, 2, 5, 10, 20, 30, 49, 100, 490);

/** One of these, and half the time one of the first: those under which most is multiplied. */
const mostly = <T>(choices: readonly T[], first: number) =>
  fc.oneof(fc.constantFrom(...choices), fc.constantFrom(...choices.slice(0, first)));

/** What a document is made of. */
interface Parts {
  root: (typeof roots)[number];
  dataset: (typeof onDataset)[number];
  results: (typeof onResults)[number];
  series: (typeof onSeries)[number];
  aliases: [number, number, number];
  objects: number;
  names: number;
}

/** Documents with at most 500 aliases, and their variables. */
const documents = fc
  .record<Parts>({
    root: fc.constantFrom(...roots),
    dataset: mostly(onDataset, 1),
    results: mostly(onResults, 3),
    series: mostly(onSeries, 3),
    aliases: fc.tuple(few, few, few),
    objects: fc.constantFrom(1, 10, 50, 200, 1000),
    names: fc.constantFrom(1, 10, 1000),
  })
  .map(documentOf);

/** The same under ever more aliases: somewhere among them is the last document that fits. */
const moreAndMore = (series: string, aliases: number[], names = 1) =>
  aliases.map((count) =>
    documentOf({
      ...{ root: roots[0], dataset: onDataset[0], results: onResults[0], objects: 1 },
      ...{ series, names, aliases: [1, 1, count] },
    } as Parts),
  );
const allRows = moreAndMore('rows { valueDate metrics { name value } }', [20, 22, 24, 26]);
/** Columns of metrics that no row has: the bytes that take the least work. */
const columnsOfNulls = moreAndMore('columns(metrics: $names) { metrics { values } }', [1, 2, 3, 4, 5], 270);
const computedNames = moreAndMore(`statistics { ${copies('name')} }`, [1, 2, 3]);
const datasetIds = moreAndMore(`asset { ${copies('datasetId')} }`, [9, 10, 11, 12]);

function documentOf({ root, dataset, results, series, aliases, objects, names }: Parts) {
  let left = 480;
  const [onEachDataset, onEachResults, onEachSeries] = aliases.map((count) => {
    const taken = Math.max(1, Math.min(count, left));
    left = Math.floor(left / taken);
    return taken;
  }) as [number, number, number];
  const aliased = (count: number, letter: string, field: string) => times(count, (at) => `${letter}${at}: ${field}`);
  const node = aliased(onEachSeries, 'n', series);
  const page = aliased(onEachResults, 's', results(node));
  const body = root(aliased(onEachDataset, 'd', dataset(page, node)));
  const types: Record<string, string> = {
    id: 'ID!',
    ids: '[ID!]!',
    references: '[_Any!]!',
    names: '[String!]',
    tooMany: '[String!]',
    long: 'String',
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
    ['short texts', shortTexts, DATASET_ID, [...allRows, ...columnsOfNulls]],
    ['texts of which each character takes three bytes', longTexts, LONG_ID, [...computedNames, ...datasetIds]],
  ] as const)(
    'gets no more than MAX_OPERATION_WORK allows, and 1000 errors, of %s',
    {
      tags: ['random'],
      timeout: 120_000 + RUNS * 1000,
    },
    async (_title, service, id, examples) => {
      const bed = await start({
        datasets: [{ ...dataset, metadata: { ...dataset.metadata, id } }],
        env: { MAX_OPERATION_WORK: String(WORK), DOWNLOAD_TICKET_SECRET: 's'.repeat(32), LOG_LEVEL: 'silent' },
      });
      respondWith(bed.simulator, service);
      const found = { answered: 0, refused: 0, largest: 0 };
      await fc.assert(
        fc.asyncProperty(documents, async ({ document, variables }) => {
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
        { numRuns: RUNS, endOnFailure: true, examples: examples.map((document) => [document]) },
      );
      // The search comes to both sides of the limit.
      if (RUNS > 100) expect(Math.min(found.answered, found.refused)).toBeGreaterThan(RUNS / 20);
      if (service === shortTexts) expect(found.largest).toBeGreaterThan(0.9 * WORK);
    },
  );
});
