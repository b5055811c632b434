import type { EventLoopYielder } from '../core/event-loop-yielder.ts';
import type { AssetResult, Row } from '../rest/contract/wire.ts';
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
  return found.length > 1 ? new JoinedRows(found, yield* sliceOf(found, yielder)) : entry;
}

/** The rows of several entries, one after another. Entries without a list have none. */
class JoinedRows implements EntryRows {
  readonly slice: RowsSlice | null | undefined;
  readonly #entries: readonly AssetEntry[];
  #results: AssetResult['results'];

  constructor(entries: readonly AssetEntry[], slice: RowsSlice | null | undefined) {
    this.#entries = entries;
    this.slice = slice;
  }

  /** An error if a list of rows has a wrong type. */
  get results(): AssetResult['results'] {
    this.#results ??= join(this.#entries);
    return this.#results;
  }
}

function join(entries: readonly AssetEntry[]): AssetResult['results'] {
  const wrong = entries.find(isWrong);
  if (wrong !== undefined) return wrong.results;
  let joined: Row[] | null = null;
  for (const { results } of entries) {
    if (!Array.isArray(results)) continue;
    joined ??= [];
    for (const row of results) joined.push(row);
  }
  return joined;
}

/** Whether an entry has something else in place of its rows. Rows in a slice are not decoded for that. */
function isWrong(entry: AssetEntry): boolean {
  return !entry.slice && entry.results instanceof Error;
}

/** Null if there are no rows, or an entry has something else in their place. */
function* sliceOf(entries: readonly AssetEntry[], yielder: EventLoopYielder): Steps<RowsSlice | null | undefined> {
  const slices: RowsSlice[] = [];
  for (const { slice } of entries) {
    if (slice === undefined) return undefined;
    if (slice !== null) slices.push(slice);
  }
  if (entries.some(isWrong)) return null;
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
