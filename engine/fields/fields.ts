import type { FieldType } from '../field.ts';
import { byDate } from './by-date.ts';
import { columns } from './columns.ts';
import { latest } from './latest.ts';
import { metricNames } from './metric-names.ts';
import { periods } from './periods.ts';
import { rowCount } from './row-count.ts';
import { rows } from './rows.ts';
import { statistics } from './statistics.ts';

/** The fields of a series that are made of its rows. */
export const seriesFields = {
  columns,
  latest,
  metricNames,
  periods,
  rowCount,
  rows,
  statistics,
} satisfies Readonly<Record<string, FieldType>>;

/** Those that are computed from all entries. */
export const resultsFields = { byDate, metricNames, statistics } satisfies Readonly<Record<string, FieldType>>;

/** All of them. */
export const fields: Readonly<Record<string, FieldType>> = { ...resultsFields, ...seriesFields };
