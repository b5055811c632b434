import { describe, expect, it } from 'vitest';
import { ask, days, invalid, paths, refused, row, startWith } from '../support/aggregates.ts';

const ALL = '{ valueDates metrics { name counts means mins maxs quantiles { quantile values } } }';

/*
 * Clause 3.45 of docs/contract.md in detail: bands.
 * - A date is one point in time, with the text that was received first. Rows without a date are left out.
 * - If one date cannot be read, all are in the order of their texts.
 * - A quantile is exact: linear between ranks, type 7. Those of the argument are in its order, also repeated ones.
 */
describe.each(paths)('3.45 Bands, with RESULTS_FAST_PATH=%s', (fastPath) => {
  it('are of all assets by date, in one call', async () => {
    const bed = await startWith(fastPath, [
      [row('2024-01-02', { m: 4 }), row('2024-01-01T00:00:00Z', { m: 1, n: 7 })],
      null,
      [],
      [row('2024-01-01', { m: 3 }), row('2024-01-02', { m: 2 }), row(null, { m: 99 }), row('2024-01-03', { n: null })],
      [row('2024-01-01T01:00:00+01:00', { m: 8 })],
    ]);
    expect(await ask(bed, `bands ${ALL}`)).toEqual({
      data: {
        bands: {
          valueDates: ['2024-01-01T00:00:00Z', '2024-01-02', '2024-01-03'],
          metrics: [
            {
              name: 'm',
              counts: [3, 2, 0],
              means: [4, 3, null],
              mins: [1, 2, null],
              maxs: [8, 4, null],
              quantiles: [
                { quantile: 0.1, values: [1.4, 2.2, null] },
                { quantile: 0.5, values: [3, 3, null] },
                { quantile: 0.9, values: [7, 3.8, null] },
              ],
            },
            {
              name: 'n',
              counts: [1, 0, 0],
              means: [7, null, null],
              mins: [7, null, null],
              maxs: [7, null, null],
              quantiles: [0.1, 0.5, 0.9].map((quantile) => ({ quantile, values: [7, null, null] })),
            },
          ],
        },
      },
      errors: undefined,
    });
    const chosen =
      'bands(metrics: $names, quantiles: []) { valueDates metrics { name counts quantiles { quantile } } }';
    expect((await ask(bed, chosen, { names: ['x', 'n', 'x'] })).data).toMatchObject({
      bands: {
        metrics: [
          { name: 'x', counts: [0, 0, 0], quantiles: [] },
          { name: 'n', counts: [1, 0, 0] },
        ],
      },
    });
    expect((await ask(bed, chosen, { names: [] })).data).toMatchObject({ bands: { metrics: [] } });
  });

  it('are empty without rows', async () => {
    for (const results of [[], [null], [[]]]) {
      expect(await ask(await startWith(fastPath, results), `bands ${ALL}`)).toEqual({
        data: { bands: { valueDates: [], metrics: [] } },
        errors: undefined,
      });
    }
  });

  it.each([
    [
      [0, 1],
      [1, 4],
    ],
    [
      [0.5, 0.5],
      [2.5, 2.5],
    ],
    [
      [1, 0.25, 0],
      [4, 1.75, 1],
    ],
    [[1 / 3], [2]],
    [[0.999_999], [3.999_997]],
  ])('have the quantiles %j', async (quantiles, values) => {
    const bed = await startWith(
      fastPath,
      [4, 2, 3, 1].map((m) => [row('2024-01-01', { m })]),
    );
    const { data } = await ask(bed, 'bands(quantiles: $quantiles) { metrics { quantiles { quantile values } } }', {
      quantiles,
    });
    const expected = quantiles.map((quantile, index) => ({
      quantile,
      values: [expect.closeTo(values[index] as number, 12)],
    }));
    expect(data).toEqual({ bands: { metrics: [{ quantiles: expected }] } });
  });

  it.each([
    [[-0.001], 'A quantile must be a number from 0 to 1.', 'BAD_USER_INPUT'],
    [[0.5, 1.001], 'A quantile must be a number from 0 to 1.', 'BAD_USER_INPUT'],
    [Array(21).fill(0.5), 'A list of quantiles must have at most 20 entries.', 'REQUEST_LIMIT_EXCEEDED'],
  ])('refuse the quantiles %j', async (quantiles, message, code) => {
    const bed = await startWith(fastPath, [days('2024-01-01', [1])]);
    const document = 'bands(quantiles: $quantiles) { metrics { quantiles { values } } }';
    expect(await ask(bed, document, { quantiles })).toEqual({
      data: { bands: null },
      errors: [refused('bands', message, code)],
    });
    expect((await ask(bed, document, { quantiles: Array(20).fill(0.5) })).errors).toBeUndefined();
  });

  it('have extreme numbers, and no -0', async () => {
    const max = Number.MAX_VALUE;
    const bed = await startWith(
      fastPath,
      [
        [max, -0, max],
        [-max, 0, max],
      ].map((values) => days('2024-01-01', values)),
    );
    expect(
      (await ask(bed, 'bands(quantiles: [0.25]) { metrics { means mins maxs quantiles { values } } }')).data,
    ).toEqual({
      bands: {
        metrics: [
          {
            means: [0, 0, max],
            mins: [-max, 0, max],
            maxs: [max, 0, max],
            quantiles: [{ values: [-8.988465674311578e307, 0, max] }],
          },
        ],
      },
    });
  });

  it('take nanoseconds for different points in time, and less for the same', async () => {
    const times = ['.1234569', '.123456', '.123457', '.1234560001', '.1', '.1234560009', '.123456001'];
    const bed = await startWith(fastPath, [times.map((part, m) => row(`2024-01-01T00:00:00${part}Z`, { m }))]);
    const { data } = await ask(bed, 'bands { valueDates metrics { counts } }');
    const valueDates = ['.1', '.123456', '.123456001', '.1234569', '.123457'].map(
      (part) => `2024-01-01T00:00:00${part}Z`,
    );
    expect(data).toEqual({ bands: { valueDates, metrics: [{ counts: [1, 3, 1, 1, 1] }] } });
  });

  it('tell nanoseconds of one series from those of the next, in a form that is as long as the usual one', async () => {
    const dates = ['20240101T000000.0002', '20240101T000000.0001', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00z'];
    const bed = await startWith(
      fastPath,
      [1, 2].map((m) => dates.map((date) => row(date, { m }))),
    );
    expect((await ask(bed, 'bands { valueDates metrics { counts } }')).data).toEqual({
      bands: { valueDates: [dates[2], dates[1], dates[0]], metrics: [{ counts: [4, 2, 2] }] },
    });
  });

  it.each([16_384, 16_385, 20_000, 40_001])('are exact of %d values of one date', async (count) => {
    const values = Array.from({ length: count }, (_, index) => (index * 7919) % count);
    const bed = await startWith(fastPath, [values.map((m) => row('2024-01-01', { m }))]);
    const quantiles = Array.from({ length: 20 }, (_, index) => index / 19);
    const { data } = await ask(bed, 'bands(quantiles: $quantiles) { metrics { quantiles { values } } }', { quantiles });
    const expected = quantiles.map((quantile) => ({ values: [expect.closeTo(quantile * (count - 1), 8)] }));
    expect(data).toEqual({ bands: { metrics: [{ quantiles: expected }] } });
  });

  it('are exact where the lowest value comes second', async () => {
    const values = Array.from({ length: 31 }, (_, index) => (index === 1 ? -1 : (index * 7) % 31));
    const bed = await startWith(
      fastPath,
      values.map((m) => [row('2024-01-01', { m })]),
    );
    const quantiles = Array.from({ length: 16 }, (_, index) => index / 15);
    const { data } = await ask(bed, 'bands(quantiles: $quantiles) { metrics { quantiles { values } } }', { quantiles });
    const ranks = values.toSorted((one, other) => one - other).filter((_, rank) => rank % 2 === 0);
    expect(data).toEqual({
      bands: { metrics: [{ quantiles: ranks.map((value) => ({ values: [expect.closeTo(value, 9)] })) }] },
    });
  });

  it('are in the order of their texts where one is no point in time', async () => {
    const dates = ['x', '2024-01-02', 'Ä', '2024-01-01T00:00:00Z', '', '2024-01-02T00:00:00Z', 'x'];
    const bed = await startWith(fastPath, [dates.map((date, m) => row(date, { m }))]);
    expect((await ask(bed, 'bands { valueDates metrics { counts mins } }')).data).toEqual({
      bands: {
        valueDates: ['', '2024-01-01T00:00:00Z', '2024-01-02', 'x', 'Ä'],
        metrics: [{ counts: [1, 1, 2, 2, 1], mins: [4, 3, 1, 0, 2] }],
      },
    });
  });

  it.each([
    ['has a value of a wrong type', row('2024-01-03', { m: 'secret' })],
    ['has a date of a wrong type', row([], { m: 1 })],
    ['has a list of metrics of a wrong type', { value_date: '2024-01-03', metrics: 7 }],
  ])('are null where a row %s', async (problem, odd) => {
    const good = days('2024-01-01', [1]);
    const bed = await startWith(fastPath, [good, null, [...good, odd], good]);
    expect(await ask(bed, 'bands { valueDates } seriesCount')).toEqual({
      data: { bands: null, seriesCount: 4 },
      errors: [invalid('bands', `row 1 of series 2 ${problem}`)],
    });
  });

  it('are null where the results of an asset have a wrong type', async () => {
    const bed = await startWith(fastPath, '{"assets":[{"asset_id":"a","results":[]},{"asset_id":"b","results":{}}]}');
    for (const field of ['bands { valueDates }', 'statistics { name }']) {
      const { data, errors } = await ask(bed, `found: ${field}`);
      expect([data, errors]).toMatchObject([{ found: null }, [{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]]);
    }
  });
});

describe.each(paths)('3.45 Limits of bands, with RESULTS_FAST_PATH=%s', (fastPath) => {
  const message =
    'Bands have at most 10,000 metrics, 20,000 dates, 100,000 with those of all metrics, and 5,000,000 values. Select a shorter time range or fewer metrics.';
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
    const bed = await startWith(fastPath, body(rows, metrics));
    const { data, errors } = await ask(bed, 'bands(quantiles: []) { valueDates metrics { counts } }');
    const { bands } = data as { bands: { valueDates: string[]; metrics: unknown[] } | null };
    expect([bands?.valueDates.length, bands?.metrics.length]).toEqual(
      isRefused ? [undefined, undefined] : [rows, metrics],
    );
    expect(errors).toEqual(isRefused ? [refused('bands', message)] : undefined);
  });
});
