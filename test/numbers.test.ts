import { describe, expect, it } from 'vitest';
import { DATASET_ID, errorAt, invalidAt, ofDataset, respondWith, start, type TestBed } from './harness.ts';

/** Answers with this number, written like this, in every int64 and every double field. */
async function startWith({ int64 = 'null', double = 'null', int32 = 'null' }): Promise<TestBed> {
  const bed = await start();
  respondWith(bed.simulator, {
    metadata: `{"asset_count":${int32},"start_date":${int64},"stop_date":${int64}}`,
    results: `{"assets":[{"asset_id":"a","asset_version":${int64},"parent_asset_name":"n","parent_asset_version":${int64},
      "asset_centroid_latitude":${double},"asset_centroid_longitude":${double},"asset_surface_area_m2":${double},
      "results":[{"metrics":[{"name":"m","value":${double}}]}]}]}`,
  });
  return bed;
}

const ask = ({ query }: TestBed, fields: string) => query(ofDataset(fields));

describe('3.18 int64 in answers', () => {
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
    'takes an answer with %s for no JSON',
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
      series { results { metrics { value } value(metric: "m") } columns { metrics { values } } }
    }
  `;
  const response = (number: number | null) => ({
    data: {
      dataset: {
        asset: {
          surfaceAreaM2: number,
          centroid: number === null ? null : { latitude: number, longitude: number },
          series: {
            results: [{ metrics: [{ value: number }], value: number }],
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
    const series = ['series', 'results', 0];
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

describe('3.18 EpochMillis', () => {
  const asVariable = `query ($bound: EpochMillis) {
    dataset(id: "${DATASET_ID}") { results(filter: { timeRange: { start: $bound } }) { processingId } }
  }`;
  const inVariable = `query ($filter: ResultsFilterInput) {
    dataset(id: "${DATASET_ID}") { results(filter: $filter) { processingId } }
  }`;
  const asLiteral = (literal: string) =>
    ofDataset(`results(filter: { timeRange: { stop: ${literal} } }) { processingId }`);

  const bodiesOf = ({ simulator }: TestBed) => simulator.requests.map(({ body }) => body);

  /** Gives a bound as a variable, within a variable, and in the document, and expects what is sent. */
  async function expectSent(value: string | number, literal: string, milliseconds: string): Promise<void> {
    const bed = await start();
    const responses = [
      await bed.query(asVariable, { variables: { bound: value } }),
      await bed.query(inVariable, { variables: { filter: { timeRange: { stop: value } } } }),
      await bed.query(asLiteral(literal)),
    ];
    for (const { status, body } of responses) {
      expect({ status, body }).toEqual({
        status: 200,
        body: { data: { dataset: { results: { processingId: 'p-1' } } } },
      });
    }
    const [asStart, asStop] = ['start_date', 'stop_date'].map((bound) => `{"time_range":{"${bound}":${milliseconds}}}`);
    expect(bodiesOf(bed)).toEqual([asStart, asStop, asStop]);
  }

  async function expectRefusedVariable(value: unknown): Promise<void> {
    const bed = await start();
    for (const [document, variables] of [
      [asVariable, { bound: value }],
      [inVariable, { filter: { timeRange: { start: value } } }],
    ] as const) {
      const { status, headers, body } = await bed.query(document, { variables });
      expect({ status, body }).toEqual({ status: 200, body: { errors: [errorAt(undefined, 'BAD_USER_INPUT')] } });
      expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
    }
    expect(bed.calls()).toEqual([]);
  }

  async function expectRefusedLiteral(literal: string): Promise<void> {
    const bed = await start();
    const { status, body } = await bed.query(asLiteral(literal));
    const error = expect.objectContaining({ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });
    expect({ status, body }).toEqual({ status: 400, body: { errors: [error] } });
    expect(bed.calls()).toEqual([]);
  }

  it.each([0, 1, -1, 1_325_376_000_000, 2 ** 53 - 1, 1 - 2 ** 53])('takes the safe integer %i', (number) =>
    expectSent(number, String(number), String(number)),
  );

  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['+0', '0'],
    ['5', '5'],
    ['+5', '5'],
    ['-5', '-5'],
    ['007', '7'],
    ['-007', '-7'],
    ['+00000000000000000000000000007', '7'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['+9223372036854775807', '9223372036854775807'],
    ['009223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
  ])('sends on the digits "%s" exactly', (text, sent) => expectSent(text, JSON.stringify(text), sent));

  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2012-01-01T00:00:00Z', 1_325_376_000_000],
    ['2012-01-01t00:00:00z', 1_325_376_000_000],
    ['2012-01-01T00:00:00+00:00', 1_325_376_000_000],
    ['2012-01-01T00:00:00-00:00', 1_325_376_000_000],
    ['2012-01-01T00:00:00+01:00', 1_325_372_400_000],
    ['2012-01-01T00:00:00-05:30', 1_325_395_800_000],
    ['2012-01-01T00:00:00+23:59', 1_325_289_660_000],
    ['2012-01-01T23:59:59Z', 1_325_462_399_000],
    ['2012-01-01T00:00:00.1Z', 1_325_376_000_100],
    ['2012-01-01T00:00:00.12Z', 1_325_376_000_120],
    ['2012-01-01T00:00:00.123Z', 1_325_376_000_123],
    ['2012-01-01T00:00:00.1239Z', 1_325_376_000_123],
    ['2012-01-01T00:00:00.00099Z', 1_325_376_000_000],
    ['2012-01-01T00:00:00.999999Z', 1_325_376_000_999],
    ['2012-01-01T00:00:00.9999999Z', 1_325_376_000_999],
    ['2012-01-01T00:00:00.99999999Z', 1_325_376_000_999],
    ['2012-01-01T00:00:00.999999999+01:00', 1_325_372_400_999],
    ['1969-12-31T23:59:59.9999Z', -1],
    ['2024-02-29T00:00:00Z', 1_709_164_800_000],
    ['2000-02-29T00:00:00Z', 951_782_400_000],
    ['0000-01-01T00:00:00Z', -62_167_219_200_000],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
    ['0099-12-31T00:00:00Z', -59_011_545_600_000],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
  ])('takes the date-time %s', (text, milliseconds) => expectSent(text, JSON.stringify(text), String(milliseconds)));

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '99999999999999999999',
    '',
    ' 5',
    '5 ',
    '5\n',
    '+',
    '--5',
    '+-5',
    '5.0',
    '1e3',
    '0x10',
    '5n',
    '1_000',
    '\u0665',
    'NaN',
    'now',
    '2012-01-01',
    '2012-01-01T00:00:00',
    '2012-01-01T00:00Z',
    '2012-01-01 00:00:00Z',
    '2012-01-01T00:00:00 Z',
    '2012-01-01T00:00:00+0100',
    '2012-01-01T00:00:00+01',
    '2012-01-01T00:00:00+24:00',
    '2012-01-01T00:00:00+01:60',
    '2012-01-01T00:00:00.Z',
    '2012-01-01T00:00:00,5Z',
    '2012-01-01T24:00:00Z',
    '2012-01-01T23:60:00Z',
    '2012-01-01T23:59:60Z',
    '2016-12-31T23:59:60Z',
    '2012-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2012-04-31T00:00:00Z',
    '2012-00-01T00:00:00Z',
    '2012-13-01T00:00:00Z',
    '2012-01-00T00:00:00Z',
    '2012-01-32T00:00:00Z',
    '2012-1-1T00:00:00Z',
    '12-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '+2012-01-01T00:00:00Z',
    '-2012-01-01T00:00:00Z',
    '2012-01-01T00:00:00Z\n',
    '2012-W01-1T00:00:00Z',
  ])('refuses the text %j', async (text) => {
    await expectRefusedVariable(text);
    await expectRefusedLiteral(JSON.stringify(text));
  });

  it.each([2 ** 53, -(2 ** 53), 1e300, 1.5, -0.5, true, false, {}, { start: 5 }, [], [5], ['5']])(
    'refuses the variable %j',
    (value) => expectRefusedVariable(value),
  );

  it.each([
    '9007199254740992',
    '-9007199254740992',
    '9223372036854775807',
    '1.0',
    '1e3',
    'true',
    'false',
    'NOW',
    '{}',
    '{ start: 5 }',
    '[]',
    '[5]',
  ])('refuses the literal %s', (literal) => expectRefusedLiteral(literal));

  it('takes null for no bound', async () => {
    const bed = await start();
    const { body } = await bed.query(
      `query ($none: EpochMillis) {
         dataset(id: "${DATASET_ID}") { results(filter: { timeRange: { start: $none, stop: 5 } }) { processingId } }
       }`,
      { variables: { none: null } },
    );
    expect(body).toEqual({ data: { dataset: { results: { processingId: 'p-1' } } } });
    expect(bodiesOf(bed)).toEqual(['{"time_range":{"stop_date":5}}']);
  });

  it('tells bounds apart that are the same as doubles', async () => {
    const bed = await start();
    const bounds = ['9007199254740992', '9007199254740993'];
    const aliases = bounds.map(
      (bound, index) => `r${index}: results(filter: { timeRange: { start: "${bound}" } }) { processingId }`,
    );
    await ask(bed, aliases.join(' '));
    expect(bodiesOf(bed).sort()).toEqual(bounds.map((bound) => `{"time_range":{"start_date":${bound}}}`));
  });

  it('compares bounds exactly', async () => {
    const range = (start: string, stop: string) =>
      `results(filter: { timeRange: { start: "${start}", stop: "${stop}" } }) { processingId }`;
    const bed = await start();
    const refused = await ask(bed, range('9007199254740993', '9007199254740992'));
    expect(refused.body).toEqual({
      data: { dataset: { results: null } },
      errors: [errorAt(['dataset', 'results'], 'BAD_USER_INPUT')],
    });
    expect(bed.calls()).toEqual([]);
    await ask(bed, range('9223372036854775807', '9223372036854775807'));
    expect(bodiesOf(bed)).toEqual([
      '{"time_range":{"start_date":9223372036854775807,"stop_date":9223372036854775807}}',
    ]);
  });
});

describe('3.18 DateTime', () => {
  const fields = (unit: string) =>
    unit === ''
      ? 'startDate startDateTime stopDate stopDateTime'
      : `startDate startDateTime(unit: ${unit}) stopDate stopDateTime(unit: ${unit})`;

  it.each([
    ['', '0', '1970-01-01T00:00:00.000Z'],
    ['', '1704067200000', '2024-01-01T00:00:00.000Z'],
    ['MILLISECONDS', '1704067200001', '2024-01-01T00:00:00.001Z'],
    ['MILLISECONDS', '-1', '1969-12-31T23:59:59.999Z'],
    ['MILLISECONDS', '253402300799999', '9999-12-31T23:59:59.999Z'],
    ['MILLISECONDS', '-62167219200000', '0000-01-01T00:00:00.000Z'],
    ['SECONDS', '0', '1970-01-01T00:00:00.000Z'],
    ['SECONDS', '1704067200', '2024-01-01T00:00:00.000Z'],
    ['SECONDS', '-1', '1969-12-31T23:59:59.000Z'],
    ['SECONDS', '253402300799', '9999-12-31T23:59:59.000Z'],
    ['SECONDS', '-62167219200', '0000-01-01T00:00:00.000Z'],
  ])('shows (%s) %s as %s', async (unit, int64, dateTime) => {
    const { body } = await ask(await startWith({ int64 }), fields(unit));
    const dataset = { startDate: int64, startDateTime: dateTime, stopDate: int64, stopDateTime: dateTime };
    expect(body).toEqual({ data: { dataset } });
  });

  it.each([
    ['', '253402300800000'],
    ['MILLISECONDS', '253402300800000'],
    ['MILLISECONDS', '-62167219200001'],
    ['MILLISECONDS', '9223372036854775807'],
    ['MILLISECONDS', '-9223372036854775808'],
    ['SECONDS', '253402300800'],
    ['SECONDS', '-62167219201'],
    ['SECONDS', '1704067200000'],
    ['SECONDS', '9223372036854775807'],
    ['SECONDS', '-9223372036854775808'],
    // Its milliseconds, cut to 64 bits, would be a date of 1970.
    ['SECONDS', '18446744073709552'],
  ])('has no (%s) %s, but the number', async (unit, int64) => {
    const { body } = await ask(await startWith({ int64 }), fields(unit));
    expect(body).toEqual({
      data: { dataset: { startDate: int64, startDateTime: null, stopDate: int64, stopDateTime: null } },
      errors: ['startDateTime', 'stopDateTime'].map((name) => invalidAt(['dataset', name], 'getDatasetMetadata')),
    });
  });
});
