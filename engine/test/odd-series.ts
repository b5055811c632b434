import { daysFrom, row } from './bodies.ts';

/** Series with everything that decides on what is computed of rows: the value of `results` of an asset, or its JSON. */

const metric = (name?: unknown, value?: unknown) => ({ name, value });
const on = (date: unknown, ...metrics: unknown[]) => ({ value_date: date, metrics });
const dated = (...dates: unknown[]) => dates.map((date, m) => row(date, { m }));
const valued = (...values: unknown[]) => values.map((m) => row('2024-01-01', { m }));
const many = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, index) => of(index));

const good = row('2024-01-01', { m: 1 });
const noList = { value_date: '2024-01-01', metrics: {} };
const DAY = '2024-01-01';
const PRECISE = '2024-01-01T00:00:00.000000005Z';

const usual = [
  row('2024-03-01', { m: 3, n: null }),
  row('2024-01-01', { m: -1, late: 7 }),
  row('2024-02-01', { m: 3, n: 0.5 }),
  row('2024-04-01'),
  on('2024-05-01', metric('m', 1), metric('m', 9), metric(null), metric(undefined, 5)),
  { value_date: '2024-06-01', metrics: null },
  row('2024-07-01', { m: 'NaN', n: '-infinity' }),
];

/** Values that lose digits where they are added one after another, or whose sums or squares are beyond the range of doubles. */
const MAX = Number.MAX_VALUE;
const hardValues = {
  'that cancel out': [1e100, 1, -1e100, 1],
  'that cancel out, with a rest': [1e16, 1, 1, -1e16],
  'that are nearly equal and large': many(300, (index) => 4e15 + ((index * index) % 11) / 2),
  'whose sum is beyond the range of doubles': [1.5e308, 1.5e308, 3],
  'whose sum is beyond it on the way': [MAX, MAX, -MAX],
  'whose squares are beyond it': [1e200, 3e200, MAX, -MAX],
  'that are equal': [7, 7],
  'of all kinds of zero': ['-0', -0, 0, null],
};

/** Dates of which the first is before the second one. */
const inOrder = [
  ['2024-01-02T00:00:00+02:00', '2024-01-01T23:00:00Z'],
  ['2024-01-01T23:00:00Z', '2024-01-01T23:00:00.000000001Z'],
  ['2024-01-01T23:00:00.000999999Z', '2024-01-01T23:00:00.001Z'],
  ['1969-12-31T23:59:59.999999998Z', '1969-12-31T23:59:59.999999999Z'],
  ['9999-12-31T23:59:59.999999998Z', '9999-12-31T23:59:59.999999999Z'],
  ['2016-12-31T23:59:59,999999999Z', '2016-12-31T23:59:60Z'],
  ['2023', '2024-01'],
] as const;

const dates = {
  'that are months': [
    '2024-01-01T00:00:00Z',
    '2024-01-31T23:59:59.999999999Z',
    '2024-02-01T00:30:00+01:00',
    '2024-04-01',
  ],
  'around a leap day': ['2024-02-28T12:00:00Z', '2024-02-29T12:00:00Z', '2024-03-01T12:00:00Z'],
  'around 1970': ['1970-01-01T00:00:00+14:00', '1969-12-28T23:59:59.9Z'],
  'in years that four digits do not have': ['0000-01-01T00:00:00+01:00', '0000-02-01'],
  'in years behind 9999': ['9999-12-31T23:00:00-02:00', '9999-12-31'],
  'in several forms': ['2024-03-01T00:00:00Z', '2024-03-01', '20240301', '2024-03-01T01:00:00.000+01:00', '2024-03'],
  'whose days are near those before': ['31T00', '28T00', '29T00', '01T12', '02T12', '03T00'].map(
    (at) => `2024-01-${at}:00:00Z`,
  ),
  'whose times are near those before': ['01T12:00:00', '02T13:00:00', '02T12:00:00', '03T12:00:01', '03T12:00:10'].map(
    (at) => `2024-01-${at}Z`,
  ),
  'that are equal': [PRECISE, DAY, PRECISE, '2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00', PRECISE],
  'with nanoseconds in a later batch': [...daysFrom(0, 40), '1970-02-09T00:00:00.000000001Z', '1970-02-09'],
  'of which one cannot be read': ['2024', 'soon', '2023-12-31', 'soon', '20230101', 'Soon', '"ä'],
  'of which one is empty': ['2024', ''],
  'that the calendar does not have': ['2024-02-01T00:00:00Z', '2024-02-30T00:00:00Z'],
  'of the day 0': ['2024-02-01T00:00:00Z', '2024-02-00T00:00:00Z'],
  'of a day that is none': ['2024-02-01T00:00:00Z', '2024-02-0:T00:00:00Z'],
  'of a year without a leap day': ['2023-02-01T00:00:00Z', '2023-02-29T00:00:00Z'],
  'of hour 24': [DAY, '2024-01-01T24:00:00Z'],
  'of a wrong type': [DAY, 20_240_101],
  'before and behind too many periods': ['0001-01-01', '9999-01-01', null],
  'that are all missing': [null, null],
  'that are missing now and then': [null, '2024-01-09', null, '2024-01-05'],
};

const rows: Record<string, unknown> = {
  'as usual': usual,
  'in no order': [2, 0, 3, 1, 0].map((index) => usual[index]),
  none: [],
  'that are null': null,
  'that are no list': 5,
  'with the extremes several times': many(100, (index) => row(`2024-01-${10 + (index % 20)}`, { m: (index % 10) - 5 })),
  'of which some have no value or no date': [
    row(null, { m: 9, n: 2 }),
    row('2024-01-09', { m: 1 }),
    { metrics: [metric('m', 3)] },
    row('2024-01-05', { n: null }),
    row('2024-01-12', {}),
  ],
  'of which one has no value, and no date that can be read': [row('odd', { m: null }), row(DAY, { m: 1 })],
  'with a text in place of a value': [good, row('2024-01-02', { m: '7' }), good],
  'with a word in place of a value': [good, row('2024-01-02', { m: true }), good],
  'with an odd value of another metric': [row(DAY, { m: 1, odd: 'x' }), on('2024-01-02', 5, { name: 7, value: [] })],
  'with values that are odd where others count': [
    on(DAY, metric('m', 'NaN'), metric('m', 5), metric('n', 2), metric('n', [])),
  ],
  'without a list of metrics': [noList, good],
  'without a list of metrics, and one behind them without a date': [noList, row(null), good],
  'without a list of metrics, and one behind them with a wrong date': [noList, row(5), good],
  'without a list of metrics, and one behind them with a wrong value': [noList, row('2024', { m: [] })],
  'without a list of metrics and no metrics at all': [noList, row(null), row(DAY)],
  'whose metrics come one by one': [
    row(DAY, { a: 1 }),
    row(DAY, { b: 1 }),
    row('2024-01-02', { c: 1 }),
    row(DAY, { e: 1 }),
  ],
  'that are joined': [
    on(DAY, metric('n', null), metric(null, 1), metric('m'), metric('n', 2), metric('x', 3)),
    { value_date: DAY, metrics: null },
    on(DAY, metric('m', null), metric('y', 4), metric('n', 5), metric(null, 6), metric('y', 7)),
    on('2024-01-01T02:00:00+02:00', metric('m', 8), metric('x', 9), metric('n', 10)),
  ],
  'that are joined, with odd values': [
    row(DAY, { m: 'odd', n: null, o: 'NaN', p: 'NaN', q: null }),
    row(DAY, { m: 1, n: 'odd', o: 2 }),
    row(DAY, { n: 3, p: 'Infinity', q: 'NaN' }),
  ],
  'that are joined, one without a list': [row(DAY, { m: 1 }), { value_date: DAY, metrics: 'odd' }, row(DAY, { n: 1 })],
  'that are joined, with odd names': [on(DAY, metric('a', 1)), on(DAY, metric(7, 1), metric('b', 'odd'))],
  'that are joined without metrics': [{ value_date: DAY }, { value_date: DAY, metrics: null }],
  'of which the latest has odd values': [
    row('2023', { m: 'odd' }),
    on(DAY, metric(5, 1), metric('m', 'odd'), metric('n', 'NaN'), 'no metric', metric('m', 7)),
  ],
  'with gaps': dated(...daysFrom(0, 13)).map((each, at) => (at % 4 > 1 ? { ...each, metrics: [] } : each)),
  'with values of wrong types in gaps': dated(...daysFrom(0, 6)).map((each, at) =>
    at % 3 === 0 ? row(`2024-01-0${9 - at}`, { m: 'odd' }) : each,
  ),
  'of which one has the extremes': many(100, (at) =>
    row(`d${at}`, { m: at === 41 ? 9 : at === 57 ? -9 : at % 3, n: at === 30 ? 1 : 0 }),
  ),
  'with the same value': many(12, (at) => row(daysFrom(at, 1)[0], { m: null, n: 1 })),
  'with escapes': `[{"value_date":"2024-01-01T00:00:00\\u005a","metrics":[{"name":"\\u006d","value":-0},{"name":"m","value":2}]}]`,
};

/** All of them by their titles. */
export const oddSeries: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(rows).map(([title, value]) => [`rows ${title}`, value])),
  ...Object.fromEntries(Object.entries(hardValues).map(([title, values]) => [`values ${title}`, valued(...values)])),
  ...Object.fromEntries(Object.entries(dates).map(([title, values]) => [`dates ${title}`, dated(...values)])),
  ...Object.fromEntries(
    inOrder.flatMap(([one, other]) => [
      [`${one} before ${other}`, dated(one, other)],
      [`${other} behind ${one}`, dated(other, one, one)],
    ]),
  ),
  ...Object.fromEntries(
    [32, 33].flatMap((count) => {
      const days = daysFrom(20_000, count).map((day, m) => row(day, { m, [`k${m % 40}`]: m % 3 === 1 ? -m : null }));
      const mixed = days.map((_, index) => days[(index * 37 + 11) % count]);
      return [
        [`${count} rows in order`, days],
        [`${count} rows in no order`, mixed],
        [`${count} rows of one date`, days.map((each) => ({ ...each, value_date: DAY }))],
        [`${count} rows among as many of an earlier date`, days.flatMap((each) => [row('2000', { m: 5 }), each])],
      ];
    }),
  ),
};
