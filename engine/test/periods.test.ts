import { describe, expect, it } from 'vitest';
import { type Asked, type Limits, type PathError, Selection } from '../index.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { inPieces, read, unlimited } from './read.ts';

/** `periods`: the values of a series by period of the calendar. */

const LISTS = ['counts', 'sums', 'means', 'minimums', 'maximums', 'standardDeviations'];

const leaf = (field: string): Asked => ({ key: field, field });
const quantiles = (of: readonly number[], key = 'quantiles'): Asked => ({ key, field: 'quantiles', args: { of } });
const all: readonly Asked[] = [
  leaf('dates'),
  { key: 'metrics', field: 'metrics', select: ['name', ...LISTS].map(leaf) },
];
const only = (...lists: readonly Asked[]): readonly Asked[] => [
  leaf('dates'),
  { key: 'metrics', field: 'metrics', select: [leaf('name'), ...lists] },
];

interface Result {
  readonly series: readonly unknown[];
  readonly errors: readonly PathError[];
}

/** The value of the field of each series. */
function periods(
  body: Buffer,
  args: Asked['args'] = { every: 'MONTH' },
  select: readonly Asked[] = all,
  limits: Limits = unlimited,
  pieces: readonly number[] = [body.length],
): Result {
  const selection = new Selection({ entries: [{ key: 'periods', field: 'periods', args, select }] });
  const { list, errors } = read(selection, inPieces(body, pieces), limits);
  return { series: JSON.parse(list).map((node: { periods: unknown }) => node.periods), errors };
}

const datesOf = ({ series }: Result) => (series[0] as { dates: unknown } | null)?.dates;

/** Errors without what is undefined. */
const shown = ({ errors }: Result) => errors.map((error) => JSON.parse(JSON.stringify(error)));

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
    expect(periods(bodyOf(months), undefined, all, unlimited, pieces)).toEqual({ series: [expected], errors: [] });
});

it('has the same periods whatever the order of the rows', () => {
  const { series } = periods(bodyOf(months.toReversed(), months));
  expect(series[0]).toEqual({
    ...(series[1] as object),
    metrics: [expect.objectContaining({ name: 'm', counts: [3, 0, 0, 1] }), expect.objectContaining({ name: 'n' })],
  });
});

describe('the first day of a period', () => {
  it.each([
    ['DAY', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['WEEK', ['2024-02-26']],
    ['MONTH', ['2024-02-01', '2024-03-01']],
    ['QUARTER', ['2024-01-01']],
    ['YEAR', ['2024-01-01']],
  ])('of %s', (every, dates) => {
    const rows = daysFrom(19_781, 3).map((day) => row(`${day}T12:00:00Z`, { m: 1 }));
    const result = periods(bodyOf(rows), { every });
    expect(result.errors).toEqual([]);
    expect(datesOf(result)).toEqual(dates);
  });

  it('is in UTC, and a Monday also before 1970', () => {
    const rows = [row('1970-01-01T00:00:00+14:00', { m: 1 }), row('1969-12-28T23:59:59.9Z', { m: 1 })];
    expect(datesOf(periods(bodyOf(rows), { every: 'WEEK' }))).toEqual(['1969-12-22', '1969-12-29']);
    expect(datesOf(periods(bodyOf(rows), { every: 'YEAR' }))).toEqual(['1969-01-01']);
  });

  it('has a sign and six digits in years that four digits do not have', () => {
    const rows = [row('0000-01-01T00:00:00+01:00', { m: 1 })];
    expect(datesOf(periods(bodyOf(rows), { every: 'DAY' }))).toEqual(['-000001-12-31']);
    expect(datesOf(periods(bodyOf([row('9999-12-31T23:00:00-02:00')]), { every: 'YEAR' }))).toEqual(['+010000-01-01']);
  });

  it('is that of each date, whatever the form and the day of the one before', () => {
    const dates = [
      ...['2024-01-31T00:00:00Z', '2024-01-28T00:00:00Z', '2024-01-29T00:00:00Z', '2024-02-28T00:00:00Z'],
      ...['2024-02-01T12:00:00Z', '2024-02-02T12:00:00Z', '2024-02-02T12:00:01Z', '2024-02-03', '2024-02-04T12:00:01Z'],
    ];
    const result = periods(bodyOf(dates.map((date) => row(date, { m: 1 }))), { every: 'DAY' }, only(leaf('counts')));
    const { metrics } = result.series[0] as { metrics: [{ counts: number[] }] };
    const days = [...metrics[0].counts.entries()].flatMap(([day, count]) => Array(count).fill(day + 28));
    expect(days).toEqual([28, 29, 31, 32, 33, 33, 34, 35, 59]);
  });

  it.each(['2024-02-30T00:00:00Z', '2024-02-00T00:00:00Z', '2024-02-0:T00:00:00Z', '2023-02-29T00:00:00Z'])(
    'is of no date that the calendar does not have: %s',
    (date) => {
      const before = date.startsWith('2023') ? '2023-02-01T00:00:00Z' : '2024-02-01T00:00:00Z';
      expect(shown(periods(bodyOf([row(before), row(date)])))).toEqual([
        { path: [0, 'periods'], kind: 'unreadableDate', row: 1 },
      ]);
    },
  );
});

it('has the metrics that are named, each once, in their order', () => {
  const args = { every: 'YEAR', metrics: ['n', 'nothing', 'm', 'n'] };
  expect(periods(bodyOf(months), args, only(leaf('counts'))).series).toEqual([
    {
      dates: ['2024-01-01'],
      metrics: [
        { name: 'n', counts: [1] },
        { name: 'nothing', counts: [0] },
        { name: 'm', counts: [4] },
      ],
    },
  ]);
  expect(periods(bodyOf(months), { every: 'YEAR', metrics: [] }).series).toEqual([
    { dates: ['2024-01-01'], metrics: [] },
  ]);
});

it('writes what is selected under its keys', () => {
  const select: readonly Asked[] = [
    { key: 'a', field: 'constant', args: { json: '"AggregatesByDate"' } },
    { key: 'b', field: 'metrics', select: [] },
    {
      key: 'c',
      field: 'metrics',
      select: [{ key: 'sums', field: 'counts' }, quantiles([0.5], 'd'), quantiles([], 'e')],
    },
    { key: 'f', field: 'metrics', select: [{ key: 'd', field: 'quantiles', args: { of: [0, 1] } }, leaf('name')] },
    { key: 'g', field: 'dates' },
    { key: 'h', field: 'dates' },
  ];
  expect(periods(bodyOf(months), { every: 'QUARTER', metrics: ['m'] }, select).series).toEqual([
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
  expect(periods(bodyOf(months), { every: 'QUARTER' }, []).series).toEqual([{}]);
});

it('has empty lists without rows, and is null without a list', () => {
  const result = periods(bodyOf([], null, 5), { every: 'DAY', metrics: ['m'] }, only(leaf('sums'), quantiles([0.5])));
  expect(result.series).toEqual([{ dates: [], metrics: [{ name: 'm', sums: [], quantiles: [[]] }] }, null, null]);
  expect(shown(result)).toEqual([{ path: [2, 'periods'], kind: 'wrongType' }]);
});

it('begins each series anew, also behind one that failed', () => {
  const bad = [row('2024-01-01', { m: 7, x: 1 }), { value_date: '2024-01-01', metrics: 5 }];
  const select = only(...LISTS.slice(0, 5).map(leaf), leaf('standardDeviations'), quantiles([0.5]));
  const one = periods(bodyOf(months), undefined, select).series;
  const { series, errors } = periods(bodyOf(months, bad, months, [], months), undefined, select);
  expect(series).toEqual([...one, null, ...one, { dates: [], metrics: [] }, ...one]);
  expect(errors.map(({ path, kind }) => ({ path, kind }))).toEqual([{ path: [1, 'periods'], kind: 'wrongMetrics' }]);
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
    ['is behind periods that are too many', [row('0001-01-01'), row('9999-01-01'), row(null)], 'tooManyPeriods', -1],
  ])('%s', (_, rows, kind, at) => {
    const result = periods(bodyOf(rows, [good]), { every: 'DAY' });
    expect(result.series).toEqual([null, expect.objectContaining({ dates: ['2024-01-01'] })]);
    expect(shown(result)).toEqual([{ path: [0, 'periods'], kind, ...(at >= 0 && { row: at }) }]);
  });

  it('does not count where nobody needs what it has', () => {
    const rows = [
      row('2024-01-01', { m: 1, x: '5' }),
      { value_date: '2024-01-02', metrics: [5, { name: 7, value: [] }] },
    ];
    expect(periods(bodyOf(rows), { every: 'YEAR', metrics: ['m'] }, only(leaf('counts')))).toEqual({
      series: [{ dates: ['2024-01-01'], metrics: [{ name: 'm', counts: [1] }] }],
      errors: [],
    });
    expect(periods(bodyOf([withoutList, withoutList]), { every: 'YEAR' })).toEqual({
      series: [{ dates: ['2024-01-01'], metrics: [] }],
      errors: [],
    });
  });

  it('is too large', () => {
    const result = periods(bodyOf([good, row('2024-01-01', { m: 1, n: 'x'.repeat(300) })]), undefined, all, {
      ...unlimited,
      part: 200,
    });
    expect(result.series).toEqual([null]);
    expect(shown(result)).toEqual([{ path: [0, 'periods'], kind: 'tooLargeRow', row: 1 }]);
  });
});

it('has no value of a text that says that there is none, and the first one of a metric that is repeated', () => {
  const metrics = [
    { name: 'm', value: 'NaN' },
    { name: 'm', value: 5 },
    { name: 'n', value: 2 },
    { name: 'n', value: [] },
  ];
  const { series, errors } = periods(bodyOf([{ value_date: '2024', metrics }]), undefined, only(leaf('sums')));
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
    const { series } = periods(bodyOf(order), undefined, only(leaf('sums'), leaf('means')));
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
  const rows = Object.entries(values).flatMap(([month, list]) => list.map((m) => row(`${month}-01`, { m })));
  const { series } = periods(bodyOf(rows), undefined, only(leaf('standardDeviations')));
  expect(series).toEqual([expect.objectContaining({ metrics: [{ name: 'm', standardDeviations: [1, 1e200, 0] }] })]);
});

describe('quantiles', () => {
  it('are linear between ranks, a list for each of the argument', () => {
    const rows = [4, 1, 3, 2].map((m, day) => row(`2024-0${1 + (day & 1)}-01`, { m }));
    const { series } = periods(bodyOf(rows), undefined, only(quantiles([0, 0.25, 1, 0.25])));
    const low = [3.25, 1.25];
    expect(series).toEqual([
      expect.objectContaining({ metrics: [{ name: 'm', quantiles: [[3, 1], low, [4, 2], low] }] }),
    ]);
  });

  it('are null alone if their argument is invalid', () => {
    const twenty = Array(20).fill(0.5);
    const select = only(quantiles([1.1], 'a'), quantiles([...twenty, 1], 'b'), quantiles(twenty, 'c'), leaf('counts'));
    const result = periods(bodyOf(months), { every: 'YEAR', metrics: ['n', 'm'] }, select);
    expect(result.series).toEqual([
      {
        dates: ['2024-01-01'],
        metrics: [
          { name: 'n', a: null, b: null, c: twenty.map(() => [5]), counts: [1] },
          { name: 'm', a: null, b: null, c: twenty.map(() => [2.5]), counts: [4] },
        ],
      },
    ]);
    expect(result.errors.map(({ path, kind }) => [...path, kind])).toEqual([
      [0, 'periods', 'metrics', 0, 'a', 'invalidArgument'],
      [0, 'periods', 'metrics', 0, 'b', 'tooManyQuantiles'],
      [0, 'periods', 'metrics', 1, 'a', 'invalidArgument'],
      [0, 'periods', 'metrics', 1, 'b', 'tooManyQuantiles'],
    ]);
  });
});

describe('limits', () => {
  const fail = (kind: string) => [{ path: [0, 'periods'], kind }];
  /** The rows of the first and the last of so many days, with so many metrics. */
  const span = (days: number, metrics: number) => {
    const values = Object.fromEntries(Array.from({ length: metrics }, (_, index) => [`m${index}`, index]));
    return daysFrom(0, days)
      .filter((_, day) => day === 0 || day === days - 1)
      .map((day) => row(day, values));
  };

  it.each([
    ['10,000 periods', 10_000, 1, 10_001],
    ['100,000 entries of all metrics', 4_000, 25, 4_001],
  ])('has at most %s', (_, most, metrics, more) => {
    const good = periods(bodyOf(span(most, metrics)), { every: 'DAY' });
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
    const bad = periods(bodyOf(span(more, metrics), [row('2024')]), { every: 'DAY' });
    expect(bad.series).toEqual([null, expect.anything()]);
    expect(shown(bad)).toEqual(fail('tooManyPeriods'));
    expect(periods(bodyOf(span(more, metrics).toReversed()), { every: 'DAY' }).series).toEqual([null]);
  });

  it('counts a metric that comes behind all periods', () => {
    const rows = [...span(10_000, 10), row('1970-01-01', { more: 1 })];
    expect(shown(periods(bodyOf(rows), { every: 'DAY' }))).toEqual(fail('tooManyPeriods'));
    expect(periods(bodyOf(rows.slice(0, 2)), { every: 'DAY' }).errors).toEqual([]);
  });

  it('has as many metrics as entries', () => {
    const rows = Array.from({ length: 100 }, (_, index) =>
      row('2024', Object.fromEntries(Array.from({ length: 1000 }, (__, metric) => [`${index}m${metric}`, metric]))),
    );
    const good = periods(bodyOf(rows), undefined, only(leaf('sums')));
    expect(good.errors).toEqual([]);
    expect((good.series[0] as { metrics: unknown[] }).metrics.slice(99_998)).toEqual([
      { name: '99m998', sums: [998] },
      { name: '99m999', sums: [999] },
    ]);
    expect(shown(periods(bodyOf([...rows, row('2024', { more: 1 })])))).toEqual(fail('tooManyMetrics'));
  });

  it('has at most 1,000 names', () => {
    const metrics = Array(1000).fill('m');
    expect(periods(bodyOf(months), { every: 'YEAR', metrics }).errors).toEqual([]);
    expect(shown(periods(bodyOf(months), { every: 'YEAR', metrics: [...metrics, 'm'] }))).toEqual(fail('tooManyNames'));
  });

  it('is null beyond the limit of work', () => {
    const { reader } = read({ entries: [{ key: 'periods', field: 'periods', args: { every: 'DAY' }, select: all }] }, [
      bodyOf(months),
    ]);
    const at = (work: number) => periods(bodyOf(months), { every: 'DAY' }, all, { work });
    expect(at(reader.spent).errors).toEqual([]);
    expect(shown(at(reader.spent - 1))).toEqual(fail('workExceeded'));
  });

  it('takes memory by the rows, gives it back, and is null beyond the limit', () => {
    const select = [...all, ...only(quantiles([0.5], 'q')).slice(1)].map((each, index) => ({
      ...each,
      key: `${index}`,
    }));
    const ask = { entries: [{ key: 'periods', field: 'periods', args: { every: 'DAY' }, select }] };
    const large = daysFrom(0, 5000).map((day, m) => row(day, { m }));
    const heldBy = (...lists: readonly unknown[]) => read(ask, [bodyOf(...lists)]).reader.bytes;
    const small = [row('2024-01-01', { other: 1 })];
    const input = (bytes: number) => Math.abs(bytes) < 10_000;
    expect(input(heldBy(large, small) - heldBy(large, small, small))).toBe(true);
    const memory = 1_000_000;
    const result = periods(bodyOf(large, small), { every: 'DAY' }, select, { ...unlimited, memory }, [4096]);
    expect(result.series).toEqual([null, expect.anything()]);
    expect(shown(result)).toEqual(fail('memoryExceeded'));
  });
});
