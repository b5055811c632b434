import { describe, expect, it } from 'vitest';
import type { Limits, PathError } from '../index.ts';
import { ask, askedOf } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { read, unlimited } from './read.ts';

/** `byDate`: the values of all entries by date. */

const LISTS = ['counts', 'sums', 'means', 'minimums', 'maximums', 'standardDeviations'];
const only = (...lists: readonly string[]) => `dates metrics { name ${lists.join(' ')} }`;
const ALL = only(...LISTS, 'quantiles(of: [0.5])');

interface Value {
  readonly value: unknown;
  readonly errors: readonly Partial<PathError>[];
}

/** @param metrics those that it names; undefined for all */
function byDate(
  body: Buffer,
  metrics?: readonly string[],
  select = ALL,
  ...others: [limits?: Limits, pieces?: readonly number[]]
): Value {
  const args = metrics === undefined ? '' : `(metrics: ${JSON.stringify(metrics)})`;
  const { values, errors } = ask(`byDate${args} { ${select} }`, body, ...others);
  return { value: values.byDate, errors };
}

const counts = (body: Buffer, metrics?: readonly string[]) => byDate(body, metrics, only('counts'));

it('joins the rows of all entries that have the same date', () => {
  const body = bodyOf(
    [row('2024-01-01', { m: 1, n: 5 }), row('2024-01-03', { m: 2 })],
    null,
    [row('2024-01-02', { m: 4 }), row('2024-01-01', { m: 3, o: null })],
    [row('2024-01-01', { m: 8 })],
  );
  const expected = {
    dates: ['2024-01-01', '2024-01-02', '2024-01-03'],
    metrics: [
      {
        name: 'm',
        counts: [3, 1, 1],
        sums: [12, 4, 2],
        means: [4, 4, 2],
        minimums: [1, 4, 2],
        maximums: [8, 4, 2],
        standardDeviations: [expect.closeTo(Math.sqrt(26 / 3), 12), 0, 0],
        quantiles: [[3, 4, 2]],
      },
      {
        name: 'n',
        ...Object.fromEntries(['sums', 'means', 'minimums', 'maximums'].map((list) => [list, [5, null, null]])),
        counts: [1, 0, 0],
        standardDeviations: [0, null, null],
        quantiles: [[5, null, null]],
      },
      {
        name: 'o',
        ...Object.fromEntries(LISTS.slice(1).map((list) => [list, [null, null, null]])),
        counts: [0, 0, 0],
        quantiles: [[null, null, null]],
      },
    ],
  };
  for (const pieces of [[1 << 20], [1], [40, 3]])
    expect(byDate(body, undefined, ALL, unlimited, pieces)).toEqual({ value: expected, errors: [] });
});

it('has the metrics that are named, each once, also without rows', () => {
  const names = ['nothing', 'm', 'nothing'];
  const metricsOf = (list: readonly number[]) => [
    { name: 'nothing', counts: list.map(() => 0) },
    { name: 'm', counts: list },
  ];
  const of = (dates: readonly string[], list: readonly number[]) => ({
    value: { dates, metrics: metricsOf(list) },
    errors: [],
  });
  expect(counts(bodyOf([row('2024', { n: 1, m: 1 })], [row('2023', { m: 1 })]), names)).toEqual(
    of(['2023', '2024'], [1, 1]),
  );
  expect(counts(bodyOf([], null), names)).toEqual(of([], []));
  expect(counts(bodyOf(), names)).toEqual(of([], []));
  expect(counts(bodyOf(), [])).toEqual({ value: { dates: [], metrics: [] }, errors: [] });
});

describe('dates', () => {
  const datesOf = (...dates: readonly (string | null)[]) =>
    counts(bodyOf(...dates.map((date) => [row(date, { m: 1 })]))).value;

  it('are one if they are the same point in time, as it was received first', () => {
    const same = ['2024-03-01T00:00:00Z', '2024-03-01', '20240301', '2024-03-01T01:00:00.000+01:00', '2024-03'];
    for (const first of same)
      expect(datesOf(first, ...same)).toEqual({ dates: [first], metrics: [{ name: 'm', counts: [6] }] });
  });

  it('differ by a nanosecond, also before 1970', () => {
    const dates = [
      '1969-12-31T23:59:59.999999998Z',
      '1969-12-31T23:59:59.999999999Z',
      '1970-01-01T00:00:00Z',
      '1970-01-01T00:00:00.000000001Z',
      '1970-01-01T00:00:00.001Z',
    ];
    expect(datesOf(...dates.toReversed(), '1970-01-01T00:00:00.0000000019Z')).toEqual({
      dates,
      metrics: [{ name: 'm', counts: [1, 1, 1, 2, 1] }],
    });
  });

  it('are read whole, also if their month and most of their time of day are those of the one before', () => {
    const times = ['01T12:00:00', '02T13:00:00', '02T12:00:00', '03T12:00:01', '03T12:00:00', '03T12:00:10'];
    const dates = times.map((time) => `2024-01-${time}Z`);
    expect(counts(bodyOf(dates.map((date) => row(date, { m: 1 })))).value).toEqual({
      dates: dates.toSorted(),
      metrics: [{ name: 'm', counts: Array(6).fill(1) }],
    });
  });

  it('differ by a nanosecond where the dates of two entries were the same so far', () => {
    const [first, second, third] = [
      '2024-01-01T00:00:00Z',
      '2024-01-01T00:00:00.000000001Z',
      '2024-01-01T00:00:00.000000002Z',
    ];
    const rows = (...dates: unknown[]) => dates.map((date) => row(date, { m: 1 }));
    expect(counts(bodyOf(rows(first, second), rows(first, third), rows(first, second))).value).toEqual({
      dates: [first, second, third],
      metrics: [{ name: 'm', counts: [3, 2, 1] }],
    });
  });

  it('are in the order of their texts if one cannot be read, which is one with the same text', () => {
    expect(datesOf('2024', 'soon', '2023-12-31', 'soon', '2024-01-01T00:00Z', '20230101', 'Soon', '"ä')).toEqual({
      dates: ['"ä', '2023-12-31', '20230101', '2024', 'Soon', 'soon'],
      metrics: [{ name: 'm', counts: [1, 1, 1, 2, 1, 2] }],
    });
  });

  it('are left out where there is none', () => {
    const withoutMember = { metrics: [{ name: 'o', value: 1 }] };
    expect(counts(bodyOf([row(null, { m: 1 }), withoutMember, row('2024', { m: 1 }), row(null, { m: 1 })]))).toEqual({
      value: {
        dates: ['2024'],
        metrics: [
          { name: 'm', counts: [1] },
          { name: 'o', counts: [0] },
        ],
      },
      errors: [],
    });
  });

  it('are sorted whatever their order', () => {
    const days = daysFrom(0, 5000);
    const mixed = days.map((_, index) => days[(index * 1_237) % 5000] as string);
    expect(
      counts(
        bodyOf(
          mixed.slice(0, 2000).map((day) => row(day)),
          mixed.slice(1000).map((day) => row(day)),
        ),
      ),
    ).toEqual({
      value: { dates: days, metrics: [] },
      errors: [],
    });
  });
});

it('writes what is selected under its keys, beside the entries and other fields of all', () => {
  const select = `
    a: __typename
    b: metrics { x: sums quantiles(of: [0, 1]) }
    c: metrics { q: quantiles(of: [1]) }
    d: dates`;
  const { list, values, errors } = read(
    askedOf(`
      series { nodes { rows: rowCount } }
      byDate(metrics: "m") { ${select} }
      metricNames
      two: byDate(metrics: null) { dates @skip(if: true) }`),
    [bodyOf([row('2024', { m: 1, n: 2 })], [row('2024', { m: 3 })])],
  );
  expect({ list: JSON.parse(list), values: values.map((value) => JSON.parse(value)), errors }).toEqual({
    list: [{ rows: 1 }, { rows: 1 }],
    values: [
      { a: 'AggregatesByDate', b: [{ x: [4], quantiles: [[1], [3]] }], c: [{ q: [[3]] }], d: ['2024'] },
      ['m', 'n'],
      {},
    ],
    errors: [],
  });
});

describe('an invalid row', () => {
  const good = row('2024-01-01', { m: 1 });
  const withoutList = { value_date: '2024-01-01', metrics: {} };
  it.each<[string, readonly unknown[], object]>([
    ['has a date of a wrong type', [[good], [good, row([], { m: 1 })]], { kind: 'wrongDate', row: 1, entry: 1 }],
    ['has a value of a wrong type', [[], [row('2024', { m: '1' })]], { kind: 'wrongValue', row: 0, entry: 1 }],
    ['has no list of metrics', [[good], [withoutList, good]], { kind: 'wrongMetrics', row: 0, entry: 1 }],
    [
      'has a wrong date, and one before no list',
      [[good], [withoutList, row(5)], [good]],
      { kind: 'wrongDate', row: 1, entry: 1 },
    ],
    ['is in a list of a wrong type', [[good], 5], { kind: 'wrongType' }],
  ])('%s', (_, lists, error) => {
    expect(byDate(bodyOf(...lists))).toEqual({ value: null, errors: [{ path: ['byDate'], ...error }] });
  });

  it('does not count where nobody needs what it has', () => {
    const body = bodyOf([withoutList], [row('2024-01-01', { m: 1, x: '5' })]);
    const value = { dates: ['2024-01-01'], metrics: [{ name: 'm', counts: [1] }] };
    expect(counts(bodyOf([withoutList], [good]))).toEqual({ value, errors: [] });
    expect(counts(body, ['m']).errors).toEqual([{ path: ['byDate'], kind: 'wrongMetrics', row: 0, entry: 0 }]);
    expect(counts(bodyOf([row('2024-01-01', { m: 1, x: '5' })]), ['m'])).toEqual({ value, errors: [] });
  });
});

it('has quantiles that are null alone if their argument is invalid', () => {
  const body = bodyOf([row('2024', { m: 1, n: 2 })]);
  const { value, errors } = byDate(body, undefined, only('a: quantiles(of: [-0.1])', 'b: quantiles(of: [0.5])'));
  expect(value).toEqual({
    dates: ['2024'],
    metrics: [
      { name: 'm', a: null, b: [[1]] },
      { name: 'n', a: null, b: [[2]] },
    ],
  });
  expect(errors).toEqual([
    expect.objectContaining({ path: ['byDate', 'metrics', 0, 'a'], kind: 'invalidArgument' }),
    expect.objectContaining({ path: ['byDate', 'metrics', 1, 'a'], kind: 'invalidArgument' }),
  ]);
});

describe('limits', () => {
  const fail = (kind: string, of?: object) => ({ value: null, errors: [{ path: ['byDate'], kind, ...of }] });
  const TOO_MANY = {
    message:
      'Results by date have at most 10,000 metrics, 20,000 dates, and 100,000 with those of all metrics. Select a shorter time range or fewer metrics.',
  };
  const valuesOf = (metrics: number) =>
    Object.fromEntries(Array.from({ length: metrics }, (_, index) => [`m${index}`, index]));

  /** Rows of so many days, in entries with others, of which the first row has so many metrics. */
  const listsOf = (most: number, metrics: number) => {
    const days = daysFrom(0, most);
    const half = Math.floor(most / 2);
    return [days.slice(half), days.slice(0, half)].map((part) =>
      part.map((day, index) => row(day, index === 0 ? valuesOf(metrics) : {})),
    );
  };

  it.each<[string, number, number, Parameters<typeof listsOf>]>([
    ['20,000 dates', 20_000, 1, [20_001, 1]],
    ['100,000 entries of all metrics', 4_000, 25, [9_091, 11]],
  ])('has at most %s', (_, most, metrics, more) => {
    const { value, errors } = byDate(bodyOf(...listsOf(most, metrics)));
    expect(errors).toEqual([]);
    const expected = Array.from({ length: metrics }, (__, metric) => {
      const list = (at: number, none: number | null) =>
        Array.from({ length: most }, (___, index) => (index % (most / 2) === 0 ? at : none));
      const [ones, figures] = [list(1, 0), list(metric, null)];
      return {
        name: `m${metric}`,
        counts: ones,
        ...Object.fromEntries(LISTS.slice(1, 5).map((name) => [name, figures])),
        standardDeviations: list(0, null),
        quantiles: [figures],
      };
    });
    expect(value).toEqual({ dates: daysFrom(0, most), metrics: expected });
    expect(byDate(bodyOf(...listsOf(...more)))).toEqual(fail('limitExceeded', TOO_MANY));
  });

  it('counts a metric that comes behind all dates', () => {
    const rows = daysFrom(0, 10_000).map((day, index) => row(day, index === 0 ? valuesOf(10) : {}));
    expect(counts(bodyOf(rows)).errors).toEqual([]);
    expect(counts(bodyOf(rows, [row('1970-01-01', { more: 1 })]))).toEqual(fail('limitExceeded', TOO_MANY));
  });

  it('has at most 10,000 metrics', () => {
    const lists = Array.from({ length: 10 }, (_, list) => [
      row('2024', Object.fromEntries(Array.from({ length: 1000 }, (__, metric) => [`${list}m${metric}`, metric]))),
    ]);
    const { value, errors } = byDate(bodyOf(...lists), undefined, only('maximums'));
    expect(errors).toEqual([]);
    expect((value as { metrics: unknown[] }).metrics.slice(9_999)).toEqual([{ name: '9m999', maximums: [999] }]);
    expect(byDate(bodyOf(...lists, [row('2024', { more: 1 })]))).toEqual(fail('limitExceeded', TOO_MANY));
  });

  it('is null beyond the limit of work', () => {
    const body = bodyOf(daysFrom(0, 1000).map((day, m) => row(day, { m })));
    const { values, reader } = read(askedOf(`byDate { ${ALL} }`), [body]);
    // Rows are taken; dates and values are read, added and sorted.
    expect(reader.spent).toBe((values[0] as string).length + 1000 * (1 + 1 + 1 + 6 + 20 + 20));
    expect(byDate(body, undefined, ALL, { work: reader.spent }).errors).toEqual([]);
    expect(byDate(body, undefined, ALL, { work: reader.spent - 1 })).toEqual(fail('workExceeded'));
  });

  it('is null beyond the limit of memory', () => {
    const rows = daysFrom(0, 1000).map((day, m) => row(day, { m }));
    const longDates = Array.from({ length: 100 }, (_, index) => row('x'.repeat(10_000) + index));
    const within = (memory: number, ...lists: readonly unknown[]) =>
      byDate(bodyOf(...lists), undefined, 'metrics { name counts }', { ...unlimited, memory }, [4096]);
    expect(within(1_000_000, rows).errors).toEqual([]);
    expect(within(200_000, rows)).toEqual(fail('memoryExceeded'));
    expect(within(5_000_000, longDates)).toEqual({ value: { metrics: [] }, errors: [] });
    expect(within(1_000_000, longDates)).toEqual(fail('memoryExceeded'));
  });
});
