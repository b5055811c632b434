import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { decodeMetrics, decodeRows, type MetricValue, type Row, type WireField, wrongType } from '../../rest/wire.ts';
import { decodeString } from '../indexing/indexed-asset.ts';
import { type LongRow, readLongRow, type Span } from '../indexing/long-row.ts';
import type { RowsSlice } from '../indexing/row-index.ts';
import { Scanner } from '../indexing/scanner.ts';
import { YieldingReader } from '../indexing/yielding-reader.ts';
import type { Steps } from '../steps.ts';

/** About the most bytes of a batch. */
const BATCH_BYTES = 1 << 16;
/** A row of more bytes is decoded in parts. */
const LONG_ROW_BYTES = 1 << 17;

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/**
 * Decodes the rows of a slice in batches, as on the generic path. No step takes long, for any number and length of rows. An
 * empty batch is only a pause. Entries that are not objects are omitted.
 */
export function* decodeRowBatches({ body, start }: RowsSlice): Generator<readonly Row[], void> {
  const { bytes } = body;
  for (const batch of batchesOf(bytes, start)) {
    if (batch === undefined) yield [];
    else if (batch.end - batch.start > LONG_ROW_BYTES && bytes[batch.start] === 0x7b)
      yield* decodeLongRow(bytes, batch);
    else yield entriesOf(decodeRows(asList(bytes, batch)));
  }
}

/** Decodes one long row. */
function* decodeLongRow(bytes: Buffer, { start }: Span): Generator<readonly Row[], void> {
  const { date, metrics } = yield* pausing<LongRow, readonly Row[]>(readLongRow(readerAt(bytes, start)), []);
  const row = { valueDate: toDate(bytes, date), metrics: undefined as WireField<MetricValue[]> };
  if (metrics !== undefined) {
    const first = bytes[metrics.start];
    row.metrics = first === 0x5b ? [] : first === 0x6e ? null : wrongType;
  }
  if (metrics !== undefined && Array.isArray(row.metrics)) {
    for (const batch of batchesOf(bytes, metrics.start)) {
      if (batch !== undefined)
        for (const metric of entriesOf(decodeMetrics(asList(bytes, batch)))) row.metrics.push(metric);
      yield [];
    }
  }
  yield [row];
}

function toDate(bytes: Buffer, date: Span | undefined): WireField<string> {
  if (date === undefined) return undefined;
  const first = bytes[date.start];
  if (first === 0x22) return decodeString(bytes.toString('utf8', date.start, date.end));
  return first === 0x6e ? null : wrongType;
}

/**
 * The entries of a list in batches. An entry that is longer than a batch is a batch of its own. Yields undefined for a
 * pause.
 *
 * @param at the bracket of the list
 */
function* batchesOf(bytes: Buffer, at: number): Generator<Span | undefined, void> {
  const reader = readerAt(bytes, at);
  const { scanner } = reader;
  let start = -1;
  let end = -1;
  if (yield* pausing(reader.isEmpty(0x5d), undefined)) return;
  do {
    scanner.widen();
    if (scanner.next() === -1) yield* pausing(reader.next(), undefined);
    const { at: from } = scanner;
    if (!scanner.trySkip()) yield* pausing(reader.skip(), undefined);
    if (start >= 0 && scanner.at - start > BATCH_BYTES) {
      yield { start, end };
      start = -1;
    }
    if (start < 0) start = from;
    end = scanner.at;
    if (scanner.next() === -1) yield* pausing(reader.next(), undefined);
  } while (scanner.more(0x5d));
  yield { start, end };
}

/** Runs steps, and yields the same value at each pause. */
function* pausing<T, Y>(steps: Steps<T>, pause: Y): Generator<Y, T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield pause;
  }
}

function readerAt(bytes: Buffer, at: number): YieldingReader {
  return new YieldingReader(new Scanner(bytes, at), new EventLoopYielder());
}

/** The JSON of a list with these entries. */
function asList(bytes: Buffer, { start, end }: Span): Buffer {
  return Buffer.concat([OPEN, bytes.subarray(start, end), CLOSE]);
}

/** The entries of a decoded list. */
function entriesOf<T>(list: WireField<readonly T[]>): readonly T[] {
  if (!Array.isArray(list)) throw new TypeError('A list is decoded as a list.');
  return list;
}
