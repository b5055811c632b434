import { describe, expect, it } from 'vitest';
import { ask, days, invalid, LISTS, refused, row, startWith } from '../support/aggregates.ts';

const ALL = `{ dates metrics { ${LISTS} quantiles(of: [0.1, 0.5, 0.9]) } }`;

/*
 * Clause 3.45 of docs/contract.md in detail: values by date.
 * - A date is one point in time, with the text that was received first. Rows without a date are left out.
 * - If one date cannot be read, all are in the order of their texts.
 */
describe('3.45 Values by date', () => {
  it('are of all assets by date, in one call', async () => {
    const bed = await startWith([
      [row('2024-01-02', { m: 4 }), row('2024-01-01T00:00:00Z', { m: 1, n: 7 })],
      null,
      [],
      [row('2024-01-01', { m: 3 }), row('2024-01-02', { m: 2 }), row(null, { m: 99 }), row('2024-01-03', { n: null })],
      [row('2024-01-01T01:00:00+01:00', { m: 8 })],
    ]);
    expect(await ask(bed, `byDate ${ALL}`)).toEqual({
      data: {
        byDate: {
          dates: ['2024-01-01T00:00:00Z', '2024-01-02', '2024-01-03'],
          metrics: [
            {
              name: 'm',
              counts: [3, 2, 0],
              sums: [12, 6, null],
              means: [4, 3, null],
              minimums: [1, 2, null],
              maximums: [8, 4, null],
              standardDeviations: [expect.closeTo(Math.sqrt(26 / 3), 14), 1, null],
              quantiles: [
                [1.4, 2.2, null],
                [3, 3, null],
                [7, 3.8, null],
              ],
            },
            {
              name: 'n',
              counts: [1, 0, 0],
              sums: [7, null, null],
              means: [7, null, null],
              minimums: [7, null, null],
              maximums: [7, null, null],
              standardDeviations: [0, null, null],
              quantiles: Array(3).fill([7, null, null]),
            },
          ],
        },
      },
      errors: undefined,
    });
    const chosen = 'byDate(metrics: $names) { metrics { name counts } }';
    expect((await ask(bed, chosen, { names: ['x', 'n', 'x'] })).data).toEqual({
      byDate: {
        metrics: [
          { name: 'x', counts: [0, 0, 0] },
          { name: 'n', counts: [1, 0, 0] },
        ],
      },
    });
    expect((await ask(bed, chosen, { names: [] })).data).toEqual({ byDate: { metrics: [] } });
  });

  it('are empty without rows', async () => {
    for (const results of [[], [null], [[]]]) {
      expect(await ask(await startWith(results), `byDate ${ALL}`)).toEqual({
        data: { byDate: { dates: [], metrics: [] } },
        errors: undefined,
      });
    }
  });

  it('have extreme numbers, and no -0', async () => {
    const max = Number.MAX_VALUE;
    const bed = await startWith(
      [
        [max, -0, max],
        [-max, 0, max],
      ].map((values) => days('2024-01-01', values)),
    );
    expect((await ask(bed, `byDate { metrics { ${LISTS} quantiles(of: 0.25) } }`)).data).toEqual({
      byDate: {
        metrics: [
          {
            name: 'm',
            counts: [2, 2, 2],
            sums: [0, 0, null],
            means: [0, 0, max],
            minimums: [-max, 0, max],
            maximums: [max, 0, max],
            standardDeviations: [max, 0, 0],
            quantiles: [[-8.988465674311578e307, 0, max]],
          },
        ],
      },
    });
  });

  it('take nanoseconds for different points in time, and less for the same', async () => {
    const times = ['.1234569', '.123456', '.123457', '.1234560001', '.1', '.1234560009', '.123456001'];
    const bed = await startWith([times.map((part, m) => row(`2024-01-01T00:00:00${part}Z`, { m }))]);
    const { data } = await ask(bed, 'byDate { dates metrics { counts } }');
    const dates = ['.1', '.123456', '.123456001', '.1234569', '.123457'].map((part) => `2024-01-01T00:00:00${part}Z`);
    expect(data).toEqual({ byDate: { dates, metrics: [{ counts: [1, 3, 1, 1, 1] }] } });
  });

  it('tell nanoseconds of one series from those of the next, in a form that is as long as the usual one', async () => {
    const dates = ['20240101T000000.0002', '20240101T000000.0001', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00z'];
    const bed = await startWith([1, 2].map((m) => dates.map((date) => row(date, { m }))));
    expect((await ask(bed, 'byDate { dates metrics { counts } }')).data).toEqual({
      byDate: { dates: [dates[2], dates[1], dates[0]], metrics: [{ counts: [4, 2, 2] }] },
    });
  });

  it('are in the order of their texts where one is no point in time', async () => {
    const dates = ['x', '2024-01-02', 'Ä', '2024-01-01T00:00:00Z', '', '2024-01-02T00:00:00Z', 'x'];
    const bed = await startWith([dates.map((date, m) => row(date, { m }))]);
    expect((await ask(bed, 'byDate { dates metrics { counts minimums } }')).data).toEqual({
      byDate: {
        dates: ['', '2024-01-01T00:00:00Z', '2024-01-02', 'x', 'Ä'],
        metrics: [{ counts: [1, 1, 2, 2, 1], minimums: [4, 3, 1, 0, 2] }],
      },
    });
  });

  it.each([
    ['has a value of a wrong type', row('2024-01-03', { m: 'secret' })],
    ['has a date of a wrong type', row([], { m: 1 })],
    ['has a list of metrics of a wrong type', { value_date: '2024-01-03', metrics: 7 }],
  ])('are null where a row %s', async (problem, odd) => {
    const good = days('2024-01-01', [1]);
    const bed = await startWith([good, null, [...good, odd], good]);
    expect(await ask(bed, 'byDate { dates } series { totalCount }')).toEqual({
      data: { byDate: null, series: { totalCount: 4 } },
      errors: [invalid('byDate', `row 1 of series 2 ${problem}`)],
    });
  });

  it('are null where the results of an asset have a wrong type', async () => {
    const bed = await startWith('{"assets":[{"asset_id":"a","results":[]},{"asset_id":"b","results":{}}]}');
    for (const field of ['byDate { dates }', 'statistics { name }']) {
      const { data, errors } = await ask(bed, `found: ${field}`);
      expect([data, errors]).toMatchObject([{ found: null }, [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]]);
    }
  });
});

describe('3.45 Limits of values by date', () => {
  const message =
    'Results by date have at most 10,000 metrics, 20,000 dates, and 100,000 with those of all metrics. Select a shorter time range or fewer metrics.';
  const metric = (name: string) => `{"name":"${name}","value":1}`;
  const body = (rows: number, metrics: number) => {
    const list = Array.from({ length: metrics }, (_, index) => metric(`m${index}`)).join();
    // In two assets of different dates.
    const half = (first: number) =>
      `{"asset_id":"a${first}","results":[${Array.from({ length: rows / 2 }, (_, at) => `{"value_date":"d${first + at}","metrics":[${list}]}`)}]}`;
    return `{"assets":[${half(0)},${half(rows / 2)}]}`;
  };

  it.each([
    ['20,000 dates', 20_000, 1, false],
    ['20,002 dates', 20_002, 1, true],
    ['20,002 dates of no metric', 20_002, 0, true],
    ['100,000 entries', 2000, 50, false],
    ['100,100 entries', 2002, 50, true],
    ['10,000 metrics', 2, 10_000, false],
    ['10,001 metrics', 2, 10_001, true],
  ])('%s', async (_title, rows, metrics, isRefused) => {
    const bed = await startWith(body(rows, metrics));
    const { data, errors } = await ask(bed, 'byDate { dates metrics { counts } }');
    const { byDate } = data as { byDate: { dates: string[]; metrics: unknown[] } | null };
    expect([byDate?.dates.length, byDate?.metrics.length]).toEqual(
      isRefused ? [undefined, undefined] : [rows, metrics],
    );
    expect(errors).toEqual(isRefused ? [refused('byDate', message)] : undefined);
  });
});
