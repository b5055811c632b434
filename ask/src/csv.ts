import { LEADING_COLUMNS, spreadsheetField } from '../../src/core/csv-field.ts';
import type { JsonView } from './json-view.ts';

export const LINE_END = '\r\n';
/** The columns of an asset. */
export const ASSET_COLUMNS = LEADING_COLUMNS.slice(0, 3);
/** The minimum number of characters in a chunk. */
const CHUNK = 65_536;

/**
 * Writes the values of all assets as CSV (RFC 4180, UTF-8, CRLF) in chunks: a row for each asset and date, a column for
 * each metric. Numbers keep every digit of the response; null is an empty field. An apostrophe precedes text that a
 * spreadsheet would take for a formula.
 */
export function* csv(dataset: JsonView): Generator<string> {
  const nodes = dataset.member('results', 'series', 'nodes');
  const metrics = new Set<string>();
  for (const node of nodes?.elements() ?? []) {
    for (const metric of node.member('columns', 'metrics')?.elements() ?? []) {
      metrics.add(String(metric.member('name')?.parse()));
    }
  }
  let chunk = `${[...LEADING_COLUMNS, ...metrics].map(spreadsheetField).join(',')}${LINE_END}`;
  for (const node of nodes?.elements() ?? []) {
    const columns = node.member('columns');
    const values = new Map<string, (string | null)[]>();
    for (const metric of columns?.member('metrics')?.elements() ?? []) {
      values.set(String(metric.member('name')?.parse()), metric.member('values')?.numbers() ?? []);
    }
    const ordered = Array.from(metrics, (name) => values.get(name) ?? []);
    // A version is a 64-bit integer, sent as a string of digits.
    const version = node.member('version')?.parse() ?? '';
    const leading = `${fieldOf(node.member('asset', 'assetId'))},${fieldOf(node.member('asset', 'name'))},${version}`;
    let row = 0;
    for (const date of columns?.member('valueDates')?.elements() ?? []) {
      const numbers = ordered.map((column) => column[row] ?? '').join(',');
      chunk += `${leading},${fieldOf(date)}${metrics.size === 0 ? '' : ','}${numbers}${LINE_END}`;
      row += 1;
      if (chunk.length >= CHUNK) {
        yield chunk;
        chunk = '';
      }
    }
  }
  yield chunk;
}

/** A string or null, of a response, as a field. */
export function fieldOf(view: JsonView | undefined): string {
  const value = view?.parse() ?? null;
  return value === null ? '' : spreadsheetField(String(value));
}
