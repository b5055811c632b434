import { describe, expect, it } from 'vitest';
import { compareField, timeLimit } from '../oracle/field.ts';
import { LISTS, STATISTICS } from '../support/aggregates.ts';
import { assetReference, ofDataset, respondWith, type Setup, start, times } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many random bodies are tried with each document, about. */
const CASES = randomCases(40);

/** Setups under which entries are read in another way. */
const ways: readonly Setup[] = [
  {},
  // Bodies pass or are skimmed.
  { holdBytes: 300 },
  { env: { CACHE: 'memory' } },
  { env: { ASSET_IDS_PER_CALL: '2' } },
  { env: { CACHE: 'memory', ASSET_IDS_PER_CALL: '1' } },
];

const ROW = 'valueDate metrics { name value }';
const FIELDS = `version rowCount metricNames latest { ${ROW} m: value(metric: "m") } rows { ${ROW} }
  second: rows(first: 2, offset: 1) { ${ROW} } columns { rowCount valueDates metrics { name values } }
  statistics { name count nullCount minimum { value } maximum { value } }`;
const ASSET_FIELDS = `name version metricNames series { ${FIELDS} }`;
/** Each field of a series, with what is computed. */
const ALL_FIELDS = `${FIELDS} all: statistics { ${STATISTICS} } few: columns(points: 9) { valueDates metrics { name values } }
  last: rows(offset: 20) { valueDate } month: periods(every: MONTH) { dates metrics { ${LISTS} } }`;

/** What is asked of entries. */
const questions = [
  `dataset(id: $id) {
    asset(assetId: "a") { ${ASSET_FIELDS} range: series(filter: { timeRange: { start: "2000-01-01" } }) { ${FIELDS} } }
    only: asset(assetId: "b") { metricNames }
  }`,
  `dataset(id: $id) { asset(assetId: "a") { metricNames series { ${ALL_FIELDS} } } }`,
  `dataset(id: $id) { assetsByIds(assetIds: ["c", "a", "b", "nobody"]) { ${ASSET_FIELDS} } }`,
  `_entities(representations: $references) { ... on Asset { assetId ${ASSET_FIELDS} } }`,
  `dataset(id: $id) { results { statistics { name count nullCount minimum { assetId } } metricNames series { nodes { ${FIELDS} asset { assetId name } } } } }`,
  `dataset(id: $id) { results { series { nodes { ${FIELDS} asset { assetId } } } } }`,
  `dataset(id: $id) { results { series(first: 2) { nodes { version asset { ${ASSET_FIELDS} } } } } }`,
];

/*
 * Clause 3.14 of docs/contract.md in detail.
 * Versions. `DatasetResults.series` shows each entry of the response alone. The attributes of an `Asset` are those of
 * its first entry with the highest version; they are compared by test/oracle. `Asset.metricNames` and `Asset.series`
 * read all entries of the asset's highest version: their rows in the order received, counted from 0 in errors. An entry
 * whose version is absent, null or of a wrong type is lower than any other, and such entries are of one version. If the
 * list of rows of one of them has a wrong type, whatever needs rows is null with the error. `DatasetResults.statistics`
 * and `metricNames` read all entries.
 */
describe('3.14 Entries of one version', () => {
  it('of random bodies are read together, in each way', {
    tags: ['random'],
    timeout: timeLimit(CASES * questions.length),
  }, async () => {
    await compareField({
      cases: CASES * questions.length,
      settings: ways,
      bodies: { entries: 9, assets: 4, odd: 6 },
      args: ({ id }) => ({ references: ['b', 'a', 'b'].map((asset) => assetReference(asset, id)) }),
      field: ({ dice }) => dice.of(questions),
    });
  });

  it('is that of its exact number, also where doubles are the same', async () => {
    const bed = await start();
    const versions = ['9007199254740992', '9007199254740993', '9007199254740991'];
    const entries = versions.map((version) => `{"asset_id":"a","asset_version":${version}}`);
    respondWith(bed.simulator, { results: `{"assets":[${entries}]}` });
    const { body } = await bed.query(ofDataset('asset(assetId: "a") { version }'));
    expect(body).toEqual({ data: { dataset: { asset: { version: '9007199254740993' } } } });
  });

  it.each([
    ['neighbours', []],
    ['scattered', [{ asset_id: 'b', results: [{}] }]],
  ])('count for MAX_OPERATION_WORK with all their rows: %s', async (_, between) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const metrics = Array.from({ length: 10 }, (_, name) => ({ name: `m${name}`, value: 1 }));
    const results = Array.from({ length: 100 }, (_, day) => ({ value_date: `day ${day}`, metrics }));
    const assets = Array.from({ length: 50 }, () => [{ asset_id: 'a', results }, ...between]).flat();
    bed.simulator.intercept(() => ({ body: JSON.stringify({ assets }) }));
    const ask = async (selection: string, count: number) => {
      const fields = times(count, (index) => `f${index}: ${selection}`);
      const { body } = await bed.query(ofDataset(`asset(assetId: "a") { series { ${fields} } }`));
      const errors: { path: string[]; extensions: { code: string } }[] = body.errors ?? [];
      return errors.map(({ path, extensions: { code } }) => `${path?.join('.')} ${code}`);
    };
    // A list of the rows has about 180 kB, and dates alone about 50 kB.
    expect(await ask('rows { valueDate }', 3)).toEqual([]);
    expect(await ask('rows { valueDate }', 12)).toContain('dataset.asset.series.f11 REQUEST_LIMIT_EXCEEDED');
    expect(await ask('columns { valueDates }', 3)).toEqual([]);
    expect(await ask('columns { valueDates }', 25)).toContain('dataset.asset.series.f24 REQUEST_LIMIT_EXCEEDED');
    // Of each of 50,000 values something is computed.
    expect(await ask('statistics { count sum }', 3)).toEqual([]);
    expect(await ask('statistics { count sum }', 25)).toContain('dataset.asset.series.f24 REQUEST_LIMIT_EXCEEDED');
  });
});
