import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask, days, STATISTICS as FIELDS, invalid, LISTS, row, startWith } from '../support/aggregates.ts';
import { invalidAt } from '../support/expected-errors.ts';
import { DATASET_ID, postResults, type TestBed } from '../support/harness.ts';
import { bodiesWithTexts, metricIn, type TextBody, type TextRow } from '../support/non-finite-bodies.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many random bodies are tried, of each size. */
const CASES = randomCases(12);

const STATISTICS = `statistics { ${FIELDS} quantiles(of: 0.5) }`;
const BY_DATE = `{ dates metrics { ${LISTS} quantiles(of: [0.1, 0.5]) } }`;
const POINTS = 9;
const COMPUTED = `${STATISTICS} byDate ${BY_DATE}
  series { nodes {
    rowCount metricNames ${STATISTICS}
    periods(every: MONTH) ${BY_DATE}
  } }`;
const ROW = '{ valueDate metrics { name value } value(metric: "m") some: metrics(metrics: ["n"]) { it: value name } }';
const ROWS = `series { nodes {
  rows ${ROW} page: rows(first: 5, offset: 2) { v: value(metric: "n") } latest ${ROW}
  columns { rowCount valueDates metrics { name values } }
  reduced: columns(metrics: ["n", "m", "none"], points: ${POINTS}) { valueDates metrics { values name } }
} }`;

/** The paths of the errors of one row. */
function inRow({ metrics }: TextRow): string[] {
  const some = metrics.filter(({ name }) => name === 'n');
  return [
    ...metrics.flatMap(({ isText }, index) => (isText ? `metrics.${index}.value` : [])),
    ...(metrics.find(({ name }) => name === 'm')?.isText === true ? ['value'] : []),
    ...some.flatMap(({ isText }, index) => (isText ? `some.${index}.it` : [])),
  ];
}

/** The paths of the errors of columns with these names, of some rows. */
function inColumns(rows: readonly TextRow[], names: readonly string[]): string[] {
  return names.flatMap((name, index) =>
    rows.flatMap((each, at) => (metricIn(each, name)?.isText === true ? `metrics.${index}.values.${at}` : [])),
  );
}

/** The paths of the errors of a series. @param chosen the dates of the reduced columns */
function inSeries(rows: readonly TextRow[], chosen: readonly string[]): string[] {
  const under = (key: string | number, paths: readonly string[]) => paths.map((path) => `${key}.${path}`);
  const names = [...new Set(rows.flatMap(({ metrics }) => metrics.map(({ name }) => name)))];
  const latest = rows.toSorted((one, other) => (one.date < other.date ? 1 : -1)).slice(0, 1);
  return [
    ...rows.flatMap((each, index) => under(`rows.${index}`, inRow(each))),
    ...rows.slice(2, 7).flatMap((each, index) => (metricIn(each, 'n')?.isText === true ? [`page.${index}.v`] : [])),
    ...latest.flatMap((each) => under('latest', inRow(each))),
    ...under(
      'columns',
      inColumns(
        rows,
        names.filter((name) => name !== null),
      ),
    ),
    ...under(
      'reduced',
      inColumns(
        chosen.map((date) => rows.find((each) => each.date === date) as TextRow),
        ['n', 'm', 'none'],
      ),
    ),
  ];
}

/** What a selection gives with texts, and with null in place of each. */
async function askBoth(bed: TestBed, { texts, nulls }: TextBody, selection: string) {
  bed.simulator.intercept(() => ({ body: nulls }));
  const expected = await ask(bed, selection);
  expect(expected.errors).toBeUndefined();
  bed.simulator.intercept(() => ({ body: texts }));
  return { expected: expected.data, found: await ask(bed, selection) };
}

/*
 * Clause 3.45 of docs/contract.md in detail: texts of non-finite numbers.
 * Jackson, for one, writes a double that is NaN as the text "NaN". The texts NaN, Infinity and -Infinity in any case, and no
 * others, are missing values in whatever is computed from rows. `rows`, `columns` and `latest` have null with an error there,
 * as for any value of a wrong type.
 */
describe('3.45 Values that are NaN, Infinity or -Infinity as text', () => {
  it('are missing in what is computed from rows, without an error', {
    tags: ['random'],
    timeout: 120_000,
  }, async () => {
    const bed = await startWith([]);
    await fc.assert(
      fc.asyncProperty(fc.oneof(bodiesWithTexts(40), bodiesWithTexts(1300)), async (body) => {
        const { expected, found } = await askBoth(bed, body, COMPUTED);
        expect(found).toEqual({ data: expected, errors: undefined });
        const all = body.assets.flat();
        const { statistics } = found.data as { statistics: { name: string; nullCount: number }[] };
        for (const { name, nullCount } of statistics)
          expect(nullCount).toBeGreaterThanOrEqual(all.filter((each) => metricIn(each, name)?.isText === true).length);
      }),
      { numRuns: CASES },
    );
  });

  it('are missing in what is computed while the response arrives', {
    tags: ['random'],
    timeout: 120_000,
  }, async () => {
    const bed = await startWith([], { RESULTS_HOLD_BYTES: '1048576' });
    await fc.assert(
      fc.asyncProperty(bodiesWithTexts(12_000), async (body) => {
        const { expected, found } = await askBoth(bed, body, STATISTICS);
        expect(found).toEqual({ data: expected, errors: undefined });
      }),
      { numRuns: Math.ceil(CASES / 6) },
    );
  });

  it('are null in rows, each with an error', { tags: ['random'], timeout: 120_000 }, async () => {
    const bed = await startWith([]);
    await fc.assert(
      fc.asyncProperty(bodiesWithTexts(12), async (body) => {
        const { expected, found } = await askBoth(bed, body, ROWS);
        const data = found.data as { series: { nodes: { reduced: { valueDates: string[] } }[] } };
        expect(data).toEqual(expected);
        const paths = body.assets.flatMap((rows, index) =>
          inSeries(rows, data.series.nodes[index]?.reduced.valueDates ?? []).map((path) => `nodes.${index}.${path}`),
        );
        const errors = (found.errors ?? []) as { path: (string | number)[] }[];
        const pathOf = ({ path }: { path: (string | number)[] }) => path.slice(3).join('.');
        expect(errors.map(pathOf).toSorted()).toEqual(paths.toSorted());
        for (const error of errors) expect(error).toEqual(invalidAt(error.path));
      }),
      { numRuns: CASES * 3 },
    );
  });

  it.each(['nan ', ' NaN', '+Infinity', 'Infinite', '-NaN', 'NaNs', '', 'Inf', 'null', '1', '\rInfinity', 'ＮａＮ'])(
    'are of a wrong type if they are anything else: %j',
    async (text) => {
      const bed = await startWith([
        days('2024-01-01', [1]),
        days('2024-01-01', [1, 'NaN', text]),
        days('2024-01-01', ['nan', 3]),
      ]);
      const { data, errors } = await ask(
        bed,
        'statistics { count } series { nodes { statistics { count nullCount } rows { value(metric: "m") } } }',
      );
      const rowsOf = (...values: (number | null)[]) => values.map((value) => ({ value }));
      expect(data).toEqual({
        statistics: null,
        series: {
          nodes: [
            { statistics: [{ count: 1, nullCount: 0 }], rows: rowsOf(1) },
            { statistics: null, rows: rowsOf(1, null, null) },
            { statistics: [{ count: 1, nullCount: 1 }], rows: rowsOf(null, 3) },
          ],
        },
      });
      const value = (node: number, at: number) =>
        invalidAt(['dataset', 'results', 'series', 'nodes', node, 'rows', at, 'value']);
      expect(errors).toEqual(
        expect.arrayContaining([
          invalid('statistics', 'row 2 of series 1 has a value of a wrong type'),
          invalid('series.nodes.1.statistics', 'row 2 has a value of a wrong type'),
          ...[value(1, 1), value(1, 2), value(2, 0)],
        ]),
      );
      expect(errors).toHaveLength(5);
    },
  );

  it('make the body invalid without their first quote', async () => {
    const assets = [{ asset_id: 'a', results: days('2024-01-01', [1, 2, 'NaN']) }];
    const bed = await startWith(JSON.stringify({ assets }).replace('"NaN"', 'xNaN"'));
    const { data, errors } = await ask(bed, 'series { nodes { statistics { count } } }');
    expect(data).toBeNull();
    expect(errors).toEqual([invalidAt(['dataset', 'results'])]);
  });

  it('are missing in an asset whose rows are long, too', async () => {
    // A number beyond the range of doubles makes them so. It is of another metric.
    const rows = [
      row('2024-01-01', { m: 1, n: 2 }),
      row('2024-01-02', { m: 'NaN', n: '1e999' }),
      row('2024-01-03', { m: '-INFINITY' }),
    ];
    const bed = await startWith(
      `{"assets":[{"asset_id":"a","results":${JSON.stringify(rows).replace('"1e999"', '1e999')}}]}`,
    );
    const selection =
      'series { nodes { statistics(metrics: ["m"]) { count nullCount } periods(every: DAY, metrics: ["m"]) { metrics { counts } } } }';
    expect(await ask(bed, `statistics(metrics: ["m"]) { nullCount } ${selection}`)).toEqual({
      data: {
        statistics: [{ nullCount: 2 }],
        series: {
          nodes: [{ statistics: [{ count: 1, nullCount: 2 }], periods: { metrics: [{ counts: [1, 0, 0] }] } }],
        },
      },
      errors: undefined,
    });
  });

  it('leave their place in the latest row to the value of another row of its date', async () => {
    const rows = [
      row('2024-01-02', { m: 'NaN', n: null, o: 'nan', p: 1 }),
      row('2024-01-02T00:00:00Z', { m: 5, n: 'Infinity', o: null, p: 'NaN', q: '-Infinity' }),
      row('2024-01-02', { m: 6, n: 2, q: 7 }),
      row('2024-01-01', { o: 3 }),
    ];
    const bed = await startWith([rows]);
    const { data, errors } = await ask(
      bed,
      'series { nodes { latest { metrics { name value } o: value(metric: "o") } } }',
    );
    const metrics = Object.entries({ m: 5, n: 2, o: null, p: 1, q: 7 }).map(([name, value]) => ({ name, value }));
    expect(data).toEqual({ series: { nodes: [{ latest: { metrics, o: null } }] } });
    const at = (...path: (string | number)[]) =>
      invalidAt(['dataset', 'results', 'series', 'nodes', 0, 'latest', ...path]);
    expect(errors).toEqual([at('metrics', 2, 'value'), at('o')]);
  });

  it('say nothing where the last of repeated members is a number', async () => {
    const metrics = '[{"name":"m","value":"NaN","value":3},{"name":"n","value":4,"value":"nan"}]';
    const bed = await startWith(`{"assets":[{"asset_id":"a","results":[{"metrics":${metrics}}]}]}`);
    const { data, errors } = await ask(
      bed,
      'series { nodes { rows { m: value(metric: "m") n: value(metric: "n") } } }',
    );
    expect(data).toEqual({ series: { nodes: [{ rows: [{ m: 3, n: null }] }] } });
    expect(errors).toEqual([invalidAt(['dataset', 'results', 'series', 'nodes', 0, 'rows', 0, 'n'])]);
  });
});

describe('3.17 Values that are NaN, Infinity or -Infinity as text', () => {
  it('cost their neighbours nothing, and more errors than are allowed are counted', async () => {
    const values = Array.from({ length: 3000 }, (_, at) => (at % 5 < 2 ? 'NaN' : at));
    const bed = await startWith([days('2000-01-01', [1, 2]), days('2000-01-01', values), days('2000-01-01', [3])]);
    const { body } = await bed.query(
      `{ dataset(id: "${DATASET_ID}") { results { series { nodes { columns { metrics { values } } rows { value(metric: "m") } } } } } }`,
    );
    expect(bed.calls()).toEqual([postResults({})]);
    const shown = values.map((value) => (value === 'NaN' ? null : value));
    const nodeOf = (all: readonly unknown[]) => ({
      columns: { metrics: [{ values: all }] },
      rows: all.map((value) => ({ value })),
    });
    expect(body.data.dataset.results.series.nodes).toEqual([[1, 2], shown, [3]].map(nodeOf));
    expect(body.errors).toHaveLength(1001);
    expect(body.errors.at(-1).message).toMatch(/; 1400 more are omitted\.$/);
    expect(bed.subgraph.oddRows.count).toBe(1200);
  });
});
