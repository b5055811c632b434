import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';
import { ofDataset, respondWith, type Setup, start } from '../support/harness.ts';

/** Asks a service whose dates are this number. */
async function startAsking(setup: Setup) {
  const { query, simulator } = await start(setup);
  return async (int64: string) => {
    respondWith(simulator, { metadata: `{"start_date":${int64},"stop_date":${int64}}` });
    return (await query(ofDataset('startDate startDateTime stopDate stopDateTime'))).body;
  };
}

/*
 * Clause 3.18 of docs/contract.md in detail: numbers of the service.
 * An int64 is exact from -2^63 to 2^63-1. A fraction, an exponent, a string or a larger number instead of it is a wrong type.
 * Doubles keep the received value. A `DateTime` outside the years 0000 to 9999 is null with an error. Input: time-bounds.test.ts. The numbers
 * of each field are compared by rest/metadata-random.test.ts and test/oracle.
 */
describe('3.18 Numbers in responses', () => {
  it('an integer has as many bits as its field, and another value in its place is of a wrong type', async () => {
    const { query, simulator } = await start();
    const ask = async (int32: string, int64: string) => {
      respondWith(simulator, { metadata: `{"asset_count":${int32},"start_date":${int64}}` });
      return (await query(ofDataset('assetCount startDate'))).body;
    };
    for (const [int32, int64] of [
      ['2147483647', '9223372036854775807'],
      ['-2147483648', '-9223372036854775808'],
    ] as const)
      expect(await ask(int32, int64)).toEqual({ data: { dataset: { assetCount: Number(int32), startDate: int64 } } });
    const errors = ['assetCount', 'startDate'].map((name) => invalidAt(['dataset', name], 'getDatasetMetadata'));
    for (const [int32, int64] of [
      ['2147483648', '9223372036854775808'],
      ['-2147483649', '-9223372036854775809'],
      ['1.5', '1.0'],
    ] as const)
      expect(await ask(int32, int64)).toEqual({ data: { dataset: { assetCount: null, startDate: null } }, errors });
  });

  it.each([
    ['', 1, ['253402300800000', '-62167219200001', '9223372036854775807']],
    ['milliseconds', 1, ['253402300800000', '-62167219200001', '-9223372036854775808']],
    // The milliseconds of the last one, cut to 64 bits, would be a date of 1970.
    ['seconds', 1000, ['253402300800', '-62167219201', '1704067200000', '9223372036854775807', '18446744073709552']],
  ])('a DateTime is the date in RFC 3339, of the years 0000 to 9999: DATE_UNIT=%s', async (unit, factor, beyond) => {
    const ask = await startAsking(unit === '' ? {} : { env: { DATE_UNIT: unit } });
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
      expect(await ask(int64)).toEqual(both(int64, dateTime));
    }
    const errors = ['startDateTime', 'stopDateTime'].map((name) => invalidAt(['dataset', name], 'getDatasetMetadata'));
    for (const int64 of beyond) expect([int64, await ask(int64)]).toEqual([int64, { ...both(int64, null), errors }]);
  });
});
