import type { FieldType } from '../field.ts';
import { byDate } from './by-date.ts';
import { columns } from './columns.ts';
import { latest } from './latest.ts';
import { metricNames } from './metric-names.ts';
import { periods } from './periods.ts';
import { rowCount } from './row-count.ts';
import { rows } from './rows.ts';
import { statistics } from './statistics.ts';

/** The fields that are made of rows. */
export const fields: Readonly<Record<string, FieldType>> = {
  byDate,
  columns,
  latest,
  metricNames,
  periods,
  rowCount,
  rows,
  statistics,
};
