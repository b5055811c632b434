import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputBound } from '../oracle/dates.ts';
import { inputText, instantNear, randomInstant, refusedInput } from '../oracle/random-dates.ts';
import { errorAt } from '../support/expected-errors.ts';
import { DATASET_ID, ofDataset, outline, postResults, start, type TestBed } from '../support/harness.ts';
import { Dice } from '../support/json-text.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many operations are tried. */
const CASES = randomCases(20);
/** The dates of one operation. */
const DATES = 20;

/** Distinct dates near each other, with their milliseconds. */
const dates = fc.nat().map((seed) => {
  const dice = new Dice(seed + 1);
  const begin = randomInstant(dice);
  const found = new Map<bigint, string>();
  for (let count = 0; count < DATES; count += 1) {
    const instant = instantNear(begin, dice);
    const milliseconds = instant / 1_000_000n - (instant % 1_000_000n < 0n ? 1n : 0n);
    if (!found.has(milliseconds)) found.set(milliseconds, inputText(instant, dice));
  }
  return [...found];
});

const asVariable = `query ($bound: TimeBound) {
  dataset(id: "${DATASET_ID}") { results(filter: { timeRange: { start: $bound } }) { processingId } }
}`;
const inVariable = `query ($filter: ResultsFilterInput) {
  dataset(id: "${DATASET_ID}") { results(filter: $filter) { processingId } }
}`;
const rangeOf = (range: string) => ofDataset(`results(filter: { timeRange: { ${range} } }) { processingId }`);
const bodiesOf = ({ simulator }: TestBed) => simulator.requests.map(({ body }) => body);

/*
 * Clause 3.18 of docs/contract.md in detail: input.
 * `TimeBound` accepts a safe integer, a string of digits (with an optional sign, up to int64, sent on exactly), RFC 3339 with an
 * offset, also without seconds or the minutes of the offset, or a date or a month: its start in UTC. It rejects impossible dates,
 * and truncates digits below a millisecond. A leap second is the start of the next minute.
 */
describe('3.18 TimeBound', () => {
  it('takes dates in all forms as milliseconds, and cuts off those below', {
    tags: ['random'],
    timeout: 60_000 + CASES * 1000,
  }, async () => {
    const bed = await start();
    await fc.assert(
      fc.asyncProperty(dates, async (all) => {
        bed.simulator.clear();
        const variables = Object.fromEntries(all.map(([, text], index) => [`d${index}`, text]));
        const ranges = all.map(([, text], index) => {
          // As a literal or as a variable, and as a bound of either kind.
          const bound = `${index % 3 === 0 ? 'stop' : 'start'}: ${index % 2 === 0 ? JSON.stringify(text) : `$d${index}`}`;
          return `r${index}: results(filter: { timeRange: { ${bound} } }) { processingId }`;
        });
        const used = all.flatMap((_, index) => (index % 2 === 0 ? [] : `$d${index}: TimeBound`));
        const head = used.length === 0 ? '' : `query (${used.join()})`;
        const { status, body } = await bed.query(`${head} { dataset(id: "${DATASET_ID}") { ${ranges.join(' ')} } }`, {
          variables,
        });
        expect([status, body.errors]).toEqual([200, undefined]);
        const sent = all.map(([milliseconds, text], index) =>
          index % 3 === 0
            ? postResults({ time_range: { stop_date: Number(inputBound(text)?.last) } })
            : postResults({ time_range: { start_date: Number(milliseconds) } }),
        );
        // The end of a day may be another date, too.
        expect(bed.calls().toSorted()).toEqual([...new Set(sent)].toSorted());
        bed.simulator.clear();
        const [[milliseconds, text] = [0n, '']] = all;
        const bound = encodeURIComponent(text);
        const file = await receive(bed, resultsPath(`format=csv&start=${bound}&stop=${bound}`));
        const range = { start_date: Number(milliseconds), stop_date: Number(inputBound(text)?.last) };
        expect([file.status, bed.calls()]).toEqual([200, [postResults({ time_range: range })]]);
      }),
      { numRuns: CASES },
    );
  });

  const exact: [value: number | string, first: string, last?: string][] = [
    [0, '0'],
    [-1, '-1'],
    [2 ** 53 - 1, '9007199254740991'],
    [1 - 2 ** 53, '-9007199254740991'],
    ['-0', '0'],
    ['+5', '5'],
    ['-007', '-7'],
    ['9007199254740993', '9007199254740993'],
    ['+009223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['2016-12-31T23:59:60.999Z', '1483228800000'],
    ['2024-02', '1706745600000', '1709251199999'],
    ['9999-12-31', '253402214400000', '253402300799999'],
  ];

  it('sends each bound exactly, as a variable, within one, and as a literal', async () => {
    const bed = await start();
    for (const [value, first, last = first] of exact) {
      bed.simulator.clear();
      const responses = [
        await bed.query(asVariable, { variables: { bound: value } }),
        await bed.query(inVariable, { variables: { filter: { timeRange: { stop: value } } } }),
        await bed.query(rangeOf(`stop: ${JSON.stringify(value)}`)),
      ];
      for (const { status, body } of responses)
        expect([status, body]).toEqual([200, { data: { dataset: { results: { processingId: 'p-1' } } } }]);
      const asStop = `{"time_range":{"stop_date":${last}}}`;
      expect(bodiesOf(bed)).toEqual([`{"time_range":{"start_date":${first}}}`, asStop, asStop]);
    }
  });

  const texts = ['9223372036854775808', '-9223372036854775809', '', ' 5', '5\n', '+-5', '5.0', '1e3', '0x10', '\u0665'];

  it('refuses other texts, and other values', async () => {
    const bed = await start();
    for (const value of [...texts, ...refusedInput, 2 ** 53, -(2 ** 53), 1e300, 1.5, true, {}, [], [5], ['5']])
      for (const [document, variables] of [
        [asVariable, { bound: value }],
        [inVariable, { filter: { timeRange: { start: value } } }],
      ] as const) {
        const { status, headers, body } = await bed.query(document, { variables });
        expect([value, status, body]).toEqual([value, 200, { errors: [errorAt(undefined, 'BAD_USER_INPUT')] }]);
        expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
      }
    const literals = [
      '9007199254740992',
      '-9007199254740992',
      '1.0',
      '1e3',
      'true',
      'NOW',
      '{}',
      '{ start: 5 }',
      '[5]',
    ];
    for (const literal of [...[...texts, ...refusedInput].map((text) => JSON.stringify(text)), ...literals]) {
      const response = await bed.query(rangeOf(`stop: ${literal}`));
      expect([literal, response.status, outline(response).errors]).toEqual([
        literal,
        400,
        ['GRAPHQL_VALIDATION_FAILED'],
      ]);
    }
    expect(bed.calls()).toEqual([]);
  });

  it('compares bounds exactly: those of one day, and those that are the same as doubles', async () => {
    const bed = await start();
    const ask = async (from: string, to: string) => (await bed.query(rangeOf(`start: "${from}", stop: "${to}"`))).body;
    for (const [from, to] of [
      ['2023-01-04', '2023-01-03'],
      ['2023-02-01', '2023-01'],
      ['9007199254740993', '9007199254740992'],
    ] as const)
      expect(await ask(from, to)).toEqual({
        data: { dataset: { results: null } },
        errors: [
          {
            ...errorAt(['dataset', 'results'], 'BAD_USER_INPUT'),
            message: 'A time range must not start after its stop.',
          },
        ],
      });
    expect(bed.calls()).toEqual([]);
    await ask('2023-01-03', '2023-01-03');
    await ask('2023-01-31', '2023-01');
    await ask('9007199254740992', '9007199254740993');
    const none = { filter: { timeRange: { start: null, stop: 5 } } };
    await bed.query(inVariable, { variables: none });
    // Two calls, whose bounds are the same as doubles.
    const range = (bound: string) => `results(filter: { timeRange: { start: "${bound}" } }) { processingId }`;
    await bed.query(ofDataset(`a: ${range('9007199254740992')} b: ${range('9007199254740993')}`));
    expect(bodiesOf(bed).slice(0, 4)).toEqual([
      '{"time_range":{"start_date":1672704000000,"stop_date":1672790399999}}',
      '{"time_range":{"start_date":1675123200000,"stop_date":1675209599999}}',
      '{"time_range":{"start_date":9007199254740992,"stop_date":9007199254740993}}',
      '{"time_range":{"stop_date":5}}',
    ]);
    expect(bodiesOf(bed).slice(4).sort()).toEqual([
      '{"time_range":{"start_date":9007199254740992}}',
      '{"time_range":{"start_date":9007199254740993}}',
    ]);
  });
});
