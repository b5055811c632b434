import type { FieldType } from '../field.ts';
import { byDate } from './by-date.ts';
import { columns } from './columns.ts';
import { latest } from './latest.ts';
import { metricNames } from './metric-names.ts';
import { periods } from './periods.ts';
import { rowCount } from './row-count.ts';
import { rows } from './rows.ts';
import { statistics } from './statistics.ts';

/** The fields that are made of rows: those of a series, and those that are computed from all entries. */
export const fieldTypes = {
  series: { columns, latest, metricNames, periods, rowCount, rows, statistics },
  results: { byDate, metricNames, statistics },
} satisfies Readonly<Record<string, Readonly<Record<string, FieldType>>>>;

const all: Readonly<Record<string, FieldType>> = { ...fieldTypes.results, ...fieldTypes.series };

/** What makes a field, if it is one of these. */
export function typeOf(field: string): FieldType | undefined {
  return Object.hasOwn(all, field) ? all[field] : undefined;
}
