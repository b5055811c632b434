import { describe, expect, it } from 'vitest';
import { ask, askedOf, askSeries } from './ask.ts';
import { bodyOf, daysFrom, row } from './bodies.ts';
import { read, unlimited } from './read.ts';
import { expectRight } from './right.ts';

/** The limits of what is computed of rows: how much of it there may be, and of its work and memory. */

const wide = (count: number, name = 'm', date = '2024-01-01') =>
  row(date, Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, index])));

/** The rows of the first and the last of so many days. */
const ends = (days: number, metrics: number) =>
  [0, days - 1].map((day) => wide(metrics, 'm', daysFrom(day, 1)[0] as string));

/** Rows of so many days, of which one has so many metrics. */
const allOf = (days: number, metrics: number) =>
  daysFrom(0, days).map((date, index) => (index === 0 ? wide(metrics, 'm', date) : row(date)));

const shuffled = (count: number) => Array.from({ length: count }, (_, index) => (index * 7919) % count);

describe('There are at most', () => {
  const periods = 'series { nodes { periods(every: DAY) { dates metrics { name counts sums } } } }';
  const byDate = 'byDate { dates metrics { name counts maximums } }';
  const statistics = 'series { nodes { statistics { name count } } } statistics { name count }';
  const most = 'A series has at most 10,000 periods, and 100,000 with those of all metrics. Select longer periods.';
  const mostDates =
    'Results by date have at most 10,000 metrics, 20,000 dates, and 100,000 with those of all metrics. Select a shorter time range or fewer metrics.';
  const mostMetrics = 'Statistics have at most 10,000 metrics. Name fewer.';
  const late = row(daysFrom(9_999, 1)[0], { more: 1 });
  const more = [row('1970-01-01', { more: 1 })];
  const thousands = Array.from({ length: 10 }, (_, list) => [wide(1000, `${list}m`)]);

  it.each<[what: string, selection: string, message: string, all: unknown[][], tooMany: unknown[][]]>([
    ['10,000 periods', periods, most, [ends(10_000, 1)], [ends(10_001, 1), more]],
    ['10,000 periods in any order', periods, most, [ends(10_000, 1).toReversed()], [ends(10_001, 1).toReversed()]],
    ['100,000 periods of all metrics', periods, most, [ends(4_000, 25)], [ends(9_091, 11)]],
    ['as many with one that comes late', periods, most, [ends(10_000, 10)], [[...ends(10_000, 10), late]]],
    ['20,000 dates', byDate, mostDates, [allOf(20_000, 1)], [allOf(20_001, 1)]],
    ['100,000 dates of all metrics', byDate, mostDates, [allOf(4_000, 25)], [allOf(9_091, 11)]],
    ['as many with one that comes late', byDate, mostDates, [allOf(10_000, 10)], [allOf(10_000, 10), more]],
    ['10,000 metrics by date', byDate, mostDates, thousands, [...thousands, more]],
    ['10,000 metrics', statistics, mostMetrics, [[wide(10_000), wide(10_000)]], [[wide(10_000)], more]],
    ['10,000 metrics of a series', statistics, mostMetrics, [[wide(10_000)]], [[wide(10_000), ...more], more]],
  ])('%s', (_, selection, message, all, tooMany) => {
    expect(expectRight(selection, bodyOf(...all).toString(), [[1 << 20]], false)).toBe(0);
    const body = bodyOf(...tooMany);
    expect(expectRight(selection, body.toString(), [[1 << 20]], false)).toBeGreaterThan(0);
    expect(ask(selection, body).errors[0]).toMatchObject({ kind: 'limitExceeded', message });
  });

  it('100,000 metrics of periods', () => {
    const rows = Array.from({ length: 100 }, (_, index) => wide(1000, `${index}m`, '2024'));
    const selection = 'periods(every: YEAR) { metrics { name sums } }';
    const { nodes, errors } = askSeries(selection, bodyOf(rows));
    expect(errors).toEqual([]);
    expect((nodes as { periods: { metrics: unknown[] } }[])[0]?.periods.metrics.slice(99_999)).toEqual([
      { name: '99m999', sums: [999] },
    ]);
    expect(askSeries(selection, bodyOf([...rows, ...more])).errors).toMatchObject([{ message: most }]);
  });
});

describe('Memory', () => {
  const short = [row('2024-01-01', { m: 1 })];
  const long = 'x'.repeat(50_000);
  const days = daysFrom(0, 5000).map((day, m) => row(day, { m }));
  const joined = Array.from({ length: 10 }, (_, index) => wide(1000, `${index}metric-`, '2024-01-02'));
  const values = shuffled(50_000).map((m) => row('2024-01-01', { m }));
  const minimums = Array.from({ length: 40 }, (_, index) => row(`${long}${index}`, { [`m${index % 2}`]: -index }));

  it.each<[what: string, selection: string, rows: unknown[], ample: number, tight: number]>([
    ['statistics with long dates', 'statistics { minimum { value valueDate } }', minimums, 9_000_000, 3_000_000],
    ['quantiles to be sorted', 'statistics { name quantiles(of: 0.5) }', values, 2_000_000, 1_000_000],
    ['quantiles to be kept', 'statistics { name quantiles(of: 0.5) }', values, 2_000_000, 400_000],
    ['periods', 'periods(every: DAY) { metrics { sums } }', days, 2_000_000, 200_000],
    // What is too much is not the row that is the latest in the end.
    ['the latest row', 'latest { m: value(metric: "m") }', [...joined, row('2025', { m: 2 })], 8_000_000, 1_500_000],
    ['columns with points', 'columns(points: 10) { valueDates }', days, 1_300_000, 100_000],
  ])('that %s may not have makes them null, and those of other series are not', (_, selection, rows, ample, tight) => {
    const [key] = selection.split(/\W/) as [string];
    const within = (memory: number, ...series: unknown[][]) =>
      askSeries(selection, bodyOf(...series), { ...unlimited, memory }, [4096]);
    // What a series holds is given back.
    expect(within(ample, rows, rows, rows).errors).toEqual([]);
    const [one] = askSeries(selection, bodyOf(short)).nodes;
    expect(within(tight, short, rows, short)).toEqual({
      nodes: [one, { [key]: null }, one],
      errors: [{ path: [1, key], kind: 'memoryExceeded' }],
    });
  });

  it.each<[what: string, rows: unknown[], ample: number, tight: number]>([
    ['dates', days.slice(0, 1000), 1_000_000, 200_000],
    ['long dates', Array.from({ length: 100 }, (_, index) => row('x'.repeat(10_000) + index)), 5_000_000, 1_000_000],
  ])('that results by date may not have for %s makes them null', (_, rows, ample, tight) => {
    const within = (memory: number) =>
      ask('byDate { metrics { name counts } }', bodyOf(rows), { ...unlimited, memory }, [4096]).errors;
    expect(within(ample)).toEqual([]);
    expect(within(tight)).toEqual([{ path: ['byDate'], kind: 'memoryExceeded' }]);
  });

  it('of the dates of periods is that of at most 10,000 of them', () => {
    // Those of all series would take 10 MB.
    const lists = Array.from({ length: 10 }, (_, index) =>
      [0, 9_999].map((day) => row(daysFrom(10_000 * index + day, 1)[0])),
    );
    const within = (memory: number) =>
      askSeries('periods(every: DAY) { dates }', bodyOf(...lists), { ...unlimited, memory });
    const periods = lists.map((_, index) => ({ periods: { dates: daysFrom(10_000 * index, 10_000) } }));
    expect(within(5_000_000)).toEqual({ nodes: periods, errors: [] });
    expect(within(500_000).errors[0]).toEqual({ path: [0, 'periods'], kind: 'memoryExceeded' });
  });
});

describe('Work', () => {
  const lists = 'dates metrics { name counts sums means minimums maximums standardDeviations }';
  const days = daysFrom(0, 1000).map((day, m) => row(day, { m, n: m }));

  it.each<[selection: string, perRow: number]>([
    // A row is taken; its two values are read and added.
    ['statistics { count }', 1 + 2 + 2],
    ['statistics { mean sum standardDeviation maximum { value } }', 1 + 2 + 2],
    // Dates, too.
    ['statistics { mean first { value } last { valueDate } }', 1 + 2 + 2 + 1],
    ['latest { valueDate }', 1 + 1],
    [`periods(every: YEAR) { ${lists} }`, 1 + 1 + 2 + 2 * 6],
    ['statistics { quantiles(of: 0.5) }', 1 + 2 + 2 + 2 * 20],
  ])('%s takes units for rows and values, beside what is written', (selection, perRow) => {
    const body = bodyOf(days);
    const { list, reader } = read(askedOf(`series { nodes { ${selection} } }`), [body]);
    expect(reader.spent - (list.length - '[]'.length)).toBe(1000 * perRow);
    const within = (work: number) => askSeries(selection, body, { work }).errors.map(({ kind }) => kind);
    expect([within(reader.spent), within(reader.spent - '}'.length - 1)]).toEqual([[], ['workExceeded']]);
  });

  it('byDate takes units for what it reads, adds and sorts', () => {
    const selection = `byDate { ${lists.replace('counts', 'counts quantiles(of: 0.5)')} }`;
    const body = bodyOf(days);
    const { values, reader } = read(askedOf(selection), [body]);
    expect(reader.spent).toBe((values[0] as string).length + 1000 * (1 + 1 + 2 * (1 + 6 + 20) + 20));
    const within = (work: number) => ask(selection, body, { work }).errors.map(({ kind }) => kind);
    expect([within(reader.spent), within(reader.spent - 1)]).toEqual([[], ['workExceeded']]);
  });

  it('is none for quantiles that nobody needs', () => {
    const spent = (selection: string) => read(askedOf(`series { nodes { ${selection} } }`), [bodyOf(days)]).reader;
    const [invalid, mean] = [spent('statistics { quantiles(of: 2) }'), spent('statistics { mean }')];
    expect(invalid.spent).toBeLessThan(2 * mean.spent);
    expect(invalid.bytes - mean.bytes).toBeLessThan(1000);
  });
});
