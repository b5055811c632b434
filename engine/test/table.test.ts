import { describe, expect, it } from 'vitest';
import { typeOf } from '../fields/fields.ts';
import type { Asked, Cell, FieldType } from '../index.ts';
import { read } from './read.ts';

const leaf = (field: string, args = {}): Asked => ({ key: field, field, args });
const point = (field: string, part: string): Asked => ({ key: field, field, select: [leaf(part)] });

/** Reads the tables that a field makes of entries, or of all of them, and how many rows it gave in each step. */
function tableOf(asked: Asked, entries: readonly string[], isOfAll = false) {
  const type = typeOf(asked.field) as FieldType;
  const rows: (readonly Cell[])[] = [];
  const steps: number[] = [];
  let columns: string[] = [];
  const table: FieldType = {
    make: (making) => {
      const field = type.make(making);
      columns = (type.columns?.(making.selected.select) ?? []).map(
        ({ name, type: of, nullable }) => `${name}: ${of}${nullable ? '' : '!'}`,
      );
      return {
        begin: (origin) => field.begin(origin),
        add: (all) => field.add(all),
        write: (_, rowCount) => {
          const before = rows.length;
          // So much of each row that a step has two.
          const hasMore = field.writeTable?.((row) => rows.push(row) && 20_000, rowCount) ?? false;
          steps.push(rows.length - before);
          return hasMore;
        },
      };
    },
  };
  const field = { ...asked, type: table };
  const body = Buffer.from(`{"assets":[${entries.map((each, at) => `{"asset_id":"a${at}","results":[${each}]}`)}]}`);
  const { errors } = read({ isPlain: true, ...(isOfAll ? { entries: [], all: [field] } : { entries: [field] }) }, [
    body,
  ]);
  return { columns, rows, steps, errors };
}

const row = (date: string | null, metrics: Record<string, unknown>) =>
  JSON.stringify({ value_date: date, metrics: Object.entries(metrics).map(([name, value]) => ({ name, value })) });

const quantiles = leaf('quantiles', { of: [0, 0.5] });
const figures = ['name', 'count', 'nullCount', 'sum', 'mean', 'standardDeviation'].map((name) => leaf(name));
const statistics: Asked = {
  ...leaf('statistics'),
  select: [...figures, point('minimum', 'value'), point('last', 'valueDate'), quantiles],
};
const lists = ['name', 'counts', 'sums', 'means', 'standardDeviations', 'minimums', 'maximums'].map((name) =>
  leaf(name),
);
const byDate = { select: [leaf('dates'), { ...leaf('metrics'), select: [...lists, quantiles] }] };

describe('The table of statistics', () => {
  it('has a row for each metric, and the columns of the fields that are selected', () => {
    const rows = [row('2024-01-02', { m: 3, n: null }), row('2024-01-01', { m: 1, n: -0 })].join();
    const found = tableOf(statistics, [rows, '', row('x"', { o: 2 })]);
    expect(found.columns).toEqual([
      ...['metric: text!', 'count: int64!', 'null_count: int64!', 'sum: double', 'mean: double'],
      ...[
        'standard_deviation: double',
        'minimum: double',
        'last_date: date',
        'quantile_0: double',
        'quantile_0.5: double',
      ],
    ]);
    expect(found.rows).toEqual([
      ['m', 2n, 0n, 4, 2, 1, 1, '2024-01-02', 1, 2],
      ['n', 1n, 1n, 0, 0, 0, 0, '2024-01-01', 0, 0],
    ]);
    // Whose date is the last cannot be known.
    expect(found.errors).toMatchObject([{ path: [2, 'statistics'], kind: 'unreadableDate', row: 0 }]);
  });

  it('is made in steps, and begins again with each entry', () => {
    const wide = row('2024-01-01', { a: 1, b: 2, c: 3, d: 4, e: 5 });
    const { rows, steps } = tableOf({ ...leaf('statistics'), select: [leaf('name')] }, [wide, wide]);
    expect([rows.flat(), steps]).toEqual([[...'abcdeabcde'], [2, 2, 1, 2, 2, 1]]);
  });
});

describe('The tables of periods and of values by date', () => {
  const rows = [row('2024-03-05', { m: 1 }), row('2024-01-01', { m: 2, n: 7 })].join();
  const months = { ...leaf('periods', { every: 'MONTH' }), ...byDate };

  it('have a row for each metric and date, also without a value', () => {
    const found = tableOf(months, [rows]);
    expect(found.columns).toEqual([
      ...['date: date!', 'metric: text!', 'count: int64!', 'sum: double', 'mean: double', 'standard_deviation: double'],
      ...['minimum: double', 'maximum: double', 'quantile_0: double', 'quantile_0.5: double'],
    ]);
    const none = (date: string, metric: string) => [date, metric, 0n, ...Array(7).fill(null)];
    expect(found.rows).toEqual([
      ['2024-01-01', 'm', 1n, 2, 2, 0, 2, 2, 2, 2],
      none('2024-02-01', 'm'),
      ['2024-03-01', 'm', 1n, 1, 1, 0, 1, 1, 1, 1],
      ['2024-01-01', 'n', 1n, 7, 7, 0, 7, 7, 7, 7],
      ...['2024-02-01', '2024-03-01'].map((date) => none(date, 'n')),
    ]);
    expect([found.steps, tableOf(months, [rows, rows]).rows]).toEqual([
      [2, 2, 2],
      [...found.rows, ...found.rows],
    ]);
  });

  it('are of all entries together if they are by date', () => {
    const found = tableOf({ ...leaf('byDate'), ...byDate }, [rows, row('2024-01-01', { m: 4 })], true);
    expect(found.rows.slice(0, 2)).toEqual([
      ['2024-01-01', 'm', 2n, 6, 3, 1, 2, 4, 2, 3],
      ['2024-03-05', 'm', 1n, 1, 1, 0, 1, 1, 1, 1],
    ]);
  });

  it('have the error of the field', () => {
    expect(tableOf(months, [row(null, { m: 1 })]).errors).toMatchObject([
      { path: [0, 'periods'], kind: 'noDate', row: 0 },
    ]);
  });
});
