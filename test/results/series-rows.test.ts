import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareField, timeLimit } from '../oracle/field.ts';
import { errorAt } from '../support/expected-errors.ts';
import { ofDataset, respondWith, start, type TestBed } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many random bodies are tried. */
const CASES = randomCases(60);

describe('3.15 Slices of rows', () => {
  const days = ['2024-01-01', '2024-01-02', '2024-01-03'];

  function rows({ query }: TestBed, args: string) {
    return query(ofDataset(`asset(assetId: "a") { series { rows${args} { valueDate } } }`));
  }

  it('gives the rows that are asked for', async () => {
    const bed = await start();
    for (const [args, expected] of [
      ['', days],
      ['(first: null)', days],
      ['(first: 4)', days],
      ['(first: 2)', days.slice(0, 2)],
      ['(first: 0)', []],
      ['(offset: 1)', days.slice(1)],
      ['(offset: 1, first: 1)', days.slice(1, 2)],
      ['(offset: 3)', []],
      ['(offset: 2147483647, first: 2147483647)', []],
    ] as const) {
      const series = { rows: expected.map((valueDate) => ({ valueDate })) };
      expect((await rows(bed, args)).body).toEqual({ data: { dataset: { asset: { series } } } });
    }
  });

  it.each(['(first: -1)', '(offset: -1)', '(first: 1, offset: -2147483648)'])(
    'refuses a negative count: rows%s',
    async (args) => {
      const { body } = await rows(await start(), args);
      expect(body).toEqual({
        data: { dataset: { asset: { series: { rows: null } } } },
        errors: [errorAt(['dataset', 'asset', 'series', 'rows'], 'BAD_USER_INPUT')],
      });
    },
  );

  it('has errors at their paths in every slice', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
    const { codes } = await compareField({
      cases: CASES,
      bodies: { odd: 2, rows: fc.nat(9) },
      // More names than an argument may have are an error of each row. A value of another type is one of its own.
      args: ({ dice }) => ({
        first: dice.below(10),
        offset: dice.below(10),
        names: Array(dice.oneIn(2) ? 1001 : 1).fill('m'),
      }),
      field: `dataset(id: $id) { results { series { nodes {
        rows(first: $first, offset: $offset) { valueDate metrics(metrics: $names) { name } value(metric: "m") }
      } } } }`,
    });
    if (CASES > 20) expect(codes.REQUEST_LIMIT_EXCEEDED).toBeGreaterThan(0);
  });
});

/*
 * Clause 3.16 of docs/contract.md in detail.
 * Columns are the same `rows` in the same order. Every column has `rowCount` entries, null where a row lacks the
 * metric. If a row repeats a metric, the first counts. Columns come in the requested order; repeated names come once,
 * and unknown names are columns of nulls. Without `metrics`, the order is that of `metricNames`.
 */
describe('3.16 Columns and metrics', () => {
  const metric = (name: string | null | undefined, value?: number | null) => ({ name, value });
  /** Not in the order of their dates; metrics repeated, missing, without a name and without a value. */
  const rows = [
    { value_date: 'd3', metrics: [metric('m', 1), metric('t', 2), metric('m', 9)] },
    { value_date: 'd1', metrics: [metric('t', 3)] },
    { metrics: [] },
    { value_date: 'd1' },
    { value_date: null, metrics: [metric('m', null), metric('m', 7), metric(undefined, 5), metric(null, 6)] },
    { value_date: 'd2', metrics: [metric('__proto__', 4), metric('', 8), metric('m', 0)] },
  ];
  const valueDates = ['d3', 'd1', null, 'd1', null, 'd2'];
  const column = {
    m: { name: 'm', values: [1, null, null, null, null, 0] },
    t: { name: 't', values: [2, 3, null, null, null, null] },
    proto: { name: '__proto__', values: [null, null, null, null, null, 4] },
    empty: { name: '', values: [null, null, null, null, null, 8] },
    unknown: { name: 'nope', values: Array(6).fill(null) },
  };

  async function series(fields: string, results: unknown = rows) {
    const bed = await start();
    respondWith(bed.simulator, { results: { assets: [{ asset_id: 'a', results }] } });
    const { body } = await bed.query(ofDataset(`asset(assetId: "a") { series { ${fields} } }`));
    return body;
  }

  const response = (fields: object) => ({ data: { dataset: { asset: { series: fields } } } });

  it('has the rows and the order of the results, and names metrics in the order of their first appearance', async () => {
    expect(await series('metricNames rowCount rows { valueDate } columns { rowCount valueDates }')).toEqual(
      response({
        metricNames: ['m', 't', '__proto__', ''],
        rowCount: 6,
        rows: valueDates.map((valueDate) => ({ valueDate })),
        columns: { rowCount: 6, valueDates },
      }),
    );
  });

  it.each([
    ['', [column.m, column.t, column.proto, column.empty]],
    ['(metrics: null)', [column.m, column.t, column.proto, column.empty]],
    ['(metrics: [])', []],
    ['(metrics: ["t", "nope", "t", "m", "t"])', [column.t, column.unknown, column.m]],
    ['(metrics: ["", "__proto__"])', [column.empty, column.proto]],
  ])('has a value for every row in every column: columns%s', async (args, metrics) => {
    expect(await series(`columns${args} { rowCount metrics { name values } }`)).toEqual(
      response({ columns: { rowCount: 6, metrics } }),
    );
  });

  const m1 = { name: 'm', value: 1 };
  const m9 = { name: 'm', value: 9 };
  const t2 = { name: 't', value: 2 };

  it.each([
    ['', [m1, t2, m9]],
    ['(metrics: null)', [m1, t2, m9]],
    ['(metrics: [])', []],
    ['(metrics: ["m"])', [m1, m9]],
    ['(metrics: ["t", "m", "t"])', [m1, t2, m9]],
    ['(metrics: ["nope", "t"])', [t2]],
  ])('filters the metrics of a row: metrics%s', async (args, metrics) => {
    expect(await series(`rows(first: 1) { metrics${args} { name value } }`)).toEqual(response({ rows: [{ metrics }] }));
  });

  it('picks one number of each row: the first of that name, also where it has no value', async () => {
    const fields = 'm: value(metric: "m") t: value(metric: "t") nope: value(metric: "nope") empty: value(metric: "")';
    const values = (m: number | null, t: number | null, empty: number | null = null) => ({ m, t, nope: null, empty });
    expect(await series(`rows { ${fields} }`)).toEqual(
      response({
        rows: [
          values(1, 2),
          values(null, 3),
          values(null, null),
          values(null, null),
          values(null, null),
          values(0, null, 8),
        ],
      }),
    );
  });
});
