import { bodySizes } from '../../core/body-sizes.ts';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { RestError } from '../../rest/contract/rest-error.ts';
import {
  decodeMetrics,
  decodeRows,
  type MetricValue,
  type Row,
  type WireField,
  wrongType,
} from '../../rest/contract/wire.ts';
import { Scanner } from '../../scanner/scanner.ts';
import type { Steps } from '../../scanner/steps.ts';
import { YieldingReader } from '../../scanner/yielding-reader.ts';
import { decodeString } from '../indexing/indexed-asset.ts';
import { type LongRow, readLongRow, type Span } from '../indexing/long-row.ts';
import type { RowsSlice } from '../indexing/row-index.ts';

/** About the most bytes of a batch. */
const BATCH_BYTES = 1 << 16;
/** A row of more bytes is decoded in parts. */
const LONG_ROW_BYTES = 1 << 17;

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/** Where rows are. */
type RowsPart = Pick<RowsSlice, 'body' | 'start' | 'others'>;

/** A decoded row. */
export interface DecodedRow {
  readonly valueDate: WireField<string>;
  /**
   * Its metrics in batches, each time they are read. An empty batch is only a pause. The metrics of a long row are decoded
   * while they are read, and are never all in memory.
   */
  readonly metrics: WireField<Iterable<readonly MetricValue[]>>;
}

/**
 * Decodes the rows of a slice in batches. No step takes long, for any number and length of rows. An
 * empty batch is only a pause. Entries that are not objects are omitted.
 */
export function* rowBatches({ body, start, others = [] }: RowsPart): Generator<readonly DecodedRow[], void> {
  const { bytes } = body;
  for (const batch of batchesOf(bytes, start)) {
    if (batch === undefined) yield [];
    else yield* rowsIn(bytes, batch);
  }
  for (const other of others) yield* rowBatches(other);
}

/** Decodes the rows in some bytes, which are separated by commas, or one long row. */
export function* rowsIn(bytes: Buffer, span: Span): Generator<readonly DecodedRow[], void> {
  if (span.end - span.start > LONG_ROW_BYTES && bytes[span.start] === 0x7b) yield* decodeLongRow(bytes, span);
  else yield entriesOf(decodeRows(asList(bytes, span))).map(inOneBatch);
}

/**
 * The names of metrics that are not known yet, in the order of their first appearance; undefined for a pause. A name that is
 * added to the known ones does not come again.
 */
export function* newNames(slice: RowsPart, known: ReadonlySet<string>): Generator<string | undefined, void> {
  for (const rows of rowBatches(slice)) {
    for (const { metrics } of rows) {
      if (metrics === null || metrics === undefined || metrics instanceof RestError) continue;
      for (const batch of metrics) {
        for (const { name } of batch) if (typeof name === 'string' && !known.has(name)) yield name;
        if (!Array.isArray(metrics)) yield undefined;
      }
    }
    yield undefined;
  }
}

/** A row that was decoded whole. */
export function inOneBatch({ valueDate, metrics }: Row): DecodedRow {
  return {
    valueDate,
    metrics: Array.isArray(metrics) ? [metrics] : (metrics as Exclude<typeof metrics, MetricValue[]>),
  };
}

/** Decodes one long row, without its metrics. */
function* decodeLongRow(bytes: Buffer, { start }: Span): Generator<readonly DecodedRow[], void> {
  const { date, metrics } = yield* pausing<LongRow, readonly DecodedRow[]>(readLongRow(readerAt(bytes, start)), []);
  yield [{ valueDate: toDate(bytes, date), metrics: metrics && toMetrics(bytes, metrics) }];
}

function toDate(bytes: Buffer, date: Span | undefined): WireField<string> {
  if (date === undefined) return undefined;
  const first = bytes[date.start];
  if (first === 0x22) return decodeString(bytes.toString('utf8', date.start, date.end));
  return first === 0x6e ? null : wrongType;
}

function toMetrics(bytes: Buffer, { start }: Span): DecodedRow['metrics'] {
  if (bytes[start] !== 0x5b) return bytes[start] === 0x6e ? null : wrongType;
  return { [Symbol.iterator]: () => decodeMetricBatches(bytes, start) };
}

/** @param at the bracket of the list */
function* decodeMetricBatches(bytes: Buffer, at: number): Generator<readonly MetricValue[], void> {
  for (const batch of batchesOf(bytes, at))
    yield batch === undefined ? [] : entriesOf(decodeMetrics(asList(bytes, batch)));
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
    // The indexer has checked its strings.
    if (!scanner.trySkip()) yield* pausing(reader.skip(false), undefined);
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
  return new YieldingReader(new Scanner(bytes, bodySizes.window, at), new EventLoopYielder());
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
