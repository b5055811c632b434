import { LEADING_COLUMNS } from '../../src/core/csv-field.ts';
import {
  spreadsheetDate,
  spreadsheetDateColumn,
  spreadsheetField,
  spreadsheetInteger,
} from '../../src/core/spreadsheet-field.ts';
import type { JsonView } from './json-view.ts';

export const LINE_END = '\r\n';
/** The columns of an asset, and that of a date. */
const [ID_COLUMN, NAME_COLUMN, VERSION_COLUMN, DATE_COLUMN] = LEADING_COLUMNS;
export const ASSET_COLUMNS = [ID_COLUMN, NAME_COLUMN, VERSION_COLUMN];
/** The minimum number of characters in a chunk. */
const CHUNK = 65_536;

/**
 * Writes the values of all assets as CSV (RFC 4180, UTF-8, CRLF) in chunks: a row for each asset and date, a column for
 * each metric. Numbers keep every digit of the response; null is an empty field. Texts and dates are those for spreadsheets.
 */
export function* csv(dataset: JsonView): Generator<string> {
  const nodes = dataset.member('results', 'series', 'nodes');
  const metrics = new Set<string>();
  for (const node of nodes?.elements() ?? []) {
    for (const metric of node.member('columns', 'metrics')?.elements() ?? []) {
      metrics.add(String(metric.member('name')?.parse()));
    }
  }
  const columnNames = [...ASSET_COLUMNS, spreadsheetDateColumn(DATE_COLUMN), ...metrics];
  let chunk = `${columnNames.map(spreadsheetField).join(',')}${LINE_END}`;
  for (const node of nodes?.elements() ?? []) {
    const columns = node.member('columns');
    const values = new Map<string, (string | null)[]>();
    for (const metric of columns?.member('metrics')?.elements() ?? []) {
      values.set(String(metric.member('name')?.parse()), metric.member('values')?.numbers() ?? []);
    }
    const ordered = Array.from(metrics, (name) => values.get(name) ?? []);
    const leading = assetFields(node).join(',');
    let row = 0;
    for (const date of columns?.member('valueDates')?.elements() ?? []) {
      const numbers = ordered.map((column) => column[row] ?? '').join(',');
      chunk += `${leading},${dateField(date)}${metrics.size === 0 ? '' : ','}${numbers}${LINE_END}`;
      row += 1;
      if (chunk.length >= CHUNK) {
        yield chunk;
        chunk = '';
      }
    }
  }
  yield chunk;
}

/** The fields of an asset. Its version is a 64-bit integer, sent as a string of digits. */
export function assetFields(node: JsonView): string[] {
  return [
    fieldOf(node.member('asset', 'assetId')),
    fieldOf(node.member('asset', 'name')),
    fieldOf(node.member('version'), spreadsheetInteger),
  ];
}

/** A date or null, of a response, as a field. */
export function dateField(view: JsonView | undefined): string {
  return fieldOf(view, spreadsheetDate);
}

/** A string or null, of a response, as a field. */
export function fieldOf(view: JsonView | undefined, field = spreadsheetField): string {
  const value = view?.parse() ?? null;
  return value === null ? '' : field(String(value));
}
