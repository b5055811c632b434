import { LEADING_COLUMNS } from '../../../src/core/csv-field.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The names of all columns of a table. */
export function columnNames({ metrics }: DatasetSummary): readonly string[] {
  return [...LEADING_COLUMNS, ...metrics];
}
