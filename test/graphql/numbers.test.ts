import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';
import { ofDataset, respondWith, type Setup, start } from '../support/harness.ts';

/** Asks a service that has this number, written like this, in every int64, every double or every int32 field. */
async function startAsking(fields: string, setup: Setup = {}) {
  const { query, simulator } = await start(setup);
  return async ({ int64 = 'null', double = 'null', int32 = 'null' }) => {
    respondWith(simulator, {
      metadata: `{"asset_count":${int32},"start_date":${int64},"stop_date":${int64}}`,
      results: `{"assets":[{"asset_id":"a","asset_version":${int64},"parent_asset_name":"n","parent_asset_version":${int64},
        "asset_centroid_latitude":${double},"asset_centroid_longitude":${double},"asset_surface_area_m2":${double},
        "results":[{"metrics":[{"name":"m","value":${double}}]}]}]}`,
    });
    return (await query(ofDataset(fields))).body;
  };
}

/*
 * Clause 3.18 of docs/contract.md in detail: numbers of the service.
 * An int64 is exact from -2^63 to 2^63-1. A fraction, an exponent, a string or a larger number instead of it is a wrong type.
 * Doubles keep the received value. A `DateTime` outside the years 0000 to 9999 is null with an error. Input: time-bounds.test.ts.
 */
describe('3.18 Numbers in responses', () => {
  const int64Fields = 'startDate stopDate asset(assetId: "a") { version parent { version } series { version } }';
  const int64s = (number: string | null) => ({
    data: {
      dataset: {
        startDate: number,
        stopDate: number,
        asset: { version: number, parent: { version: number }, series: { version: number } },
      },
    },
  });

  it('an int64 is a string of its digits', async () => {
    const ask = await startAsking(int64Fields);
    expect(await ask({ int64: '-0' })).toEqual(int64s('0'));
    for (const sign of ['', '-'])
      for (const digits of ['7', '9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775807'])
        expect(await ask({ int64: sign + digits })).toEqual(int64s(sign + digits));
    expect(await ask({ int64: '-9223372036854775808' })).toEqual(int64s('-9223372036854775808'));
  });

  it('another value in its place is of a wrong type', async () => {
    const ask = await startAsking(int64Fields);
    const beyond = ['9223372036854775808', '-9223372036854775809', '99999999999999999999', '1e400'];
    for (const int64 of [...beyond, '1.5', '1.0', '-0.0', '1e3', '1E3', '1000000e-3', '"1"', 'true', '[1]'])
      expect([int64, await ask({ int64 })]).toEqual([
        int64,
        {
          ...int64s(null),
          errors: [
            ...['startDate', 'stopDate'].map((name) => invalidAt(['dataset', name], 'getDatasetMetadata')),
            ...[['version'], ['parent', 'version'], ['series', 'version']].map((path) =>
              invalidAt(['dataset', 'asset', ...path]),
            ),
          ],
        },
      ]);
  });

  it('an int32 is a number', async () => {
    const ask = await startAsking('assetCount');
    for (const int32 of ['0', '-1', '2147483647', '-2147483648'])
      expect(await ask({ int32 })).toEqual({ data: { dataset: { assetCount: Number(int32) } } });
    for (const int32 of ['2147483648', '-2147483649', '9007199254740993', '1.5', '1e400', '"1"', 'true'])
      expect([int32, await ask({ int32 })]).toEqual([
        int32,
        {
          data: { dataset: { assetCount: null } },
          errors: [invalidAt(['dataset', 'assetCount'], 'getDatasetMetadata')],
        },
      ]);
  });

  const doubleFields = `asset(assetId: "a") {
    surfaceAreaM2 centroid { latitude longitude }
    series { rows { metrics { value } value(metric: "m") } columns { metrics { values } } }
  }`;
  const doubles = (number: number | null) => ({
    data: {
      dataset: {
        asset: {
          surfaceAreaM2: number,
          centroid: number === null ? null : { latitude: number, longitude: number },
          series: {
            rows: [{ metrics: [{ value: number }], value: number }],
            columns: { metrics: [{ values: [number] }] },
          },
        },
      },
    },
  });

  it('a double has the received value', async () => {
    const ask = await startAsking(doubleFields);
    const small = [
      '0',
      '-1.5',
      '1.0',
      '0.30000000000000004',
      '-123456.78901234567',
      '0.1000000000000000055511151231257827',
    ];
    const far = ['1E+3', '1e-7', '5e-324', '2.2250738585072014e-308', '-1.7976931348623157e308', '1e-400'];
    for (const double of [...small, ...far, '9007199254740993', '123456789012345678901234567890'])
      expect([double, await ask({ double })]).toEqual([double, doubles(Number(double))]);
    expect(Math.abs((await ask({ double: '-0.0' })).data.dataset.asset.surfaceAreaM2)).toBe(0);
  });

  it('what is no double is of a wrong type', async () => {
    const ask = await startAsking(doubleFields);
    const row = ['series', 'rows', 0];
    const paths = [
      ['surfaceAreaM2'],
      ['centroid', 'latitude'],
      [...row, 'metrics', 0, 'value'],
      [...row, 'value'],
      ['series', 'columns', 'metrics', 0, 'values', 0],
    ];
    for (const double of ['1e400', '-1e400', '"1"', '"NaN"', 'true', '[1]'])
      expect([double, await ask({ double })]).toEqual([
        double,
        { ...doubles(null), errors: paths.map((path) => invalidAt(['dataset', 'asset', ...path])) },
      ]);
  });

  it.each([
    ['', 1, ['253402300800000', '-62167219200001', '9223372036854775807']],
    ['milliseconds', 1, ['253402300800000', '-62167219200001', '-9223372036854775808']],
    // The milliseconds of the last one, cut to 64 bits, would be a date of 1970.
    ['seconds', 1000, ['253402300800', '-62167219201', '1704067200000', '9223372036854775807', '18446744073709552']],
  ])('a DateTime is the date in RFC 3339, of the years 0000 to 9999: DATE_UNIT=%s', async (unit, factor, beyond) => {
    const fields = 'startDate startDateTime stopDate stopDateTime';
    const ask = await startAsking(fields, unit === '' ? {} : { env: { DATE_UNIT: unit } });
    const both = (int64: string, dateTime: string | null) => ({
      data: { dataset: { startDate: int64, startDateTime: dateTime, stopDate: int64, stopDateTime: dateTime } },
    });
    for (const dateTime of [
      '1970-01-01T00:00:00.000Z',
      '2024-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.000Z',
      '0000-01-01T00:00:00.000Z',
      factor === 1 ? '9999-12-31T23:59:59.999Z' : '9999-12-31T23:59:59.000Z',
    ]) {
      const int64 = String(Date.parse(dateTime) / factor);
      expect(await ask({ int64 })).toEqual(both(int64, dateTime));
    }
    const errors = ['startDateTime', 'stopDateTime'].map((name) => invalidAt(['dataset', name], 'getDatasetMetadata'));
    for (const int64 of beyond)
      expect([int64, await ask({ int64 })]).toEqual([int64, { ...both(int64, null), errors }]);
  });
});
