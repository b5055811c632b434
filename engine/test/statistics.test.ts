import { describe, expect, it } from 'vitest';
import type { PathError } from '../index.ts';
import { ask, askedOf, askSeries } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { read, unlimited } from './read.ts';

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

it('begin anew with each series', () => {
  const { nodes } = askSeries(ALL, bodyOf(usual, [row('2020-01-01', { m: 1, other: 2 })], usual));
  const others = [
    { name: 'm', count: 1, nullCount: 0, ...only(1, '2020-01-01', 'a1') },
    { name: 'other', count: 1, nullCount: 0, ...only(2, '2020-01-01', 'a1') },
  ];
  expect(nodes[1]).toEqual({ statistics: others });
  expect(JSON.stringify(nodes[2])).toBe(JSON.stringify(nodes[0]).replaceAll('"a0"', '"a2"'));
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

it('are beside the names of all metrics, which are null if no series has rows', () => {
  const names = (...lists: unknown[]) => ask('metricNames statistics { name }', bodyOf(...lists)).values;
  const rows = [row('2024-01-01', { n: 1, m: 2 }), row('2024-01-01', { o: null })];
  const all = ['n', 'm', 'o', 'p'];
  expect(names(rows, null, [row(null, { m: 1, p: 1 })])).toEqual({
    metricNames: all,
    statistics: all.map((name) => ({ name })),
  });
  expect(names(null, [])).toEqual({ metricNames: [], statistics: [] });
  for (const lists of [[], [null, null]]) expect(names(...lists)).toEqual({ metricNames: null, statistics: [] });
});

it('are those of the metrics that are named, each once', () => {
  const body = bodyOf([row('2024-01-01', { m: 1, n: 2 })], null, []);
  const x = { name: 'x', count: 0, sum: null, mean: null, standardDeviation: null };
  const named = 'statistics(metrics: ["x", "m", "x"]) { name count nullCount }';
  const none = 'statistics(metrics: "x") { name count sum mean standardDeviation first { value } minimum { value } }';
  const noPoints = { first: null, minimum: null };
  expect(ask(`${named} series { nodes { ${none} } }`, body)).toEqual({
    nodes: [{ statistics: [{ ...x, ...noPoints }] }, { statistics: null }, { statistics: [{ ...x, ...noPoints }] }],
    values: {
      statistics: [
        { name: 'x', count: 0, nullCount: 1 },
        { name: 'm', count: 1, nullCount: 0 },
      ],
    },
    errors: [],
  });
  for (const all of [body, bodyOf(null), bodyOf()])
    expect(ask('a: statistics(metrics: []) { name } b: statistics(metrics: "x") { name }', all).values).toEqual({
      a: [],
      b: [{ name: 'x' }],
    });
});

it('have the fields that are selected, under aliases', () => {
  const selection = `statistics { where: maximum { assetId } maximum { is: value __typename } __typename
    first { valueDate } maximum { valueDate } low: minimum { value } a: mean b: mean }`;
  const maximum = { is: 1, __typename: 'MetricPoint', valueDate: '2024-01-01' };
  const found = {
    where: { assetId: 'a0' },
    maximum,
    __typename: 'MetricStatistics',
    first: { valueDate: '2024-01-01' },
  };
  expect(askSeries(selection, bodyOf([row('2024-01-01', { m: 1 })]))).toEqual({
    nodes: [{ statistics: [{ ...found, low: { value: 1 }, a: 1, b: 1 }] }],
    errors: [],
  });
  const asked = { key: 's', field: 'statistics', select: [{ key: 'p', field: 'minimum', select: [] }] };
  const entries = [asked, { ...asked, key: 'none', select: [] }];
  expect(read({ entries }, [bodyOf([row('2024-01-01', { m: 1, n: null })])]).list).toBe(
    '[{"s":[{"p":{}},{"p":null}],"none":[{},{}]}]',
  );
});

it('write dates as they came', () => {
  const body = `{"assets":[{"asset_id":"\\u0061","results":[{"value_date":"2024-01-01T00:00:00\\u005a","metrics":[{"name":"m","value":-0}]}]}]}`;
  const at = { value: 0, valueDate: '2024-01-01T00:00:00Z', assetId: 'a' };
  expect(askSeries(`statistics { ${POINTS} }`, Buffer.from(body)).nodes).toEqual([
    { statistics: [{ first: at, last: at, minimum: at, maximum: at }] },
  ]);
});

describe('the first and the last value', () => {
  const ends = 'statistics { first { value } last { value } }';
  const endsOf = (first: unknown, last: unknown) => ({ first: { value: first }, last: { value: last } });

  it.each([
    ['2024-01-02T00:00:00+02:00', '2024-01-01T23:00:00Z', true],
    ['2024-01-01T23:00:00.000000001Z', '2024-01-01T23:00:00Z', false],
    ['9999-12-31T23:59:59.999999998Z', '9999-12-31T23:59:59.999999999Z', true],
    ['2016-12-31T23:59:59,999999999Z', '2016-12-31T23:59:60Z', true],
    ['2023', '2024-01', true],
  ])('are in order if %s is before %s: %s', (one, other, isBefore) => {
    const order = isBefore ? endsOf(1, 2) : endsOf(2, 1);
    const rows = [row(other, { m: 2 }), row(one, { m: 1 })];
    expect(askSeries(ends, bodyOf(rows, rows.toReversed())).nodes).toEqual([
      { statistics: [order] },
      { statistics: [order] },
    ]);
  });

  it('are the first and the last row of equal times', () => {
    const rows = (...dates: unknown[]) => dates.map((date, m) => row(date, { m }));
    const dates = ['2024-01-01', '2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00'];
    const precise = '2024-01-01T00:00:00.000000005Z';
    const body = bodyOf(rows(...dates), rows(precise, '2024-01-01', precise, '2024-01-01', precise));
    expect(askSeries(ends, body).nodes).toEqual([{ statistics: [endsOf(0, 2)] }, { statistics: [endsOf(1, 4)] }]);
    expect(ask(ends, body).values).toEqual({ statistics: [endsOf(0, 4)] });
  });

  it('pass over rows without a value, and without a date unless none has one', () => {
    const none = row(null, { m: 9, n: 2 });
    const body = bodyOf(
      [none, row('2024-01-09', { m: 1 }), { metrics: none }, row('2024-01-05', { n: null }), none],
      [none, row(null, { m: 1 }), row('2024-01-01', {}), row('2024-01-01', { m: null })],
      [row('2024-01-01', { m: null }), row('2024-01-02', { m: 5 }), row('2024-01-03', { m: 6 }), row('2024-01-04')],
    );
    // A list of a wrong type.
    expect(askSeries(ends, body).nodes[0]).toEqual({ statistics: null });
    const valid = Buffer.from(body.toString().replace('{"metrics":{', '{"ignored":{'));
    expect(askSeries(ends, valid).nodes).toEqual([
      { statistics: [endsOf(1, 1), endsOf(2, 2)] },
      { statistics: [endsOf(9, 1), endsOf(2, 2)] },
      { statistics: [endsOf(5, 6)] },
    ]);
    expect(ask(`statistics(metrics: "m") { first { value } last { value } }`, valid).values).toEqual({
      statistics: [endsOf(5, 1)],
    });
  });

  it.each([1, 31, 32, 33, 64, 100])('are found in %d rows in any order', (count) => {
    const dates = daysFrom(20_000, count);
    const rows = dates.map((date, index) => row(date, { m: index, n: index % 3 === 1 ? index : null }));
    const last = count - 1 - ((count + 1) % 3);
    const n = last < 1 ? { first: null, last: null } : endsOf(1, last);
    const shuffled = rows.map((_, index) => rows[(index * 37 + 11) % count]);
    const expected = { statistics: [endsOf(0, count - 1), n] };
    expect(askSeries(ends, bodyOf(rows, rows.toReversed(), shuffled)).nodes).toEqual(Array(3).fill(expected));
  });

  it.each(['day 1', '', '2023-02-29', '2024-01-01T24:00:00Z'])('are errors of their own where a date is %j', (date) => {
    const rows = [
      row('2024-01-09', { m: 1, n: 1 }),
      row(date, { m: 2 }),
      row('2024-01-01', { m: 3, n: 3 }),
      row(date, { m: 4 }),
    ];
    const selection = 'statistics { name count first { value } end: last { value } minimum { valueDate } }';
    const minimum = { valueDate: '2024-01-09' };
    const statistics = [
      { name: 'm', count: 4, first: null, end: null, minimum },
      { name: 'n', count: 2, first: { value: 3 }, end: { value: 1 }, minimum },
    ];
    const kind: PathError['kind'] = 'unreadableDate';
    const fields = ['first', 'end'];
    expect(ask(`series { nodes { rowCount ${selection} } } all: ${selection}`, bodyOf([], rows))).toEqual({
      nodes: [
        { rowCount: 0, statistics: [] },
        { rowCount: 4, statistics },
      ],
      values: { all: statistics },
      errors: [
        ...fields.map((key) => ({ path: [1, 'statistics', 0, key], kind, row: 1 })),
        ...fields.map((key) => ({ path: ['all', 0, key], kind, row: 1, entry: 1 })),
      ],
    });
  });

  it('do not read dates of rows without a value', () => {
    const body = bodyOf([row('odd', { m: null }), row('2024-01-01', { m: 1 })]);
    expect(askSeries(ends, body)).toEqual({ nodes: [{ statistics: [endsOf(1, 1)] }], errors: [] });
  });
});

it('have the extremes that came first', () => {
  const rows = Array.from({ length: 100 }, (_, index) => row(`day ${index}`, { m: (index % 10) - 5 }));
  const extremes = 'statistics { minimum { value valueDate } maximum { value valueDate } }';
  const found = { minimum: { value: -5, valueDate: 'day 0' }, maximum: { value: 4, valueDate: 'day 9' } };
  expect(askSeries(extremes, bodyOf(rows))).toEqual({ nodes: [{ statistics: [found] }], errors: [] });
});

it('lose nothing of sums, and nothing of a deviation beside large values', () => {
  const rows = (...values: number[]) => values.map((m) => row('2024-01-01', { m }));
  const max = Number.MAX_VALUE;
  const large = Array.from({ length: 1000 }, (_, index) => 4e15 + ((index * index) % 11) / 2);
  const differences = large.map((value) => value - 4e15);
  const mean = differences.reduce((sum, value) => sum + value) / 1000;
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 1000;
  const body = bodyOf(rows(1e100, 1, -1e100, 1), rows(...large), rows(max, max), rows(max, -max), rows(max, max, -max));
  expect(askSeries('statistics { sum mean standardDeviation }', body).nodes).toMatchObject([
    { statistics: [{ sum: 2, mean: 0.5 }] },
    {
      statistics: [
        { sum: 4e18 + mean * 1000, mean: 4e15 + mean, standardDeviation: expect.closeTo(Math.sqrt(variance), 9) },
      ],
    },
    { statistics: [{ sum: null, mean: max, standardDeviation: 0 }] },
    { statistics: [{ sum: 0, mean: 0, standardDeviation: max }] },
    { statistics: [{ sum: max, mean: max / 3 }] },
  ]);
});

it.each([
  ['wrongValue', row('2024-01-01', { m: '7' })],
  ['wrongValue', row('2024-01-01', { m: true })],
  ['wrongDate', row(5, { m: 1 })],
  ['wrongMetrics', { value_date: '2024-01-01', metrics: {} }],
  ['tooLargeRow', row('x'.repeat(2000), { m: 1 })],
])('are null where a row is invalid: %s', (kind, odd) => {
  const good = [row('2024-01-01', { m: 1 }), row('2024-01-02', { m: 2 })];
  const body = bodyOf(good, [...good, odd, ...good], good);
  const value = { statistics: [{ count: 2 }] };
  expect(
    ask('statistics { count } series { nodes { statistics { count } } }', body, { ...unlimited, part: 1000 }),
  ).toEqual({
    nodes: [value, { statistics: null }, value],
    values: { statistics: null },
    errors: [
      { path: [1, 'statistics'], kind, row: 2 },
      { path: ['statistics'], kind, row: 2, entry: 1 },
    ],
  });
});

it('name the first series with an invalid row, whichever decides that it is one', () => {
  // Without any metric nobody needs a list; `m` is known from the series before.
  const wrong = { value_date: '2024-01-01', metrics: 5 };
  const body = bodyOf(
    [row('2024-01-01', { m: 1 })],
    [wrong],
    [wrong, row('2024-01-01', { m: 1 })],
    [row('2024-01-01')],
  );
  expect(ask('statistics { count } named: statistics(metrics: "m") { count }', body)).toEqual({
    nodes: [],
    values: { statistics: null, named: null },
    errors: [
      { path: ['statistics'], kind: 'wrongMetrics', row: 0, entry: 2 },
      { path: ['named'], kind: 'wrongMetrics', row: 0, entry: 1 },
    ],
  });
  // It has no metrics, which is known when the next one begins.
  const late = bodyOf([row('2024-01-01', { m: 1 })], [wrong, row(5)], null, [row('2024-01-01', { m: 1 })]);
  expect(ask('statistics { count }', late).errors).toEqual([
    { path: ['statistics'], kind: 'wrongDate', row: 1, entry: 1 },
  ]);
});

it('do not look at values that are not named', () => {
  const selection = 'statistics(metrics: ["m"]) { mean } odd: statistics(metrics: "odd") { mean }';
  expect(askSeries(selection, bodyOf([row('2024-01-01', { m: 1, odd: 'x' })]))).toEqual({
    nodes: [{ statistics: [{ mean: 1 }], odd: null }],
    errors: [{ path: [0, 'odd'], kind: 'wrongValue', row: 0 }],
  });
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

it('have at most 10,000 metrics, of which at most 1,000 are named', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `m${index}`);
  const wide = row('2024-01-01', Object.fromEntries(names.map((name, index) => [name, index])));
  const values = names.map((name) => ({ name, count: 2 }));
  const error = { kind: 'limitExceeded', message: 'Statistics have at most 10,000 metrics. Name fewer.' };
  const selection = 'statistics { name count }';
  expect(ask(selection, bodyOf([wide, wide]))).toEqual({ nodes: [], values: { statistics: values }, errors: [] });
  const another = row('2024-01-01', { another: 1 });
  expect(ask(`${selection} series { nodes { statistics { count } } }`, bodyOf([wide], [another]))).toMatchObject({
    nodes: [{ statistics: expect.anything() }, { statistics: [{ count: 1 }] }],
    values: { statistics: null },
    errors: [{ path: ['statistics'], ...error }],
  });
  expect(askSeries(selection, bodyOf([wide, another], [another]))).toEqual({
    nodes: [{ statistics: null }, { statistics: [{ name: 'another', count: 1 }] }],
    errors: [{ path: [0, 'statistics'], ...error }],
  });
  const named = (count: number) => `statistics(metrics: ${JSON.stringify(names.slice(0, count))}) { count }`;
  expect(ask(named(1000), bodyOf([wide])).errors).toEqual([]);
  expect(ask(named(1001), bodyOf([wide])).errors).toEqual([
    { path: ['statistics'], kind: 'limitExceeded', message: 'A list of metric names must have at most 1000 entries.' },
  ]);
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

it('are null beyond the limit of memory, and the next series are not', () => {
  const long = 'x'.repeat(50_000);
  const rows = Array.from({ length: 40 }, (_, index) => row(`${long}${index}`, { [`m${index % 2}`]: -index }));
  const selection = 'statistics { minimum { value valueDate } }';
  const short = [row('2024-01-01', { m: 1 })];
  const one = { statistics: [{ minimum: { value: 1, valueDate: '2024-01-01' } }] };
  const body = bodyOf(short, rows, short);
  // What a series holds is given back.
  const all = bodyOf(rows, rows, rows);
  expect(askSeries(selection, all, { ...unlimited, memory: 9_000_000 }, [100_000]).errors).toEqual([]);
  expect(askSeries(selection, body, { ...unlimited, memory: 3_000_000 })).toEqual({
    nodes: [one, { statistics: null }, one],
    errors: [{ path: [1, 'statistics'], kind: 'memoryExceeded' }],
  });
});

it('count the rows that they take, the values that they read, once, and those that they add', () => {
  const rows = Array.from({ length: 1000 }, (_, index) => row('2024-01-01', { m: index, n: index }));
  const spent = (figures: string) => {
    const { list, reader } = read(askedOf(`series { nodes { statistics { ${figures} } } }`), [bodyOf(rows)]);
    return reader.spent - (list.length - '[]'.length);
  };
  expect(spent('count')).toBe(5000);
  expect(spent('mean sum standardDeviation maximum { value }')).toBe(5000);
  // Dates, too.
  expect(spent('mean first { value } last { valueDate }')).toBe(6000);
});
