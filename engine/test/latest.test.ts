import { expect, it } from 'vitest';
import type { PathError } from '../index.ts';
import { ask, askedOf, askSeries } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { inPieces, read, unlimited } from './read.ts';

/** `latest`: the row of the latest date, or all of them joined. */

const LATEST = 'latest { valueDate m: value(metric: "m") metrics { name value } }';
const found = (
  valueDate: string | null,
  m: number | null,
  ...metrics: (readonly [string | null, number | null])[]
) => ({
  latest: { valueDate, m, metrics: metrics.map(([name, value]) => ({ name, value })) },
});
const metric = (name?: unknown, value?: unknown) => ({ name, value });
const on = (date: string, ...metrics: unknown[]) => ({ value_date: date, metrics });

it.each([[[1 << 20]], [[1]], [[7, 50]]])(
  'is the row of the latest date, or the last one if none has a date: in pieces of %j',
  (pieces) => {
    const body = bodyOf(
      [row('2024-01-02', { m: 1 }), row('2024-01-03', { m: 2, n: 3 }), row('2024-01-01', { m: 3 })],
      [row('2024-01-02', { m: 1 }), row('2024-01-01')],
      [row(null, { m: 1 }), row('2024-01-01', { m: 2 }), { metrics: [metric('m', 3)] }],
      [row(null, { m: 1 }), { metrics: [metric('m', 2)] }],
      [row('2024-01-01', { n: null })],
      [],
      null,
    );
    expect(askSeries(LATEST, body, unlimited, pieces)).toEqual({
      nodes: [
        found('2024-01-03', 2, ['m', 2], ['n', 3]),
        found('2024-01-02', 1, ['m', 1]),
        found('2024-01-01', 2, ['m', 2]),
        found(null, 2, ['m', 2]),
        found('2024-01-01', null, ['n', null]),
        { latest: null },
        { latest: null },
      ],
      errors: [],
    });
  },
);

it.each([
  ['2024-01-02T00:00:00+02:00', '2024-01-01T23:00:00Z'],
  ['2024-01-01T23:00:00Z', '2024-01-01T23:00:00.000000001Z'],
  ['2024-01-01T23:00:00.000999999Z', '2024-01-01T23:00:00.001Z'],
  ['2016-12-31T23:59:59,999999999Z', '2016-12-31T23:59:60Z'],
])('has %s before %s, in any order', (one, other) => {
  const rows = [row(one, { m: 1 }), row(other, { m: 2 })];
  const latest = found(other, 2, ['m', 2]);
  expect(askSeries(LATEST, bodyOf(rows, rows.toReversed(), [...rows, rows[0]])).nodes).toEqual([
    latest,
    latest,
    latest,
  ]);
});

it.each([1, 31, 32, 33, 64, 100])('is found among %d rows before it and behind it', (count) => {
  const before = daysFrom(1000, count).map((date, m) => row(date, { m }));
  const latest = row('2024-01-02', { m: -1 });
  const body = bodyOf([...before, latest, ...before], [...before.toReversed(), latest, ...before], [...before, latest]);
  expect(askSeries(LATEST, body).nodes).toEqual(Array(3).fill(found('2024-01-02', -1, ['m', -1])));
});

it.each([
  ['day 2', 'unreadableDate'],
  ['', 'unreadableDate'],
  ['2024-02-30', 'unreadableDate'],
  [20_240_101, 'wrongDate'],
  ['x'.repeat(2000), 'tooLargeRow'],
])('is null if a date cannot be read: %j', (date, kind) => {
  const rows = [row('2024-01-02', { m: 1 }), row(null), row(date, { m: 2 }), row(date)];
  const good = [row('2024-01-02', { m: 1 })];
  expect(askSeries(LATEST, bodyOf(good, rows, good), { ...unlimited, part: 1000 })).toEqual({
    nodes: [found('2024-01-02', 1, ['m', 1]), { latest: null }, found('2024-01-02', 1, ['m', 1])],
    errors: [{ path: [1, 'latest'], kind, row: 2 }],
  });
});

it('writes the fields that are selected, under aliases', () => {
  const selection = `a: latest { n: value(metric: "n") day: valueDate __typename some: metrics(metrics: ["x", "n"]) { is: value __typename } }
    b: latest { metrics(metrics: []) { name } value(metric: "m") m: value(metric: "m") }`;
  const a = { n: 2, day: '2024-01-01', __typename: 'Result', some: [{ is: 2, __typename: 'Metric' }] };
  const rows = [row('2023-01-01', { other: 1 }), row('2024-01-01', { m: 1, n: 2 })];
  const joined = [row('2024-01-01', { m: 1 }), row('2024-01-01', { n: 2, m: 3 })];
  const expected = { a, b: { metrics: [], value: 1, m: 1 } };
  expect(askSeries(selection, bodyOf(rows, joined))).toEqual({ nodes: [expected, expected], errors: [] });
  const entries = [{ key: 'latest', field: 'latest', select: [] }];
  expect(read({ entries }, [bodyOf(rows, [], joined)]).list).toBe('[{"latest":{}},{"latest":null},{"latest":{}}]');
});

it('writes what came, byte by byte', () => {
  const latest =
    '{ "value_date" : "2024-01-01T00:00:00\\u005a", "metrics":[{"value":1.50e0 ,"name":"\\u006d\\"é"}], "x": {} }';
  const body = Buffer.from(`{"assets":[{"asset_id":"a","results":[${latest},{"metrics":[]}]}]}`);
  const { list } = read(askedOf('series { nodes { latest { valueDate metrics { name value } } } }'), [body]);
  expect(list).toBe(
    '[{"latest":{"valueDate":"2024-01-01T00:00:00\\u005a","metrics":[{"name":"\\u006d\\"é","value":1.50e0}]}}]',
  );
});

it('joins the metrics of all rows of that date', () => {
  const body = bodyOf(
    [
      row('2024-01-01T00:00:00Z', { m: 1 }),
      row('2024-01-01', { m: 2, n: 3 }),
      row('2023-01-01', { never: 1 }),
      row('2024-01-01T01:00:00+02:00', { m: 4, o: 5 }),
      row('2024-01-01T02:00:00+02:00', { p: 6 }),
    ],
    [
      on('2024-01-01', metric('n', null), metric(null, 1), metric('m'), metric('n', 2), metric('x', 3)),
      { value_date: '2024-01-01', metrics: null },
      on('2024-01-01', metric('m', null), metric('y', 4), metric('n', 5), metric(null, 6), metric('y', 7)),
      on('2024-01-01', metric('m', 8), metric('x', 9), metric('n', 10)),
    ],
    [{ value_date: '2024-01-01' }, { value_date: '2024-01-01', metrics: null }],
    [on('2024-01-01'), { value_date: '2024-01-01', metrics: null }],
    // Those of an earlier date do not count, whether they were joined or not.
    [
      row('2024-01-01', { a: 1 }),
      row('2024-01-01', { b: 1 }),
      row('2024-01-02', { c: 1 }),
      row('2024-01-02', { d: 1 }),
      row('2024-01-01', { e: 1 }),
    ],
    [
      row('2024-01-01T00:00:00.000000001Z', { a: 1 }),
      row('2024-01-01', { b: 1 }),
      row('2024-01-01T00:00:00.000000001Z', { c: 1 }),
    ],
  );
  const selection = 'latest { valueDate m: value(metric: "n") metrics { name value } }';
  for (const pieces of [[body.length], [5]])
    expect(askSeries(selection, body, unlimited, pieces)).toEqual({
      nodes: [
        found('2024-01-01T00:00:00Z', 3, ['m', 1], ['n', 3], ['p', 6]),
        found('2024-01-01', 5, ['n', 5], [null, 1], ['m', 8], ['n', 2], ['x', 3], ['y', 4], [null, 6], ['y', 7]),
        { latest: { valueDate: '2024-01-01', m: null, metrics: null } },
        found('2024-01-01', null),
        found('2024-01-02', null, ['c', 1], ['d', 1]),
        found('2024-01-01T00:00:00.000000001Z', null, ['a', 1], ['c', 1]),
      ],
      errors: [],
    });
});

it.each([2, 31, 32, 33, 65, 3000])('is joined of %d rows, among as many others', (count) => {
  const rows = Array.from({ length: count }, (_, index) => [
    row('2024-01-02', { [`m${index % 300}`]: index }),
    row('2024-01-01', { m: index }),
  ]);
  const same = Array.from({ length: count }, (_, index) => row('2024-01-02', { m: index }));
  const names = Array.from({ length: Math.min(count, 300) }, (_, value) => [`m${value}`, value] as const);
  expect(askSeries(LATEST, bodyOf(rows.flat(), same)).nodes).toEqual([
    found('2024-01-02', null, ...names),
    found('2024-01-02', 0, ['m', 0]),
  ]);
});

it('has the errors of its values at their paths', () => {
  const rows = [
    row('2024-01-01', { m: 'odd' }),
    on('2024-01-02', metric(5, 1), metric('m', 'odd'), metric('n', 'NaN'), 'no metric', metric('m', 7)),
    row('2024-01-01', { m: true }),
  ];
  const selection =
    'latest { valueDate m: value(metric: "m") all: metrics { name is: value } n: metrics(metrics: "n") { value } }';
  const node = {
    valueDate: '2024-01-02',
    m: null,
    all: [
      { name: null, is: 1 },
      { name: 'm', is: null },
      { name: 'n', is: null },
      { name: 'm', is: 7 },
    ],
    n: [{ value: null }],
  };
  const errors = (kind: PathError['kind'], ...paths: (string | number)[][]) =>
    paths.map((path) => ({ path: [1, 'latest', ...path], kind }));
  expect(askSeries(selection, bodyOf([], rows))).toEqual({
    nodes: [{ latest: null }, { latest: node }],
    errors: [
      ...errors('wrongType', ['m'], ['all', 0, 'name'], ['all', 1, 'is']),
      ...errors('nonFinite', ['all', 2, 'is'], ['n', 0, 'value']),
    ],
  });
  const list = { value_date: '2024-01-02', metrics: 'odd' };
  expect(askSeries('latest { valueDate m: value(metric: "m") metrics { name } }', bodyOf([], [list]))).toEqual({
    nodes: [{ latest: null }, { latest: { valueDate: '2024-01-02', m: null, metrics: null } }],
    errors: errors('wrongType', ['m'], ['metrics']),
  });
});

it('has the errors of the values that it joins', () => {
  const date = '2024-01-01';
  const body = bodyOf(
    // A value of a wrong type is one; the text NaN is none.
    [
      row(date, { m: 'odd', n: null, o: 'NaN', p: 'NaN', q: null }),
      row(date, { m: 1, n: 'odd', o: 2 }),
      row(date, { n: 3, p: 'Infinity', q: 'NaN' }),
    ],
    [row(date, { m: 1 }), { value_date: date, metrics: 'odd' }, row(date, { n: 1 })],
    [on(date, metric('a', 1)), on(date, metric(7, 1), metric('b', 'odd'))],
    [row(date, { m: 'odd' }), row(date, { m: 1 }), row('2024-01-02', { m: 1 })],
  );
  const { nodes, errors } = askSeries('latest { m: value(metric: "m") metrics { name value } }', body);
  expect(nodes).toEqual([
    {
      latest: {
        m: null,
        metrics: [metric('m', null), metric('n', null), metric('o', 2), metric('p', null), metric('q', null)],
      },
    },
    { latest: { m: null, metrics: null } },
    { latest: { m: null, metrics: [metric('a', 1), metric(null, 1), metric('b', null)] } },
    { latest: { m: 1, metrics: [metric('m', 1)] } },
  ]);
  expect(errors.map(({ path = [], kind }) => `${path.join('.')} ${kind}`)).toEqual([
    '0.latest.m wrongType',
    '0.latest.metrics.0.value wrongType',
    '0.latest.metrics.1.value wrongType',
    '0.latest.metrics.3.value nonFinite',
    '1.latest.m wrongType',
    '1.latest.metrics wrongType',
    '2.latest.metrics.1.name wrongType',
    '2.latest.metrics.2.value wrongType',
  ]);
});

it('has an error for more than 1,000 names', () => {
  const names = (count: number) => JSON.stringify(Array(count).fill('m'));
  const body = bodyOf([], [row('2024-01-01', { m: 1 })]);
  expect(askSeries(`latest { metrics(metrics: ${names(1000)}) { value } }`, body).errors).toEqual([]);
  expect(askSeries(`latest { valueDate metrics(metrics: ${names(1001)}) { value } }`, body)).toEqual({
    nodes: [{ latest: null }, { latest: { valueDate: '2024-01-01', metrics: null } }],
    errors: [
      {
        path: [1, 'latest', 'metrics'],
        kind: 'limitExceeded',
        message: 'A list of metric names must have at most 1000 entries.',
      },
    ],
  });
});

it('is joined up to the bytes of a row', () => {
  const names = Array.from({ length: 20 }, (_, index) => `metric${index + 10}`);
  const rows = names.map((name) => row('2024-01-01', { [name]: 5 }));
  const around = '{"value_date":"2024-01-01","metrics":[]}'.length;
  const part = around + names.length * '{"name":"metric10","value":5},'.length;
  const body = bodyOf(rows, [...rows, row('2024-01-02', { m: 1 })], rows);
  const joined = found('2024-01-01', null, ...names.map((name) => [name, 5] as const));
  const later = found('2024-01-02', 1, ['m', 1]);
  expect(askSeries(LATEST, body, { ...unlimited, part })).toEqual({ nodes: [joined, later, joined], errors: [] });
  const bytes = (most: number) =>
    read(askedOf(`series { nodes { ${LATEST} } }`), [body], { ...unlimited, part: most }).reader.bytes;
  // It gives up what it has kept.
  expect(bytes(part - 1) - bytes(part)).toBeLessThan(500);
  expect(askSeries(LATEST, body, { ...unlimited, part: part - 1 })).toEqual({
    nodes: [{ latest: null }, later, { latest: null }],
    errors: [0, 2].map((series) => ({ path: [series, 'latest'], kind: 'tooLarge' })),
  });
});

it('reads a row again that is longer without what is odd about it', () => {
  const metrics = `${'{},'.repeat(100)}{"name":"m","value":-0}`;
  const body = Buffer.from(
    `{"assets":[{"asset_id":"a","results":[{"value_date":"2024-01-01","metrics":[${metrics}]}]}]}`,
  );
  const selection = 'latest { m: value(metric: "m") }';
  // With names and values that are null it has more than 2000 bytes.
  expect(askSeries(selection, body, { ...unlimited, part: 400 })).toEqual({
    nodes: [{ latest: { m: 0 } }],
    errors: [],
  });
});

it('keeps one row, whatever the number of rows', () => {
  const asked = askedOf(`series { nodes { ${LATEST} } }`);
  const bytes = (rows: readonly unknown[]) => read(asked, inPieces(bodyOf(rows), [1000])).reader.bytes;
  const rowsOf = (count: number) => daysFrom(0, count).map((date) => row(date, { m: 1, n: 2 }));
  // Each date has its metrics in two rows, or all rows have one.
  const joined = (count: number) => daysFrom(0, count).flatMap((date) => [row(date, { m: 1 }), row(date, { n: 1 })]);
  const same = (count: number) => daysFrom(0, count).map((_, m) => row('2024-01-01', { m }));
  for (const each of [rowsOf, joined, same]) expect(bytes(each(5000)) - bytes(each(50))).toBeLessThan(100);
});

it('is null beyond the limit of memory, and those of other series are not', () => {
  const wide = (first: number) =>
    row(
      '2024-01-02',
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`metric-${first + index}`, index])),
    );
  // What is too much is not the row that is the latest in the end.
  const rows = [...Array.from({ length: 10 }, (_, index) => wide(1000 * index)), row('2024-01-03', { m: 2 })];
  const short = [row('2024-01-01', { m: 1 })];
  const body = bodyOf(short, rows, short);
  const one = { latest: { m: 1 } };
  const selection = 'latest { m: value(metric: "m") }';
  const limit = (memory: number) => askSeries(selection, body, { ...unlimited, memory }, [10_000]);
  expect(limit(8_000_000).nodes).toEqual([one, { latest: { m: 2 } }, one]);
  expect(limit(1_500_000)).toEqual({
    nodes: [one, { latest: null }, one],
    errors: [{ path: [1, 'latest'], kind: 'memoryExceeded' }],
  });
});

it('counts each row and its date, and what is written', () => {
  const rows = daysFrom(0, 1000).map((date) => row(date, { m: 1 }));
  const { list, reader } = read(askedOf('series { nodes { latest { valueDate } } }'), [bodyOf(rows)]);
  expect(reader.spent - (list.length - '[]'.length)).toBe(2000);
  expect(ask('series { nodes { latest { valueDate } } }', bodyOf(rows), { work: 1999 })).toMatchObject({
    nodes: [{ latest: null }],
    errors: [{ kind: 'workExceeded' }],
  });
});
