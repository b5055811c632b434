import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodies } from '../support/aggregate-bodies.ts';
import { assetReference, ofDataset, ofEntities, type Setup, start, type TestBed, times } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { ASSET_FIELDS, type Entry, Expected, entriesOf, FIELDS, randomEntries } from '../support/random-entries.ts';

/** How many random bodies are tried. */
const CASES = randomCases(68);

/** Setups under which entries are read in another way. */
const ways: Record<string, Pick<Setup, 'env' | 'holdBytes'>> = {
  'the fast path': {},
  'the generic path': { env: { RESULTS_FAST_PATH: 'off' } },
  'bodies that pass or are skimmed': { holdBytes: 300 },
  'a cache': { env: { CACHE: 'memory' } },
  'calls of two assets': { env: { ASSET_IDS_PER_CALL: '2' } },
  'a cache and calls of one asset': { env: { CACHE: 'memory', ASSET_IDS_PER_CALL: '1' } },
};

interface Asked {
  document: string;
  references?: readonly string[];
  /** The data; with the errors in the order of `expected`. */
  data: (expected: Expected) => unknown;
}

/** The entries in a time range: the service of these tests leaves the first one out. */
const ranged = (entries: readonly Entry[]) => entries.slice(1);
const RANGE = 'series(timeRange: { start: "2000-01-01" })';

/** What is asked of entries, and what is right. */
function questions(entries: readonly Entry[]): Asked[] {
  const present = entries.map(({ asset_id: id }) => id);
  const of = (id: string) => entriesOf(entries, id);
  return [
    {
      document: ofDataset(
        `asset(assetId: "a") { ${ASSET_FIELDS} range: ${RANGE} { ${FIELDS} } } only: asset(assetId: "b") { metricNames }`,
      ),
      data: (expected) => {
        const [a, inRange, b] = [of('a'), entriesOf(ranged(entries), 'a'), of('b')];
        const range = () => (inRange.length > 0 ? expected.series(inRange, 'dataset.asset.range') : null);
        const asset = expected.asset(a, 'dataset.asset') as object | null;
        return {
          dataset: {
            asset: asset && { ...asset, range: range() },
            only: b.length === 0 ? null : { metricNames: expected.metricNames(b, 'dataset.only.metricNames') },
          },
        };
      },
    },
    {
      document: ofDataset(`assets(assetIds: ["c", "a", "b", "d"]) { ${ASSET_FIELDS} }`),
      data: (expected) => ({
        dataset: { assets: ['c', 'a', 'b', 'd'].map((id, index) => expected.asset(of(id), `dataset.assets.${index}`)) },
      }),
    },
    {
      document: ofEntities(`... on Asset { assetId ${ASSET_FIELDS} }`),
      references: ['b', 'a', 'b'],
      data: (expected) => ({
        _entities: ['b', 'a', 'b'].map((id, index) => {
          const asset = expected.asset(of(id), `_entities.${index}`) as object | null;
          return asset && { assetId: id, ...asset };
        }),
      }),
    },
    {
      document: ofDataset(
        `results { statistics { name count nullCount min max } seriesCount series { nodes { ${FIELDS} asset { assetId name } } } }`,
      ),
      data: (expected) => ({
        dataset: {
          results: {
            statistics: expected.statistics(entries, 'dataset.results.statistics'),
            seriesCount: entries.length,
            series: {
              nodes: entries.map((entry, index) => ({
                ...(expected.series([entry], `dataset.results.series.nodes.${index}`) as object),
                asset: { assetId: entry.asset_id, name: of(entry.asset_id)[0]?.asset_name },
              })),
            },
          },
        },
      }),
    },
    {
      document: ofDataset(`results { series { nodes { ${FIELDS} asset { assetId } } } }`),
      data: (expected) => ({
        dataset: {
          results: {
            series: {
              nodes: entries.map((entry, index) => ({
                ...(expected.series([entry], `dataset.results.series.nodes.${index}`) as object),
                asset: { assetId: entry.asset_id },
              })),
            },
          },
        },
      }),
    },
    {
      document: ofDataset(`results { series(first: 2) { nodes { version asset { ${ASSET_FIELDS} } } } }`),
      data: (expected) => ({
        dataset: {
          results: {
            series: {
              nodes: entries.slice(0, 2).map((entry, index) => {
                const path = `dataset.results.series.nodes.${index}`;
                const version = expected.version(entry, `${path}.version`);
                return { version, asset: expected.asset(of(present[index] as string), `${path}.asset`) };
              }),
            },
          },
        },
      }),
    },
  ];
}

/** The service filters by ids, and by time as `ranged` says. */
function serve({ simulator }: TestBed, entries: () => readonly Entry[]): void {
  simulator.intercept(({ body }) => {
    const { mo_ids: ids, time_range: range } = JSON.parse(body || '{}');
    const all = range === undefined ? entries() : ranged(entries());
    return {
      status: 200,
      body: JSON.stringify({ assets: ids === undefined ? all : all.filter(({ asset_id: id }) => ids.includes(id)) }),
    };
  });
}

interface FoundError {
  path: (string | number)[];
  message: string;
  extensions: { code: string };
}

/** An error as `Expected` has it. */
function described({ path, message, extensions: { code } }: FoundError): string {
  const problem = /: (row .*)\.$/.exec(message)?.[1] ?? '';
  return code === 'UPSTREAM_INVALID_RESPONSE' ? `${path.join('.')} ${problem}`.trim() : `${path.join('.')} ${code}`;
}

const ALL_STATISTICS =
  'name count nullCount min max mean standardDeviation first last minDate maxDate firstDate lastDate';
/** Each field of a series, with what is computed. */
const ALL_FIELDS = `${FIELDS} all: statistics { ${ALL_STATISTICS} } chosen: columns(metrics: ["n", "nothing"]) { metrics { values } }
  few: columns(points: 9) { valueDates metrics { name values } } last: rows(offset: 20) { valueDate }
  month: periods(every: MONTH) { starts metrics { name counts means mins maxs sums } }
  n: statistics(metrics: ["n"]) { ${ALL_STATISTICS} }`;

/** A response, with its errors in any order, and without the id of the request. */
function comparable({ data, errors = [] }: { data: unknown; errors?: FoundError[] }) {
  return { data, errors: errors.map(described).toSorted() };
}

/*
 * Clause 3.14 of docs/contract.md in detail.
 * Versions. `Asset.metricNames` and `Asset.series` read all entries of the asset's highest version: their rows in the order received,
 * counted from 0 in errors. An entry whose version is absent, null or of a wrong type is lower than any other, and such entries are of
 * one version. If the list of rows of one of them has a wrong type, whatever needs rows is null with the error.
 * `DatasetResults.series` has each entry alone, and `DatasetResults.statistics` all of them.
 */
describe('3.14 Entries of one version', () => {
  it.each(Object.entries(ways))(
    'of random bodies are read together, with %s',
    { tags: ['random'], timeout: 120_000 + CASES * 1000 },
    async (_, setup) => {
      const { env = {} } = setup;
      const bed = await start({ ...setup, env: { LOG_LEVEL: 'warn', ...env } });
      let entries: readonly Entry[] = [];
      serve(bed, () => entries);
      let datasets = 0;
      await fc.assert(
        fc.asyncProperty(fc.nat(), fc.nat(9), async (seed, size) => {
          entries = randomEntries(seed, size);
          // The cache has nothing of this dataset, and its bodies may pass.
          datasets += 1;
          const id = `dataset-${datasets}`;
          for (const { document, references, data } of questions(entries)) {
            const expected = new Expected();
            const right = data(expected);
            const variables = references
              ? { references: references.map((asset) => assetReference(asset, id)) }
              : { id };
            // The second response comes from the cache.
            for (const _ of env.CACHE === undefined ? [1] : [1, 2]) {
              const { body } = await bed.query(document, { variables });
              // `toEqual` takes most of the time for so many values that are equal.
              if (!isDeepStrictEqual(body.data, right)) expect(body.data).toEqual(right);
              const found = (body.errors ?? []).map(described);
              expect(found.toSorted()).toEqual(expected.errors.toSorted());
            }
          }
        }),
        { numRuns: CASES },
      );
      expect(bed.log).toEqual([]);
    },
  );

  it.each([
    ['the fast path', 'on'],
    ['the generic path', 'off'],
  ])(
    'of random bodies are read as one entry with their rows, with %s',
    { tags: ['random'], timeout: 120_000 + CASES * 1000 },
    async (_, fastPath) => {
      const bed = await start({ env: { LOG_LEVEL: 'warn', RESULTS_FAST_PATH: fastPath } });
      let assets: readonly object[] = [];
      bed.simulator.intercept(() => ({ body: JSON.stringify({ assets }) }));
      const ask = async (entries: readonly object[]) => {
        assets = entries;
        const { body } = await bed.query(ofDataset(`asset(assetId: "a") { metricNames series { ${ALL_FIELDS} } }`));
        return body;
      };
      const cuts = fc.array(fc.nat(9), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(bodies, cuts, async (body, lengths) => {
          const rows = JSON.parse(body).assets.flatMap(({ results }: Entry) => results ?? []);
          const parts = [...lengths, rows.length].map((length) => rows.splice(0, length));
          const entries = parts.map((results) => ({ asset_id: 'a', results }));
          const other = { asset_id: 'b', asset_version: 9, results: [{ value_date: '2099-01-01' }] };
          const joined = await ask([{ asset_id: 'a', results: parts.flat() }]);
          for (const split of [entries, entries.flatMap((entry) => [entry, other])]) {
            const found = await ask(split);
            if (!isDeepStrictEqual(comparable(found), comparable(joined)))
              expect(comparable(found)).toEqual(comparable(joined));
          }
        }),
        { numRuns: CASES * 2 },
      );
    },
  );

  it.each([
    ['neighbours', []],
    ['scattered', [{ asset_id: 'b', results: [{}] }]],
  ])('count for MAX_OPERATION_WORK with all their rows: %s', async (_, between) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const results = Array.from({ length: 100 }, (_, day) => ({ value_date: `day ${day}`, metrics: [] }));
    const assets = Array.from({ length: 50 }, () => [{ asset_id: 'a', results }, ...between]).flat();
    bed.simulator.intercept(() => ({ body: JSON.stringify({ assets }) }));
    const ask = async (selection: string, count: number) => {
      const fields = times(count, (index) => `f${index}: ${selection}`);
      const { body } = await bed.query(ofDataset(`asset(assetId: "a") { series { ${fields} } }`));
      return (body.errors ?? []).map(described);
    };
    // A list of the rows has about 180 kB, and dates alone about 50 kB.
    expect(await ask('rows { valueDate }', 3)).toEqual([]);
    expect(await ask('rows { valueDate }', 12)).toContain('dataset.asset.series.f11 REQUEST_LIMIT_EXCEEDED');
    expect(await ask('columns { valueDates }', 3)).toEqual([]);
    expect(await ask('columns { valueDates }', 25)).toContain('dataset.asset.series.f24 REQUEST_LIMIT_EXCEEDED');
    expect(await ask('statistics(metrics: ["m", "n", "o"]) { count }', 1)).toEqual([]);
    expect(await ask('statistics(metrics: ["m", "n", "o"]) { count }', 7)).toContain(
      'dataset.asset.series.f6 REQUEST_LIMIT_EXCEEDED',
    );
  });
});
