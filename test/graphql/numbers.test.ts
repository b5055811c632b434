import { describe, expect, it } from 'vitest';
import { invalidAt } from '../support/expected-errors.ts';

import { ask, startWith } from './numbers.ts';

/*
 * Clause 3.18 of docs/contract.md in detail.
 * Numbers. An int64 is exact from -2^63 to 2^63-1. A fraction, an exponent, a string or a larger number instead of it
 * is a wrong type. Doubles keep the received value. `TimeBound` accepts a safe integer, a string of digits (with an
 * optional sign, up to int64, sent on exactly), RFC 3339 with an offset, also without seconds or the minutes of the offset,
 * or a date or a month: its start in UTC. It rejects impossible dates, and truncates digits below a millisecond. A leap
 * second is the start of the next minute. A `DateTime` outside the years 0000 to 9999 is null with an error.
 */
describe('3.18 int64 in responses', () => {
  const fields = 'startDate stopDate asset(assetId: "a") { version parent { version } series { version } }';
  const response = (number: string | null) => ({
    data: {
      dataset: {
        startDate: number,
        stopDate: number,
        asset: { version: number, parent: { version: number }, series: { version: number } },
      },
    },
  });

  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['7', '7'],
    ['-7', '-7'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740991', '-9007199254740991'],
    ['-9007199254740992', '-9007199254740992'],
    ['-9007199254740993', '-9007199254740993'],
    ['9223372036854775806', '9223372036854775806'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775807', '-9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ])('passes on %s as the string "%s"', async (sent, received) => {
    const { body } = await ask(await startWith({ int64: sent }), fields);
    expect(body).toEqual(response(received));
  });

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '99999999999999999999',
    '1e400',
    '1.5',
    '1.0',
    '-0.0',
    '1e3',
    '1E3',
    '1e0',
    '1000000e-3',
    '"1"',
    '"9223372036854775807"',
    'true',
    '[1]',
  ])('takes %s for a wrong type', async (sent) => {
    const { body } = await ask(await startWith({ int64: sent }), fields);
    expect(body).toEqual({
      ...response(null),
      errors: [
        invalidAt(['dataset', 'startDate'], 'getDatasetMetadata'),
        invalidAt(['dataset', 'stopDate'], 'getDatasetMetadata'),
        invalidAt(['dataset', 'asset', 'version']),
        invalidAt(['dataset', 'asset', 'parent', 'version']),
        invalidAt(['dataset', 'asset', 'series', 'version']),
      ],
    });
  });

  it.each(['01', '-01', '+1', '1.', '.5', '0x1', '1_000', 'NaN', 'Infinity', '1n', '-'])(
    'takes a response with %s for no JSON',
    async (sent) => {
      const { body } = await ask(await startWith({ int64: sent }), 'name results { sourceId }');
      expect(body).toEqual({
        data: { dataset: { name: null, results: null } },
        errors: [invalidAt(['dataset', 'name'], 'getDatasetMetadata'), invalidAt(['dataset', 'results'])],
      });
    },
  );
});

describe('3.18 int32', () => {
  it.each(['0', '-1', '2147483647', '-2147483648'])('passes on %s', async (int32) => {
    const { body } = await ask(await startWith({ int32 }), 'assetCount');
    expect(body).toEqual({ data: { dataset: { assetCount: Number(int32) } } });
  });

  it.each(['2147483648', '-2147483649', '9007199254740993', '1.5', '1e400', '"1"', 'true'])(
    'takes %s for a wrong type',
    async (int32) => {
      const { body } = await ask(await startWith({ int32 }), 'assetCount');
      const errors = [invalidAt(['dataset', 'assetCount'], 'getDatasetMetadata')];
      expect(body).toEqual({ data: { dataset: { assetCount: null } }, errors });
    },
  );
});

describe('3.18 Doubles', () => {
  const fields = `
    asset(assetId: "a") {
      surfaceAreaM2
      centroid { latitude longitude }
      series { rows { metrics { value } value(metric: "m") } columns { metrics { values } } }
    }
  `;
  const response = (number: number | null) => ({
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

  it.each([
    '0',
    '1',
    '1.0',
    '-1.5',
    '0.1',
    '0.30000000000000004',
    '-123456.78901234567',
    '1e3',
    '1E+3',
    '1e-7',
    '1e21',
    '5e-324',
    '-5e-324',
    '2.2250738585072014e-308',
    '1.7976931348623157e308',
    '-1.7976931348623157e308',
    '9007199254740993',
    '9223372036854775807',
    '123456789012345678901234567890',
    '0.1000000000000000055511151231257827',
    '1e-400',
  ])('passes on the value of %s', async (double) => {
    const { body } = await ask(await startWith({ double }), fields);
    expect(body).toEqual(response(Number(double)));
  });

  it('passes on -0 as a zero, whatever its sign', async () => {
    const { body } = await ask(await startWith({ double: '-0.0' }), 'asset(assetId: "a") { surfaceAreaM2 }');
    expect(Math.abs(body.data.dataset.asset.surfaceAreaM2)).toBe(0);
  });

  it.each(['1e400', '-1e400', '"1"', '"NaN"', 'true', '[1]'])('takes %s for a wrong type', async (double) => {
    const { body } = await ask(await startWith({ double }), fields);
    const series = ['series', 'rows', 0];
    expect(body).toEqual({
      ...response(null),
      errors: [
        ['surfaceAreaM2'],
        ['centroid', 'latitude'],
        [...series, 'metrics', 0, 'value'],
        [...series, 'value'],
        ['series', 'columns', 'metrics', 0, 'values', 0],
      ].map((path) => invalidAt(['dataset', 'asset', ...path])),
    });
  });
});
