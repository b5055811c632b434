import type { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { PAUSE, type Steps } from '../scanner/steps.ts';
import { type AssetEntries, type AssetEntry, type EntryRows, haveSameVersion } from './asset-entries.ts';
import { Bailout } from './bailout.ts';
import type { Rows, RowsSlice } from './indexing/row-index.ts';
import type { RowTemplate } from './indexing/row-template.ts';

/** The work of one entry and of one row, in the bytes that the event-loop yielder counts. */
const ENTRY_BYTES = 64;
const ROW_BYTES = 16;

/**
 * The rows of an asset: those of each entry that has the version of the given one, in the order received. Some services send an
 * entry for each sensor.
 */
export function* rowsOfAsset(entry: AssetEntry, entries: AssetEntries, yielder: EventLoopYielder): Steps<EntryRows> {
  const found: AssetEntry[] = [];
  for (let index = 0; index < entries.length; index += 1) {
    const other = entries.at(index);
    // Of the other entries only the number is known.
    if (other === undefined) break;
    if (other.assetId === entry.assetId && haveSameVersion(other, entry)) found.push(other);
    if (yielder.worked(ENTRY_BYTES)) yield PAUSE;
  }
  if (found.length < 2) return entry;
  const rowsError = found.find((each) => each.rowsError !== undefined)?.rowsError;
  return { slice: rowsError === undefined ? yield* sliceOf(found, yielder) : null, rowsError };
}

/** The rows of several entries, one after another. Null if no entry has a list. */
function* sliceOf(entries: readonly AssetEntry[], yielder: EventLoopYielder): Steps<RowsSlice | null> {
  const slices = entries.flatMap(({ slice }) => slice ?? []);
  const [first = slices[0], ...others] = slices.filter(({ count }) => count > 0);
  if (first === undefined) return null;
  if (others.length === 0) return first;
  let { length, count, longestRow } = first;
  for (const other of others) {
    length += other.length;
    count += other.count;
    longestRow = Math.max(longestRow, other.longestRow);
  }
  return { ...first, length, count, longestRow, rows: yield* joinIndexed([first, ...others], count, yielder), others };
}

/** The indexed rows of several slices, if they follow each other in the index: if no other asset has rows between them. */
function* joinIndexed(slices: readonly RowsSlice[], count: number, yielder: EventLoopYielder): Steps<Rows | Bailout> {
  const templates = new Set<RowTemplate>();
  let first: Rows | undefined;
  let end = 0;
  for (const { rows } of slices) {
    if (rows instanceof Bailout) return rows;
    first ??= rows;
    if (rows !== first && (rows.index !== first.index || rows.firstOffsetEntry !== end)) return Bailout.severalEntries;
    end = yield* endOfRows(rows, yielder);
    for (const template of rows.templates) templates.add(template);
  }
  return { ...(first as Rows), count, templates };
}

/** The first offset entry behind rows. */
function* endOfRows({ index, firstOffsetEntry, count }: Rows, yielder: EventLoopYielder): Steps<number> {
  let entry = firstOffsetEntry;
  for (let row = 0; row < count; row += 1) {
    entry = index.nextOffsetEntry(entry, index.templateAt(entry));
    if (yielder.worked(ROW_BYTES)) yield PAUSE;
  }
  return entry;
}
