import { describe, expect, it } from 'vitest';
import { errorAt, invalidAt } from '../support/expected-errors.ts';
import { DATASET_ID, ofDataset, postResults, start, type TestBed } from '../support/harness.ts';
import { ask, startWith } from './numbers.ts';

describe('3.18 TimeBound', () => {
  const asVariable = `query ($bound: TimeBound) {
    dataset(id: "${DATASET_ID}") { results(filter: { timeRange: { start: $bound } }) { processingId } }
  }`;
  const inVariable = `query ($filter: ResultsFilterInput) {
    dataset(id: "${DATASET_ID}") { results(filter: $filter) { processingId } }
  }`;
  const asLiteral = (literal: string) =>
    ofDataset(`results(filter: { timeRange: { stop: ${literal} } }) { processingId }`);

  const bodiesOf = ({ simulator }: TestBed) => simulator.requests.map(({ body }) => body);

  /** Gives a bound as a variable, within a variable, and in the document, and expects what is sent. */
  async function expectSent(value: string | number, literal: string, first: string, last = first): Promise<void> {
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
    const asStart = `{"time_range":{"start_date":${first}}}`;
    const asStop = `{"time_range":{"stop_date":${last}}}`;
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
    ['2012-01-01T00:00Z', 1_325_376_000_000],
    ['2012-01-01T00:00+01', 1_325_372_400_000],
    ['2012-01-01T00:00:00-00', 1_325_376_000_000],
    ['2016-12-31T23:59:60Z', 1_483_228_800_000],
    ['2016-12-31T23:59:60.999Z', 1_483_228_800_000],
    ['2012-01-01T00:00:60+00:01', 1_325_376_000_000],
  ])('takes the date-time %s', (text, milliseconds) => expectSent(text, JSON.stringify(text), String(milliseconds)));

  it.each([
    ['2012-01-01', 1_325_376_000_000, 1_325_462_399_999],
    ['1970-01-01', 0, 86_399_999],
    ['2024-02-29', 1_709_164_800_000, 1_709_251_199_999],
    ['0000-01-01', -62_167_219_200_000, -62_167_132_800_001],
    ['9999-12-31', 253_402_214_400_000, 253_402_300_799_999],
    ['2012-01', 1_325_376_000_000, 1_328_054_399_999],
    ['2024-02', 1_706_745_600_000, 1_709_251_199_999],
    ['1900-02', -2_206_310_400_000, -2_203_891_200_001],
    ['0000-01', -62_167_219_200_000, -62_164_540_800_001],
    ['9999-12', 253_399_622_400_000, 253_402_300_799_999],
  ])('takes all of the day or month %s in UTC', (text, first, last) =>
    expectSent(text, JSON.stringify(text), String(first), String(last)),
  );

  it('takes the same day as the start and the stop of a range, but none after it', async () => {
    const bed = await start();
    const asked = (from: string, to: string) =>
      bed.query(ofDataset(`results(filter: { timeRange: { start: "${from}", stop: "${to}" } }) { sourceId }`));
    await asked('2023-01-03', '2023-01-03');
    await asked('2023-01-31', '2023-01');
    expect(bed.calls()).toEqual([
      postResults({ time_range: { start_date: 1_672_704_000_000, stop_date: 1_672_790_399_999 } }),
      postResults({ time_range: { start_date: 1_675_123_200_000, stop_date: 1_675_209_599_999 } }),
    ]);
    for (const [from, to] of [
      ['2023-01-04', '2023-01-03'],
      ['2023-02-01', '2023-01'],
    ] as const) {
      const { errors } = (await asked(from, to)).body;
      expect(errors[0]).toMatchObject({ message: 'A time range must not start after its stop.' });
    }
    expect(bed.calls()).toHaveLength(2);
  });

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
    '2012-1-1',
    '2012-02-30',
    '2012-13-01',
    '2012-01-01Z',
    '2012-01-01\n',
    '12012-01-01',
    '2012-01-01T00:00:00',
    '2012-01-01 00:00:00Z',
    '2012-01-01T00:00:00 Z',
    '2012-01-01T00:00:00+0100',
    '2012-01-01T00:00:00+24:00',
    '2012-01-01T00:00:00+01:60',
    '2012-01-01T00:00:00.Z',
    '2012-01-01T00:00:00,5Z',
    '2012-01-01T24:00:00Z',
    '2012-01-01T23:60:00Z',
    '2012-01-01T23:59:61Z',
    '2012-1',
    '2012-13',
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
      `query ($none: TimeBound) {
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
  const fields = 'startDate startDateTime stopDate stopDateTime';
  const inUnit = (unit: string) => (unit === '' ? {} : { env: { DATE_UNIT: unit } });

  it.each([
    ['', '0', '1970-01-01T00:00:00.000Z'],
    ['', '1704067200000', '2024-01-01T00:00:00.000Z'],
    ['milliseconds', '1704067200001', '2024-01-01T00:00:00.001Z'],
    ['milliseconds', '-1', '1969-12-31T23:59:59.999Z'],
    ['milliseconds', '253402300799999', '9999-12-31T23:59:59.999Z'],
    ['milliseconds', '-62167219200000', '0000-01-01T00:00:00.000Z'],
    ['seconds', '0', '1970-01-01T00:00:00.000Z'],
    ['seconds', '1704067200', '2024-01-01T00:00:00.000Z'],
    ['seconds', '-1', '1969-12-31T23:59:59.000Z'],
    ['seconds', '253402300799', '9999-12-31T23:59:59.000Z'],
    ['seconds', '-62167219200', '0000-01-01T00:00:00.000Z'],
  ])('shows (%s) %s as %s', async (unit, int64, dateTime) => {
    const { body } = await ask(await startWith({ int64 }, inUnit(unit)), fields);
    const dataset = { startDate: int64, startDateTime: dateTime, stopDate: int64, stopDateTime: dateTime };
    expect(body).toEqual({ data: { dataset } });
  });

  it.each([
    ['', '253402300800000'],
    ['milliseconds', '253402300800000'],
    ['milliseconds', '-62167219200001'],
    ['milliseconds', '9223372036854775807'],
    ['milliseconds', '-9223372036854775808'],
    ['seconds', '253402300800'],
    ['seconds', '-62167219201'],
    ['seconds', '1704067200000'],
    ['seconds', '9223372036854775807'],
    ['seconds', '-9223372036854775808'],
    // Its milliseconds, cut to 64 bits, would be a date of 1970.
    ['seconds', '18446744073709552'],
  ])('has no (%s) %s, but the number', async (unit, int64) => {
    const { body } = await ask(await startWith({ int64 }, inUnit(unit)), fields);
    expect(body).toEqual({
      data: { dataset: { startDate: int64, startDateTime: null, stopDate: int64, stopDateTime: null } },
      errors: ['startDateTime', 'stopDateTime'].map((name) => invalidAt(['dataset', name], 'getDatasetMetadata')),
    });
  });
});
