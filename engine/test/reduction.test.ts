import { describe, expect, it } from 'vitest';
import { reducedRows } from '../../test/oracle/reduction.ts';
import { DONE } from '../by-metric.ts';
import { Bytes } from '../bytes.ts';
import { type Asked, open, Selection } from '../index.ts';
import { Memory } from '../memory.ts';
import { ReducedColumn } from '../reduced-column.ts';
import { Reduction } from '../reduction.ts';
import { RowReader } from '../row-batch.ts';
import { PADDING, Scanner } from '../scanner.ts';
import { inPieces, read, unlimited } from './read.ts';

/** `columns(points:)`: which rows are chosen, and what of them is written. reduction-random.test.ts has more. */

/** A body in one piece. */
const whole = [1 << 18];

/** The arguments of `columns`. */
type Args = Readonly<Record<string, unknown>>;

const DAY_MS = 86_400_000;

/** The entries of a list that are alike in JSON and here. */
type Row = { readonly value_date?: unknown; readonly metrics?: unknown };

const row = (value_date: unknown, values: Record<string, unknown>): Row => ({
  value_date,
  metrics: Object.entries(values).map(([name, value]) => ({ name, value })),
});

/** A day each, from 2024-01-01 on, with a value of the metric `m`. */
const days = (values: readonly unknown[]) =>
  values.map((m, index) => row(new Date(Date.UTC(2024, 0, 1) + index * DAY_MS).toISOString().slice(0, 10), { m }));

const bodyOf = (...entries: readonly (readonly Row[])[]) =>
  Buffer.from(JSON.stringify({ assets: entries.map((results, index) => ({ asset_id: `a${index}`, results })) }));

const field = (key: string, select?: readonly Asked[]): Asked => ({ key, field: key, ...(select && { select }) });

const columns = (args: Args): Asked => ({
  key: 'columns',
  field: 'columns',
  args,
  select: [field('rowCount'), field('valueDates'), field('metrics', [field('name'), field('values')])],
});

interface Columns {
  rowCount: number;
  valueDates: unknown[];
  metrics: { name: string; values: unknown[] }[];
}

/** The columns of each entry, and the errors. */
function reduce(body: Buffer, args: Args, pieces = whole, limits = unlimited) {
  const { list, errors } = read({ entries: [columns(args)] }, inPieces(body, pieces), limits);
  return {
    all: (JSON.parse(list) as { columns: Columns | null }[]).map((each) => each.columns as Columns),
    errors: errors.map(({ path, kind }) => `${path.join('.')} ${kind}`),
  };
}

/** The values of `m` in the chosen rows of one entry. */
function valuesOf(rows: readonly Row[], args: Args, pieces?: number[]) {
  const { all, errors } = reduce(bodyOf(rows), args, pieces);
  expect(errors).toEqual([]);
  expect(all).toHaveLength(1);
  const [{ rowCount, valueDates, metrics }] = all as [Columns];
  expect([valueDates.length, ...metrics.map(({ values }) => values.length)]).toEqual(
    Array(metrics.length + 1).fill(rowCount),
  );
  return metrics.find(({ name }) => name === 'm')?.values;
}

/** The chosen ones of days with these values, by their indices. */
function indices(values: readonly unknown[], points: number) {
  const rows = days(values);
  const { all } = reduce(bodyOf(rows), { points });
  const [{ valueDates, metrics }] = all as [Columns];
  const found = valueDates.map((date) => rows.findIndex((each) => each.value_date === date));
  expect(metrics[0]?.values).toEqual(found.map((index) => values[index]));
  return found;
}

const wave = Array.from({ length: 100 }, (_, index) => (index === 41 ? 9 : index === 57 ? -9 : index % 3));

describe('columns(points:)', () => {
  it.each([
    [0, []],
    [1, [0]],
    [2, [0, 99]],
    [3, [0, 57, 99]],
    [4, [0, 41, 57, 99]],
    // And the middle rows of two halves of the others.
    [6, [0, 25, 41, 57, 75, 99]],
    // And the first and the last rows of three groups, and the lowest and the highest values of the first and the third.
    [12, [0, 2, 24, 32, 33, 41, 57, 65, 66, 68, 76, 99]],
  ])('of %d points are the rows %j', (points, rows) => expect(indices(wave, points)).toEqual(rows));

  it('are all rows for as many points, and one less for one less', () => {
    expect(indices(wave, 99)).toHaveLength(99);
    for (const points of [100, 101, 2_147_483_647]) expect(indices(wave, points)).toEqual([...wave.keys()]);
    expect(valuesOf(days(wave), { points: null })).toEqual(wave);
    expect(reduce(bodyOf([]), { points: 3 }).all).toEqual([{ rowCount: 0, valueDates: [], metrics: [] }]);
  });

  it('are in the order of their dates', () => {
    const rows = days([1, 2, 3, 4, 5]);
    const mixed = [3, 0, 4, 1, 2].map((index) => rows[index] as Row);
    for (const points of [5, 9]) expect(valuesOf(mixed, { points })).toEqual([1, 2, 3, 4, 5]);
    expect(valuesOf(mixed, { points: 3 })).toEqual([1, 3, 5]);
    expect(valuesOf(mixed, {})).toEqual([4, 1, 5, 2, 3]);
  });

  it('keep the order of equal dates, to the nanosecond', () => {
    const dates = ['00.000000002', '00.000000001', '00', '00.000', '00.000000001'];
    const rows = dates.map((seconds, m) => row(`2024-01-01T00:00:${seconds}Z`, { m }));
    expect(valuesOf(rows, { points: 5 })).toEqual([2, 3, 1, 4, 0]);
    // Only a row of a later batch has nanoseconds.
    const late = [...days([0, 1, 2]), row('2024-01-02T00:00:00.000000001Z', { m: 3 }), row('2024-01-02', { m: 4 })];
    expect(valuesOf(late, { points: 5 })).toEqual([0, 1, 4, 3, 2]);
  });

  it.each([
    ['no', undefined],
    ['null as', null],
    ['an unreadable', 'd'],
  ])('are in the order received if a row has %s date', (_, date) => {
    const mixed = [...days([1, 2, 3]).toReversed(), row(date, { m: 6 })];
    for (const points of [4, 9]) expect(valuesOf(mixed, { points })).toEqual([3, 2, 1, 6]);
    expect(valuesOf(mixed, { points: 3 })).toEqual([3, 1, 6]);
  });

  it('keep gaps', () => {
    expect(indices([null, null, 3, 1, null, 2, 5, 2, null, null, 4, null, null], 7)).toEqual([0, 2, 3, 6, 8, 10, 12]);
    expect(indices([1, 2, 3, null, null, 3, 1, 2, 2, 2, 2, 2], 4)).toEqual([0, 2, 3, 11]);
    expect(indices(Array(12).fill(null), 5)).toEqual([0, 2, 6, 9, 11]);
  });

  it('are of groups of exactly equal time, whatever the time', () => {
    // The time of the last row of the last but one of 100 groups, of which doubles would have it in the last one.
    const span = 300_000_000_000_099;
    const edge = (99 * span - 1) / 100;
    const times = Array.from({ length: 300 }, (_, index) => Math.floor(((index / 3) * span) / 100) + 1);
    times.splice(296, 1, edge);
    times.splice(0, 1, 0);
    times.splice(299, 1, span);
    const first = Date.parse('0000-01-01T00:00:00Z');
    const rows = times.map((time) => row(new Date(first + time).toISOString(), {}));
    const chosen = reduce(bodyOf(rows), { points: 200 }).all[0]?.valueDates.slice(-4);
    expect(chosen).toEqual([294, 296, 297, 299].map((index) => rows[index]?.value_date));
  });

  it('choose by the metrics that are named', () => {
    const rows = wave.map((m, index) => row(`d${index}`, { m, n: index === 30 ? 1 : 0 }));
    const chosen = (points: number, metrics: readonly string[]) => reduce(bodyOf(rows), { points, metrics }).all[0];
    expect(chosen(3, ['n', 'n'])).toEqual({
      rowCount: 3,
      valueDates: ['d0', 'd30', 'd99'],
      metrics: [{ name: 'n', values: [0, 1, 0] }],
    });
    expect(chosen(4, [])).toEqual({ rowCount: 4, valueDates: ['d0', 'd49', 'd50', 'd99'], metrics: [] });
    expect(chosen(3, ['nothing'])?.metrics).toEqual([{ name: 'nothing', values: [null, null, null] }]);
    expect(chosen(3, ['nothing', 'n'])?.valueDates).toEqual(['d0', 'd30', 'd99']);
  });

  it('know the first of metrics with one name', () => {
    const rows = days([1, 1, 1, 1]).map((each, index) => ({
      ...each,
      metrics: [...(each.metrics as unknown[]), { name: 'm', value: index === 1 ? 9 : 0 }],
    }));
    expect(valuesOf(rows, { points: 3 })).toEqual([1, 1, 1]);
    expect(reduce(bodyOf(rows), { points: 3 }).all[0]?.valueDates).toEqual(['2024-01-01', '2024-01-03', '2024-01-04']);
  });

  it('write the bytes of values, and whatever is selected of them', () => {
    const text =
      '{"assets":[{"asset_id":"a","results":[{"value_date":"2024\\u002d01-02","metrics":[{"name":"m","value":1.50}]}';
    const body = Buffer.from(`${text},{"value_date":"2024-01-01","metrics":[{"name":"m","value":1E2}]}]}]}`);
    const values = (key: string): Asked => ({ key, field: 'values' });
    const select: Asked[] = [
      { key: 'type', field: 'constant', args: { json: '"T"' } },
      { key: 'dates', field: 'valueDates' },
      field('valueDates'),
      { key: 'metrics', field: 'metrics', select: [values('a'), values('b')] },
      { key: 'empty', field: 'metrics', select: [] },
    ];
    const { list } = read({ entries: [{ key: 'c', field: 'columns', args: { points: 2 }, select }] }, [body]);
    const dates = '["2024-01-01","2024\\u002d01-02"]';
    expect(list).toBe(
      `[{"c":{"type":"T","dates":${dates},"valueDates":${dates},"metrics":[{"a":[1E2,1.50],"b":[1E2,1.50]}],"empty":[{}]}}]`,
    );
  });

  it('skip values of wrong types, with their errors where they are chosen', () => {
    const values = 'columns.metrics.0.values';
    expect(reduce(bodyOf(days(['odd', 1, 'NaN', 7, 2, 'nan'])), { points: 4 })).toMatchObject({
      all: [{ rowCount: 4, metrics: [{ values: [null, 1, 7, null] }] }],
      errors: [`0.${values}.0 wrongType`, `0.${values}.3 nonFinite`],
    });
    // All rows, by date.
    expect(reduce(bodyOf(days([true, 1]).toReversed()), { points: 2 })).toMatchObject({
      all: [{ metrics: [{ values: [null, 1] }] }],
      errors: [`0.${values}.0 wrongType`],
    });
    const rows = [...days([1, 2]), { value_date: 5, metrics: {} }, ...days([3])];
    for (const points of [4, null])
      expect(reduce(bodyOf(days([0]), rows, days([5, 6, 7, 8])), { points })).toMatchObject({
        all: [{ rowCount: 1 }, { metrics: [{ values: [1, 2, null, 3] }] }, { rowCount: 4 }],
        errors: ['1.columns.valueDates.2 wrongType', '1.columns.metrics.0.values.2 wrongType'],
      });
    expect(reduce(bodyOf(rows), { points: 2 }).errors).toEqual([]);
  });

  it('have a row that is too large as one without date and values', () => {
    const rows = [...days([3, 1]).toReversed(), row(`2024-01-01${' '.repeat(200)}`, { m: 5 })];
    const limits = { ...unlimited, part: 200 };
    expect(reduce(bodyOf(rows), { points: 3 }, whole, limits)).toMatchObject({
      all: [{ valueDates: ['2024-01-02', '2024-01-01', null], metrics: [{ values: [1, 3, null] }] }],
      errors: ['0.columns.valueDates.2 tooLarge', '0.columns.metrics.0.values.2 tooLarge'],
    });
  });

  it('refuse a negative number', () => {
    const { all, errors } = reduce(bodyOf(days(wave)), { points: -1 });
    expect({ all, errors }).toEqual({ all: [null], errors: ['0.columns invalidArgument'] });
  });

  it('are those of one entry after the other', () => {
    const some = [days(wave), days([1]), days(wave.slice(0, 40)).toReversed(), [], days(wave).toReversed()];
    const each = some.map((rows) => reduce(bodyOf(rows), { points: 7 }).all[0]);
    for (const pieces of [whole, [1, 2, 3], [1000, 333]])
      expect(reduce(bodyOf(...some), { points: 7 }, pieces).all).toEqual(each);
  });
});

/** Rows in no order, two of each date, with gaps that are near and far, and metrics that come late or seldom. */
function manyRows(count: number) {
  const times = Array.from({ length: count }, (_, index) => (((index * 7919) % count) >> 1) * 2000);
  const hasValue = (time: number) => Math.floor(time / 37_000) % 5 > 0;
  const values = times.map((time, index) => ({
    m: hasValue(time) ? Math.round(Math.sin(time / 1e6) * 1e6) / 1e3 : null,
    ...(index % 100 === 99 && { seldom: index % 1300 }),
    ...(index > count / 2 && { late: (index * 31) % 1009 }),
  }));
  const rows = times.map((time, index) => row(new Date(time).toISOString(), values[index] as Record<string, unknown>));
  return { rows, times, values };
}

describe('columns(points:) of many rows', () => {
  const { rows, times, values } = manyRows(20_000);
  const body = bodyOf(rows);
  const names = ['m', 'seldom', 'late', 'nothing'];
  const lists = names.map((name) => values.map((each) => (each as Record<string, number | null>)[name] ?? null));
  const order = [...times.keys()].toSorted((one, other) => (times[one] as number) - (times[other] as number));

  it.each([10, 400])('are the rows that the schema describes: %d', (points) => {
    const expected = reducedRows(
      times.map((time) => BigInt(time) * 1_000_000n),
      lists,
      points,
    );
    const [found] = reduce(body, { metrics: names, points }).all;
    expect(found?.valueDates).toEqual(expected.map((index) => rows[index]?.value_date));
    expect(found?.metrics.map((each) => each.values)).toEqual(
      lists.map((list) => expected.map((index) => list[index] ?? null)),
    );
  });

  it('are all of them by date', () => {
    const [found] = reduce(body, { metrics: names, points: rows.length }).all;
    expect(found?.valueDates).toEqual(order.map((index) => rows[index]?.value_date));
    expect(found?.metrics.map((each) => each.values)).toEqual(
      lists.map((list) => order.map((index) => list[index] ?? null)),
    );
  });

  it('have errors at their places', () => {
    const isOdd = (index: number) => index % 2 === 1;
    const odd = rows.map((each, index) => (isOdd(index) ? { ...each, value_date: [] } : each)).slice(0, 900);
    const dates = reduce(bodyOf(odd), { metrics: [], points: 5 });
    expect(dates.all[0]?.valueDates.map((date) => date === null)).toEqual([false, true, false, true, true]);
    expect(dates.errors).toEqual([1, 3, 4].map((place) => `0.columns.valueDates.${place} wrongType`));
    const wrong = rows.map((each, index) => (index % 2000 === 5 ? { ...each, metrics: 5 } : each));
    const places = order.flatMap((index, place) => (index % 2000 === 5 ? [place] : []));
    expect(reduce(bodyOf(wrong), { metrics: ['m'], points: rows.length }).errors.toSorted()).toEqual(
      places.map((place) => `0.columns.metrics.0.values.${place} wrongType`).toSorted(),
    );
  });

  it('have the first row, the last one and the gap of each of thousands of groups', () => {
    const [groups, rowsPerGroup] = [4200, 14];
    const count = groups * rowsPerGroup + 1;
    const ascending = Array.from({ length: count }, (_, index) =>
      row(new Date(index * 1000).toISOString(), { m: index % rowsPerGroup === 5 ? null : index }),
    );
    const [found, next] = reduce(bodyOf(ascending, days([1, 2])), { points: 4 * groups }).all;
    expect(next).toMatchObject({ rowCount: 2, valueDates: ['2024-01-01', '2024-01-02'] });
    const chosen = found?.valueDates.map((date) => Date.parse(date as string) / 1000) ?? [];
    expect(chosen).toEqual([...new Set(chosen)].toSorted((one, other) => one - other));
    expect(chosen).toHaveLength(4 * groups);
    const ofEach = [0, 5, 13].map((at) => chosen.filter((index) => index % rowsPerGroup === at).length);
    // The last group has one row more, which is its last.
    expect(ofEach.map((number) => number >= groups)).toEqual([true, true, false]);
    expect(ofEach[2]).toBeGreaterThanOrEqual(groups - 1);
    // The points that are left go to as many other rows.
    const others = chosen.filter((index) => ![0, 5, 13].includes(index % rowsPerGroup));
    expect(others.slice(1).every((index, at) => index - (others[at] as number) < 2 * rowsPerGroup)).toBe(true);
  });

  it('are chosen in turns', () => {
    const reader = open(new Selection({ entries: [columns({ metrics: names, points: 10 })] }), unlimited);
    reader.push(body.subarray(0, -3));
    while (reader.work());
    reader.push(body.subarray(-3));
    // All rows are read.
    let turns = 0;
    for (; reader.work(); turns += 1) expect(Buffer.concat(reader.take()).length).toBeLessThanOrEqual(1);
    expect(turns).toBeGreaterThan(2);
  });
});

describe('columns(points:) beyond the limits', () => {
  const [ascending, one] = [days(wave), days([1])];
  const body = bodyOf(ascending, one);
  const spent = (some: Buffer, args: Args) => read({ entries: [columns(args)] }, [some]).reader.spent;

  it('are null: of work', () => {
    const work = spent(body, { points: 10 });
    expect(reduce(body, { points: 10 }, whole, { work })).toMatchObject({
      all: [{ rowCount: 10 }, { rowCount: 1 }],
      errors: [],
    });
    expect(reduce(body, { points: 10 }, whole, { work: work - '}'.length - 1 })).toMatchObject({
      all: [{}, null],
      errors: ['1.columns workExceeded'],
    });
  });

  it('count what is sorted, and nothing for rows that have their order', () => {
    const descending = ascending.toReversed();
    const [up, down] = [ascending, descending].map((rows) => spent(bodyOf(rows), { points: 100 })) as [number, number];
    expect(down - up).toBe(20 * 100);
    expect(spent(bodyOf(descending, ascending), { points: 100 })).toBe(down + up);
  });

  it('count the values that are computed with, once more than their bytes', () => {
    const many = bodyOf(days(Array(5000).fill(1)));
    const [all, none] = [['m'], []].map((metrics) => spent(many, { metrics, points: 10 })) as [number, number];
    expect(all - none).toBeGreaterThan(2 * 5000);
  });

  it('count no values of names that do not occur', () => {
    const many = bodyOf(days(Array.from({ length: 5000 }, (_, index) => index)));
    const spentOn = (metrics: readonly string[]) => spent(many, { metrics, points: 10 });
    const others = Array.from({ length: 100 }, (_, index) => `other${index}`);
    expect(spentOn(['m', ...others]) - spentOn(['m'])).toBeLessThan(100 * 5000);
  });

  it('are null: of memory, and those behind them are not', () => {
    const many = bodyOf(days(Array.from({ length: 5000 }, (_, index) => index)), days([1]));
    const memory = many.length + (1 << 20);
    const ample = reduce(many, { points: 10 }, whole, { ...unlimited, memory });
    expect(ample.errors).toEqual([]);
    const tight = reduce(many, { points: 10 }, [1 << 14], { ...unlimited, memory: 1 << 17 });
    expect(tight).toMatchObject({ all: [null, { rowCount: 1 }], errors: ['0.columns memoryExceeded'] });
  });

  it('are null: of memory for their order, of which no more is held than is used', () => {
    const many = bodyOf(days(Array(5000).fill(1)));
    const errorsWithin = (memory: number, args: Args) => {
      const asked: Asked = { key: 'columns', field: 'columns', args, select: [field('rowCount')] };
      return read({ entries: [asked] }, inPieces(many, [1 << 13]), { ...unlimited, memory }).errors;
    };
    expect(errorsWithin(1 << 16, { metrics: [] })).toEqual([]);
    expect(errorsWithin(1 << 16, { metrics: [], points: 10 })).toMatchObject([{ kind: 'memoryExceeded' }]);
    // Times, their nanoseconds, the ends of groups and what is chosen: 17 bytes a row, with room for up to twice as many.
    expect(errorsWithin(200_000, { metrics: [], points: 10 })).toEqual([]);
  });
});

describe('The errors of columns', () => {
  it('take memory until the next entry begins', () => {
    const wrong = (count: number) => days(Array(count).fill('x'));
    const limits = { ...unlimited, memory: 3 << 19 };
    const { all } = reduce(bodyOf(...Array(200).fill(wrong(200))), {}, [1 << 13], limits);
    expect(all.every((each) => each !== null)).toBe(true);
    expect(reduce(bodyOf(wrong(40_000)), {}, [1 << 13], limits).errors).toEqual(['0.columns memoryExceeded']);
  });
});

describe('The values of a column with points', () => {
  /** How many values are written at each call. */
  const parts = (count: number, date: string) => {
    const memory = new Memory();
    const json = new Bytes(memory, 64);
    json.text(`${Array(count).fill(`{"value_date":"${date}","metrics":[]}`).join()}${'\0'.repeat(PADDING)}`);
    const scanner = new Scanner();
    scanner.read(json, json.length - PADDING);
    const reader = new RowReader(memory);
    const reduction = new Reduction(count, memory);
    const column = new ReducedColumn('', reduction, memory);
    reduction.begin();
    column.begin(0);
    while (reader.rows.first + reader.rows.count < count) {
      reader.read(scanner);
      scanner.at += 1;
      reduction.add(reader.rows);
      column.add(reader.rows, reader.rows.template.date);
    }
    while (reduction.choose([column]));
    const out = new Bytes(memory, 64, false);
    const ends = [0];
    while (ends.at(-1) !== DONE) ends.push(column.write(out, count, ends.at(-1) as number));
    expect(JSON.parse(Buffer.concat(out.takeOut()).toString())).toEqual(Array(count).fill(date));
    return ends.slice(1);
  };

  it('are written in parts of 4,096 values', () => {
    expect(parts(4096, '')).toEqual([DONE]);
    expect(parts(8193, '')).toEqual([4096, 8192, DONE]);
  });

  it('are written in parts of about 32 kB', () => {
    const date = 'x'.repeat(1000);
    // With quotes and a comma it has 1,003 bytes.
    expect(parts(33, date)).toEqual([DONE]);
    expect(parts(70, date)).toEqual([33, 66, DONE]);
  });
});
