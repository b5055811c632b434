import { describe, expect, it } from 'vitest';
import type { Limits, PathError } from '../index.ts';
import { askedOf, askSeries } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { read, unlimited } from './read.ts';

/** `periods`: the values of a series by period of the calendar. */

const LISTS = 'counts sums means minimums maximums standardDeviations';
const only = (...lists: readonly string[]) => `dates metrics { name ${lists.join(' ')} }`;
const ALL = only(LISTS);

interface Result {
  readonly series: readonly unknown[];
  readonly errors: readonly Partial<PathError>[];
}

/** The value of the field of each series. */
function periods(
  body: Buffer,
  args = 'every: MONTH',
  select = ALL,
  ...others: [limits?: Limits, pieces?: readonly number[]]
): Result {
  const { nodes, errors } = askSeries(`periods(${args}) { ${select} }`, body, ...others);
  return { series: nodes.map((node) => (node as { periods: unknown }).periods), errors };
}

const datesOf = ({ series }: Result) => (series[0] as { dates: unknown } | null)?.dates;

const months = [
  row('2024-01-01T00:00:00Z', { m: 1, n: 5 }),
  row('2024-01-31T23:59:59.999999999Z', { m: 3 }),
  row('2024-02-01T00:30:00+01:00', { m: 8 }),
  row('2024-04-01', { m: 2, n: null }),
];

it('has all periods from the first row to the last, and the figures of each', () => {
  const expected = {
    dates: ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01'],
    metrics: [
      {
        name: 'm',
        counts: [3, 0, 0, 1],
        sums: [12, null, null, 2],
        means: [4, null, null, 2],
        minimums: [1, null, null, 2],
        maximums: [8, null, null, 2],
        standardDeviations: [expect.closeTo(Math.sqrt(26 / 3), 12), null, null, 0],
      },
      {
        name: 'n',
        counts: [1, 0, 0, 0],
        sums: [5, null, null, null],
        means: [5, null, null, null],
        minimums: [5, null, null, null],
        maximums: [5, null, null, null],
        standardDeviations: [0, null, null, null],
      },
    ],
  };
  for (const pieces of [[1 << 20], [1], [7, 50]])
    expect(periods(bodyOf(months), undefined, ALL, unlimited, pieces)).toEqual({ series: [expected], errors: [] });
});

it('has the same periods whatever the order of the rows', () => {
  const { series } = periods(bodyOf(months.toReversed(), months));
  expect(series[0]).toEqual({
    ...(series[1] as object),
    metrics: [expect.objectContaining({ name: 'm', counts: [3, 0, 0, 1] }), expect.objectContaining({ name: 'n' })],
  });
});

const TOO_MANY = 'A series has at most 10,000 periods, and 100,000 with those of all metrics. Select longer periods.';

describe('the first day of a period', () => {
  it.each([
    ['DAY', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['WEEK', ['2024-02-26']],
    ['MONTH', ['2024-02-01', '2024-03-01']],
    ['QUARTER', ['2024-01-01']],
    ['YEAR', ['2024-01-01']],
  ])('of %s', (every, dates) => {
    const rows = daysFrom(19_781, 3).map((day) => row(`${day}T12:00:00Z`, { m: 1 }));
    const result = periods(bodyOf(rows), `every: ${every}`);
    expect(result.errors).toEqual([]);
    expect(datesOf(result)).toEqual(dates);
  });

  it('is in UTC, and a Monday also before 1970', () => {
    const rows = [row('1970-01-01T00:00:00+14:00', { m: 1 }), row('1969-12-28T23:59:59.9Z', { m: 1 })];
    expect(datesOf(periods(bodyOf(rows), 'every: WEEK'))).toEqual(['1969-12-22', '1969-12-29']);
    expect(datesOf(periods(bodyOf(rows), 'every: YEAR'))).toEqual(['1969-01-01']);
  });

  it('has a sign and six digits in years that four digits do not have', () => {
    const rows = [row('0000-01-01T00:00:00+01:00', { m: 1 })];
    expect(datesOf(periods(bodyOf(rows), 'every: DAY'))).toEqual(['-000001-12-31']);
    expect(datesOf(periods(bodyOf([row('9999-12-31T23:00:00-02:00')]), 'every: YEAR'))).toEqual(['+010000-01-01']);
  });

  it('is that of each date, whatever the form and the day of the one before', () => {
    const dates = [
      ...['2024-01-31T00:00:00Z', '2024-01-28T00:00:00Z', '2024-01-29T00:00:00Z', '2024-02-28T00:00:00Z'],
      ...['2024-02-01T12:00:00Z', '2024-02-02T12:00:00Z', '2024-02-02T12:00:01Z', '2024-02-03', '2024-02-04T12:00:01Z'],
    ];
    const result = periods(bodyOf(dates.map((date) => row(date, { m: 1 }))), 'every: DAY', only('counts'));
    const { metrics } = result.series[0] as { metrics: [{ counts: number[] }] };
    const days = [...metrics[0].counts.entries()].flatMap(([day, count]) => Array(count).fill(day + 28));
    expect(days).toEqual([28, 29, 31, 32, 33, 33, 34, 35, 59]);
  });

  it.each(['2024-02-30T00:00:00Z', '2024-02-00T00:00:00Z', '2024-02-0:T00:00:00Z', '2023-02-29T00:00:00Z'])(
    'is of no date that the calendar does not have: %s',
    (date) => {
      const before = date.startsWith('2023') ? '2023-02-01T00:00:00Z' : '2024-02-01T00:00:00Z';
      expect(periods(bodyOf([row(before), row(date)])).errors).toEqual([
        { path: [0, 'periods'], kind: 'unreadableDate', row: 1 },
      ]);
    },
  );
});

it('has the metrics that are named, each once, in their order', () => {
  const args = 'every: YEAR, metrics: ["n", "nothing", "m", "n"]';
  expect(periods(bodyOf(months), args, only('counts')).series).toEqual([
    {
      dates: ['2024-01-01'],
      metrics: [
        { name: 'n', counts: [1] },
        { name: 'nothing', counts: [0] },
        { name: 'm', counts: [4] },
      ],
    },
  ]);
  expect(periods(bodyOf(months), 'every: YEAR, metrics: []').series).toEqual([{ dates: ['2024-01-01'], metrics: [] }]);
});

it('writes what is selected under its keys', () => {
  const select = `
    a: __typename
    b: metrics { name @skip(if: true) }
    c: metrics { sums: counts d: quantiles(of: [0.5]) e: quantiles(of: []) }
    f: metrics { d: quantiles(of: [0, 1]) name }
    g: dates h: dates`;
  expect(periods(bodyOf(months), 'every: QUARTER, metrics: ["m"]', select).series).toEqual([
    {
      a: 'AggregatesByDate',
      b: [{}],
      c: [{ sums: [3, 1], d: [[3, 2]], e: [] }],
      f: [
        {
          d: [
            [1, 2],
            [8, 2],
          ],
          name: 'm',
        },
      ],
      g: ['2024-01-01', '2024-04-01'],
      h: ['2024-01-01', '2024-04-01'],
    },
  ]);
  expect(periods(bodyOf(months), 'every: QUARTER', 'dates @skip(if: true)').series).toEqual([{}]);
});

it('has empty lists without rows, and is null without a list', () => {
  const result = periods(bodyOf([], null, 5), 'every: DAY, metrics: ["m"]', only('sums', 'quantiles(of: [0.5])'));
  expect(result.series).toEqual([{ dates: [], metrics: [{ name: 'm', sums: [], quantiles: [[]] }] }, null, null]);
  expect(result.errors).toEqual([{ path: [2, 'periods'], kind: 'wrongType' }]);
});

it('begins each series anew, also behind one that failed', () => {
  const bad = [row('2024-01-01', { m: 7, x: 1 }), { value_date: '2024-01-01', metrics: 5 }];
  const large = [1.5e308, 1.5e308, 7].map((m) => row('2024-03-01', { m }));
  const lists = [months, [row('2024-02-01', { m: 50 })], large, bad, [row('2024-02-01', { n: 2, m: 4 })], [], months];
  const select = only(LISTS, 'quantiles(of: [0.5])');
  const alone = lists.map((list) => periods(bodyOf(list), undefined, select).series[0]);
  const { series, errors } = periods(bodyOf(...lists), undefined, select);
  expect(series).toEqual(alone);
  expect(alone.map((each) => each !== null)).toEqual([true, true, true, false, true, true, true]);
  expect(errors.map(({ path, kind }) => ({ path, kind }))).toEqual([{ path: [3, 'periods'], kind: 'wrongMetrics' }]);
});

describe('an invalid row', () => {
  const good = row('2024-01-01', { m: 1 });
  const withoutList = { value_date: '2024-01-01', metrics: {} };
  it.each<[string, readonly object[], string, number]>([
    ['has no date', [good, row(null, { m: 1 })], 'noDate', 1],
    ['has no member for a date', [good, good, { metrics: [] }], 'noDate', 2],
    ['has a date that cannot be read', [row('soon', { m: 1 })], 'unreadableDate', 0],
    ['has a date of a wrong type', [good, row(5, { m: 1 })], 'wrongDate', 1],
    ['has a value of a wrong type', [good, row('2024-01-01', { m: '1' })], 'wrongValue', 1],
    ['has no list of metrics', [withoutList, good], 'wrongMetrics', 0],
    ['has no list of metrics, and one behind it no date', [withoutList, row(null), good], 'wrongMetrics', 0],
    [
      'has no date, and one before no list, but none has metrics',
      [withoutList, row(null), row('2024-01-01')],
      'noDate',
      1,
    ],
    ['has a wrong date, and one before no list', [withoutList, row(5), good], 'wrongMetrics', 0],
    ['has a wrong value, and one before no list', [withoutList, row('2024', { m: [] })], 'wrongMetrics', 0],
    ['is behind periods that are too many', [row('0001-01-01'), row('9999-01-01'), row(null)], 'limitExceeded', -1],
  ])('%s', (_, rows, kind, at) => {
    const result = periods(bodyOf(rows, [good]), 'every: DAY');
    expect(result.series).toEqual([null, expect.objectContaining({ dates: ['2024-01-01'] })]);
    expect(result.errors).toEqual([{ path: [0, 'periods'], kind, ...(at >= 0 ? { row: at } : { message: TOO_MANY }) }]);
  });

  it('does not count where nobody needs what it has', () => {
    const rows = [
      row('2024-01-01', { m: 1, x: '5' }),
      { value_date: '2024-01-02', metrics: [5, { name: 7, value: [] }] },
    ];
    expect(periods(bodyOf(rows), 'every: YEAR, metrics: ["m"]', only('counts'))).toEqual({
      series: [{ dates: ['2024-01-01'], metrics: [{ name: 'm', counts: [1] }] }],
      errors: [],
    });
    expect(periods(bodyOf([withoutList, withoutList]), 'every: YEAR')).toEqual({
      series: [{ dates: ['2024-01-01'], metrics: [] }],
      errors: [],
    });
  });

  it('is too large', () => {
    const result = periods(bodyOf([good, row('2024-01-01', { m: 1, n: 'x'.repeat(300) })]), undefined, ALL, {
      ...unlimited,
      part: 200,
    });
    expect(result.series).toEqual([null]);
    expect(result.errors).toEqual([{ path: [0, 'periods'], kind: 'tooLargeRow', row: 1 }]);
  });
});

it('has no value of a text that says that there is none, and the first one of a metric that is repeated', () => {
  const metrics = [
    { name: 'm', value: 'NaN' },
    { name: 'm', value: 5 },
    { name: 'n', value: 2 },
    { name: 'n', value: [] },
  ];
  const { series, errors } = periods(bodyOf([{ value_date: '2024', metrics }]), undefined, only('sums'));
  expect({ series, errors }).toEqual({
    series: [
      {
        dates: ['2024-01-01'],
        metrics: [
          { name: 'm', sums: [null] },
          { name: 'n', sums: [2] },
        ],
      },
    ],
    errors: [],
  });
});

it('keeps what rounding loses, and sums beyond the range of doubles while they are on the way', () => {
  const values = {
    '2024-01': [1e16, 1, 1, -1e16],
    '2024-02': [1e308, 1e308, -1e308],
    '2024-03': [1.5e308, 1.5e308, 3],
  };
  const rows = Object.entries(values).flatMap(([month, list]) => list.map((m) => row(`${month}-01`, { m })));
  // In turns, so that each period goes on several times.
  const inTurns = [0, 4, 7, 1, 5, 8, 2, 6, 9, 3].map((index) => rows[index]);
  for (const order of [rows, inTurns]) {
    const { series } = periods(bodyOf(order), undefined, only('sums', 'means'));
    expect(series).toEqual([
      {
        dates: ['2024-01-01', '2024-02-01', '2024-03-01'],
        metrics: [{ name: 'm', sums: [2, 1e308, null], means: [0.5, expect.closeTo(1e308 / 3, -295), 1e308] }],
      },
    ]);
  }
});

it('has deviations of values that are large, and of those whose squares are beyond the range of doubles', () => {
  const values = { '2024-01': [1e9, 1e9 + 2], '2024-02': [1e200, 3e200], '2024-03': [7, 7] };
  // A run without values changes nothing.
  const rows = Object.entries(values).flatMap(([month, list]) => list.map((m) => row(`${month}-01`, { m })));
  rows.push(row('2024-01-01', { m: null }));
  const { series } = periods(bodyOf(rows), undefined, only('standardDeviations'));
  expect(series).toEqual([expect.objectContaining({ metrics: [{ name: 'm', standardDeviations: [1, 1e200, 0] }] })]);
});

describe('quantiles', () => {
  it('are linear between ranks, a list for each of the argument', () => {
    const rows = [4, 1, 3, 2].map((m, day) => row(`2024-0${1 + (day & 1)}-01`, { m }));
    const { series } = periods(bodyOf(rows), undefined, only('quantiles(of: [0, 0.25, 1, 0.25])'));
    const low = [3.25, 1.25];
    expect(series).toEqual([
      expect.objectContaining({ metrics: [{ name: 'm', quantiles: [[3, 1], low, [4, 2], low] }] }),
    ]);
  });

  it('are null alone if their argument is invalid', () => {
    const twenty = Array(20).fill(0.5);
    const select = only(
      'a: quantiles(of: [1.1])',
      `b: quantiles(of: [${twenty}, 1])`,
      `c: quantiles(of: [${twenty}])`,
      'counts',
    );
    const result = periods(bodyOf(months), 'every: YEAR, metrics: ["n", "m"]', select);
    expect(result.series).toEqual([
      {
        dates: ['2024-01-01'],
        metrics: [
          { name: 'n', a: null, b: null, c: twenty.map(() => [5]), counts: [1] },
          { name: 'm', a: null, b: null, c: twenty.map(() => [2.5]), counts: [4] },
        ],
      },
    ]);
    expect(result.errors.map(({ path, kind }) => [...(path ?? []), kind])).toEqual([
      [0, 'periods', 'metrics', 0, 'a', 'invalidArgument'],
      [0, 'periods', 'metrics', 0, 'b', 'limitExceeded'],
      [0, 'periods', 'metrics', 1, 'a', 'invalidArgument'],
      [0, 'periods', 'metrics', 1, 'b', 'limitExceeded'],
    ]);
  });
});

describe('limits', () => {
  const fail = (kind: string, message?: string) => [{ path: [0, 'periods'], kind, ...(message && { message }) }];
  /** The rows of the first and the last of so many days, with so many metrics. */
  const span = (days: number, metrics: number) => {
    const values = Object.fromEntries(Array.from({ length: metrics }, (_, index) => [`m${index}`, index]));
    return daysFrom(0, days)
      .filter((_, day) => day === 0 || day === days - 1)
      .map((day) => row(day, values));
  };

  it.each<[string, number, number, Parameters<typeof span>]>([
    ['10,000 periods', 10_000, 1, [10_001, 1]],
    ['100,000 entries of all metrics', 4_000, 25, [9_091, 11]],
  ])('has at most %s', (_, most, metrics, more) => {
    const good = periods(bodyOf(span(most, metrics)), 'every: DAY');
    expect(good.errors).toEqual([]);
    expect(datesOf(good)).toEqual(daysFrom(0, most));
    expect((good.series[0] as { metrics: unknown[] }).metrics).toEqual(
      Array.from({ length: metrics }, (__, metric) => {
        const list = (at: number | null, none: number | null) => [at, ...Array(most - 2).fill(none), at];
        const [counts, values] = [list(1, 0), list(metric, null)];
        const figures = { sums: values, means: values, minimums: values, maximums: values };
        return { name: `m${metric}`, counts, ...figures, standardDeviations: list(0, null) };
      }),
    );
    const bad = periods(bodyOf(span(...more), [row('2024')]), 'every: DAY');
    expect(bad.series).toEqual([null, expect.anything()]);
    expect(bad.errors).toEqual(fail('limitExceeded', TOO_MANY));
    expect(periods(bodyOf(span(...more).toReversed()), 'every: DAY').series).toEqual([null]);
  });

  it('counts a metric that comes behind all periods', () => {
    const rows = [...span(10_000, 10), row(daysFrom(9_999, 1)[0], { more: 1 })];
    expect(periods(bodyOf(rows), 'every: DAY').errors).toEqual(fail('limitExceeded', TOO_MANY));
    expect(periods(bodyOf(rows.slice(0, 2)), 'every: DAY').errors).toEqual([]);
  });

  it('has as many metrics as entries', () => {
    const rows = Array.from({ length: 100 }, (_, index) =>
      row('2024', Object.fromEntries(Array.from({ length: 1000 }, (__, metric) => [`${index}m${metric}`, metric]))),
    );
    const good = periods(bodyOf(rows), undefined, only('sums'));
    expect(good.errors).toEqual([]);
    expect((good.series[0] as { metrics: unknown[] }).metrics.slice(99_998)).toEqual([
      { name: '99m998', sums: [998] },
      { name: '99m999', sums: [999] },
    ]);
    expect(periods(bodyOf([...rows, row('2024', { more: 1 })])).errors).toEqual(fail('limitExceeded', TOO_MANY));
  });

  it('has at most 1,000 names', () => {
    const metrics = Array(1000).fill('"m"');
    expect(periods(bodyOf(months), `every: YEAR, metrics: [${metrics}]`).errors).toEqual([]);
    expect(periods(bodyOf(months), `every: YEAR, metrics: [${metrics}, "m"]`).errors).toEqual(
      fail('limitExceeded', 'A list of metric names must have at most 1000 entries.'),
    );
  });

  it('is null beyond the limit of work: bytes that are written, and what is read and computed', () => {
    const { list, reader } = read(askedOf(`series { nodes { periods(every: YEAR) { ${ALL} } } }`), [bodyOf(months)]);
    const value = list.slice('[{"periods":'.length, -'}]'.length);
    // Four rows are taken; four dates and six values are read, and the values added.
    expect(reader.spent).toBe('{"periods":}'.length + value.length + 4 + 4 + 6 + 6 * 6);
    const at = (work: number) => periods(bodyOf(months), 'every: YEAR', ALL, { work });
    expect(at(reader.spent - '}'.length).errors).toEqual([]);
    expect(at(reader.spent - '}'.length - 1).errors).toEqual(fail('workExceeded'));
  });

  it('is null beyond the limit of memory, which the next series has again', () => {
    const rows = daysFrom(0, 5000).map((day, m) => row(day, { m }));
    const within = (memory: number) =>
      periods(bodyOf(rows, [row('2024')]), 'every: DAY', only('sums'), { ...unlimited, memory }, [4096]);
    expect(within(2_000_000).errors).toEqual([]);
    expect(within(200_000).series).toEqual([null, { dates: ['2024-01-01'], metrics: [] }]);
    expect(within(200_000).errors).toEqual(fail('memoryExceeded'));
  });

  it('keeps the dates of at most 10,000 periods', () => {
    // Those of all series would take 10 MB.
    const lists = Array.from({ length: 10 }, (_, index) =>
      [0, 9_999].map((day) => row(daysFrom(10_000 * index + day, 1)[0])),
    );
    const { series, errors } = periods(bodyOf(...lists), 'every: DAY', 'dates', {
      ...unlimited,
      memory: 5_000_000,
    });
    expect(errors).toEqual([]);
    expect(series).toEqual(lists.map((_, index) => ({ dates: daysFrom(10_000 * index, 10_000) })));
    const many = periods(bodyOf(...lists), 'every: DAY', 'dates', { ...unlimited, memory: 500_000 });
    expect(many.errors[0]).toEqual(fail('memoryExceeded')[0]);
  });
});
