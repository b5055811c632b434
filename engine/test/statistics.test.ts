import { expect, it } from 'vitest';
import { ask, askedOf, askSeries } from './ask.ts';
import { bodyOf, row } from './bodies.ts';
import { read, unlimited } from './read.ts';
import { expectRight } from './right.ts';

/** `statistics`, but for its quantiles: of a series, and of all entries. */

const point = (value: number, valueDate: string | null, assetId = 'a0') => ({ value, valueDate, assetId });
const POINTS = ['first', 'last', 'minimum', 'maximum'].map((name) => `${name} { value valueDate assetId }`).join(' ');
const ALL = `statistics { name count nullCount sum mean standardDeviation ${POINTS} }`;

/** The same value in each figure. */
const only = (value: number, valueDate: string, assetId = 'a0') => {
  const at = point(value, valueDate, assetId);
  return { sum: value, mean: value, standardDeviation: 0, first: at, last: at, minimum: at, maximum: at };
};

const usual = [
  row('2024-03-01', { m: 3, n: null }),
  row('2024-01-01', { m: -1, late: 7 }),
  row('2024-02-01', { m: 3, n: 0.5 }),
  row('2024-04-01'),
  {
    value_date: '2024-05-01',
    metrics: [{ name: 'm', value: 1 }, { name: 'm', value: 9 }, { name: null }, { value: 5 }],
  },
  { value_date: '2024-06-01', metrics: null },
  row('2024-07-01', { m: 'NaN', n: '-infinity' }),
];
const statisticsOfUsual = [
  {
    ...{ name: 'm', count: 4, nullCount: 3, sum: 6, mean: 1.5, standardDeviation: expect.closeTo(Math.sqrt(2.75), 14) },
    ...{ first: point(-1, '2024-01-01'), last: point(1, '2024-05-01') },
    ...{ minimum: point(-1, '2024-01-01'), maximum: point(3, '2024-03-01') },
  },
  { name: 'n', count: 1, nullCount: 6, ...only(0.5, '2024-02-01') },
  { name: 'late', count: 1, nullCount: 6, ...only(7, '2024-01-01') },
];

it.each([[[1 << 20]], [[1]], [[7, 50]]])('are those of each series, in pieces of %j', (pieces) => {
  expect(askSeries(ALL, bodyOf(usual, null, [], usual.slice(0, 0), usual), unlimited, pieces)).toEqual({
    nodes: [statisticsOfUsual, null, [], [], expect.anything()].map((statistics) => ({ statistics })),
    errors: [],
  });
});

it('are those of all series together, of which some have no rows', () => {
  const body = bodyOf(
    [row('2024-01-03', { m: 1 }), row('2024-01-04', { m: 2 })],
    null,
    [],
    [row('2024-01-01', { m: 4 })],
    [row('2024-02-01', { n: 1 })],
  );
  for (const pieces of [[body.length], [3]])
    expect(ask(ALL, body, unlimited, pieces).values).toEqual({
      statistics: [
        {
          ...{ name: 'm', count: 3, nullCount: 1, sum: 7, mean: 7 / 3 },
          standardDeviation: expect.closeTo(Math.sqrt(14 / 9), 14),
          ...{ first: point(4, '2024-01-01', 'a3'), last: point(2, '2024-01-04') },
          ...{ minimum: point(1, '2024-01-03'), maximum: point(4, '2024-01-01', 'a3') },
        },
        { name: 'n', count: 1, nullCount: 3, ...only(1, '2024-02-01', 'a4') },
      ],
    });
});

it('name the first series with an invalid row, whichever decides that it is one', () => {
  // Without any metric nobody needs a list; `m` is known from the series before.
  const wrong = { value_date: '2024-01-01', metrics: 5 };
  const good = row('2024-01-01', { m: 1 });
  for (const body of [
    bodyOf([good], [wrong], [wrong, good], [row('2024-01-01')]),
    // It has no metrics, which is known when the next one begins.
    bodyOf([good], [wrong, row(5)], null, [good]),
  ])
    expect(expectRight('statistics { count } named: statistics(metrics: "m") { count }', body.toString())).toBe(2);
});

it('are an error if an entry turns out to have no id when its rows were taken', () => {
  const rows = '"results":[{"metrics":[{"name":"m","value":1}]}]';
  const selection = 'statistics { count } metricNames __typename';
  const wrong = [
    { path: ['statistics'], kind: 'wrongType' },
    { path: ['metricNames'], kind: 'wrongType' },
  ];
  const counts = { statistics: [{ count: 1 }], metricNames: ['m'], __typename: 'DatasetResults' };
  for (const [entry, isWrong] of [
    [`{${rows},"asset_id":"a"}`, false],
    [`{"asset_id":"a",${rows}},{"asset_id":null,${rows}},{"asset_id":5,${rows}}`, false],
    [`{${rows}}`, true],
    [`{"asset_id":"a",${rows},"asset_id":null}`, true],
    [`{"asset_id":null,${rows},"asset_id":"a"}`, true],
  ] as const) {
    const { values, errors } = ask(selection, Buffer.from(`{"assets":[${entry}]}`));
    expect([values, errors]).toEqual(
      isWrong ? [{ ...counts, statistics: null, metricNames: null }, wrong] : [counts, []],
    );
  }
});

it('hold the memory of long dates and ids', () => {
  const held = (selection: string, length: number, sign = '-') => {
    const long = (text: string) => JSON.stringify(text.padEnd(length, 'x'));
    const entries = Array.from(
      { length: 31 },
      (_, index) =>
        `{"asset_id":${long(`a${index}`)},"results":[{"value_date":${long(`d${index}`)},"metrics":[{"name":"m","value":${sign}${index + 1}}]}]}`,
    );
    return read(askedOf(selection), [Buffer.from(`{"assets":[${entries}]}`)]).reader.bytes;
  };
  const none = (length: number) => held('statistics { mean }', length);
  const value = (length: number) => held('statistics { minimum { value } }', length);
  const date = (length: number) => held('statistics { minimum { value valueDate } }', length);
  // The id of the last entry is not held any longer, and a date has its quotes. What is written takes some bytes, too.
  const near = (bytes: number) => expect.closeTo(bytes, -3);
  expect([value(62) - none(62), date(62) - none(62)]).toEqual([near(0), near(0)]);
  expect([value(200) - none(200), date(200) - value(200)]).toEqual([near(30 * 400), near(31 * 404)]);
  // Only the first one has the lowest value.
  const highest = held('statistics { minimum { value } }', 200, '') - held('statistics { mean }', 200, '');
  expect(highest).toEqual(near(400));
});
