import { typeOf } from '../fields/fields.ts';
import type { Asked } from '../index.ts';

/** An asset of a results response, as far as it is selected here. */
interface Asset {
  readonly asset_id: string;
  readonly results: readonly Row[];
}

interface Row {
  readonly value_date: string;
  readonly metrics: readonly { readonly name: string; readonly value: number | null }[];
}

/** Something that is selected: for the engine, and as anybody would write it for objects. */
interface Selected {
  readonly asked: Asked;
  readonly build: (rows: readonly Row[]) => unknown;
}

const field = (key: string, select?: readonly (string | Asked)[]): Asked => ({
  ...{ key, field: key },
  ...(select && { select: select.map((each) => (typeof each === 'string' ? field(each) : each)) }),
});

const rowOf = ({ value_date, metrics }: Row) => ({
  valueDate: value_date,
  metrics: metrics.map(({ name, value }) => ({ name, value })),
});

const columnsOf = (rows: readonly Row[]) => {
  const columns = new Map<string, (number | null)[]>();
  for (const [row, { metrics }] of rows.entries())
    for (const { name, value } of metrics) {
      const values = columns.get(name) ?? Array<number | null>(rows.length).fill(null);
      columns.set(name, values);
      values[row] = value;
    }
  return columns;
};

/** Beside the id of each asset. */
const all: Readonly<Record<string, Selected>> = {
  rows: {
    asked: field('rows', ['valueDate', field('metrics', ['name', 'value'])]),
    build: (rows) => rows.map(rowOf),
  },
  columns: {
    asked: field('columns', ['valueDates', field('metrics', ['name', 'values'])]),
    build: (rows) => ({
      valueDates: rows.map(({ value_date }) => value_date),
      metrics: Array.from(columnsOf(rows), ([name, values]) => ({ name, values })),
    }),
  },
  latest: {
    asked: field('latest', ['valueDate', field('metrics', ['name', 'value'])]),
    build: (rows) => {
      const times = rows.map(({ value_date }) => Date.parse(value_date));
      const latest = times.reduce((best, time, row) => (time > (times[best] as number) ? row : best), 0);
      return rowOf(rows[latest] as Row);
    },
  },
  statistics: {
    asked: field('statistics', ['name', 'count', field('minimum', ['value']), field('maximum', ['value'])]),
    build: (rows) =>
      Array.from(columnsOf(rows), ([name, values]) => {
        const numbers = values.filter((value) => value !== null);
        const [minimum, maximum] = [Math.min(...numbers), Math.max(...numbers)];
        return { name, count: numbers.length, minimum: { value: minimum }, maximum: { value: maximum } };
      }),
  },
};

/** What is selected: the ids of the assets alone, or also one of the fields that the engine has. */
export const names = ['ids', ...Object.keys(all).filter((name) => typeOf(name) !== undefined)];

const asset = field('asset', ['assetId']);

/** What the engine is asked. */
export function askedOf(name: string): readonly Asked[] {
  const selected = all[name];
  return selected === undefined ? [asset] : [asset, selected.asked];
}

/** What it is of an asset that is parsed. */
export function builderOf(name: string): (asset: Asset) => object {
  const selected = all[name];
  const idOf = ({ asset_id }: Asset) => ({ asset: { assetId: asset_id } });
  if (selected === undefined) return idOf;
  return (parsed) => ({ ...idOf(parsed), [name]: selected.build(parsed.results) });
}
