import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { RestError } from '../../rest/errors.ts';
import { type Row, type WireField, wrongType } from '../../rest/wire.ts';
import { Bailout } from '../bailout.ts';
import { AssetReader } from '../indexing/asset-reader.ts';
import type { AssetRows } from '../indexing/asset-table.ts';
import { ATTRIBUTE } from '../indexing/attributes.ts';
import { decodeString } from '../indexing/indexed-asset.ts';
import { RowIndex } from '../indexing/row-index.ts';
import { notJson, Scanner } from '../indexing/scanner.ts';
import { Utf8Check } from '../indexing/utf8-check.ts';
import { YieldingReader } from '../indexing/yielding-reader.ts';
import { MORE, PAUSE, type Steps } from '../steps.ts';
import { decodeRowBatches } from '../writing/row-batches.ts';
import { inSteps } from './in-steps.ts';
import type { RowSink } from './row-sink.ts';
import type { SlidingBody } from './sliding-body.ts';

const memberNames = [Buffer.from('assets')];

/** How many bytes are read before they are dropped. */
const DROP_BYTES = 1 << 18;
/** The work of an asset without its rows, in the bytes that the event-loop yielder counts. */
const ASSET_BYTES = 512;
/** The same of a row that is taken. */
const ROW_BYTES = 128;

/**
 * Reads a results response (REST specification, section 4.3) once, while it arrives, and passes each row on. It holds one
 * asset at a time, so the memory is that of the largest asset.
 *
 * A file cannot say that something is missing or wrong. So everything that is an error in a GraphQL response ends it: an
 * asset without an id, an entry that is no object, a value of another type, a number that is not finite, and an `assets`
 * that is repeated or no list.
 */
export class EntryStream {
  readonly #body: SlidingBody;
  readonly #sink: RowSink;
  readonly #scanner: Scanner;
  readonly #reader: YieldingReader;
  readonly #rowIndex: RowIndex;
  readonly #assetReader: AssetReader;
  readonly #utf8 = new Utf8Check();
  readonly #yielder = new EventLoopYielder();

  constructor(body: SlidingBody, sink: RowSink) {
    this.#body = body;
    this.#sink = sink;
    this.#scanner = new Scanner(body.bytes, 0, body.isComplete);
    this.#reader = new YieldingReader(this.#scanner, this.#yielder);
    this.#rowIndex = new RowIndex(this.#scanner);
    // The rows of one asset are a part that nobody knows: the index grows by doubling.
    this.#assetReader = new AssetReader(this.#reader, this.#rowIndex, () => 0);
  }

  /**
   * The bytes of the file, as the sink fills them. They are made on demand. A consumer that stops early must call `return`.
   *
   * @throws RestError for a response that is not what the service must send, and what the body throws
   */
  async *chunks(): AsyncGenerator<readonly Buffer[], void> {
    try {
      const steps = this.#read();
      for (;;) {
        const { done, value } = steps.next();
        if (this.#sink.hasFilled) yield this.#sink.takeFilled();
        if (done === true) break;
        if (value === PAUSE) await this.#yielder.pause();
        else if (value === MORE) await this.#more();
        else await this.#body.reserve(value);
      }
      for (const filled of this.#sink.finish()) {
        yield filled;
        await this.#yielder.pause();
      }
    } catch (error) {
      throw error === notJson ? invalid(error) : error;
    } finally {
      this.#rowIndex.memory?.release();
      await this.#body.release();
    }
  }

  async #more(): Promise<void> {
    await this.#body.more();
    this.#yielder.restart();
    this.#refresh();
    const { bytes, isComplete } = this.#body;
    while (this.#utf8.step(bytes, isComplete));
  }

  /** Sees what the body holds now. */
  #refresh(): void {
    const { bytes, isComplete } = this.#body;
    this.#scanner.extend(bytes, isComplete);
    this.#rowIndex.extend(this.#scanner);
  }

  *#read(): Steps<void> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    yield* reader.widen();
    const { whole } = scanner;
    if (whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf) scanner.at = 3;
    if ((yield* reader.next()) !== 0x7b) throw notJson;
    if (!(yield* reader.isEmpty(0x7d))) {
      let hasAssets = false;
      do {
        if ((yield* reader.name(memberNames)) === 0) {
          const byte = scanner.next();
          if (hasAssets || (byte !== 0x5b && byte !== 0x6e)) throw invalid();
          hasAssets = true;
          if (byte === 0x5b) yield* this.#readAssets();
          else yield* reader.skip();
        } else yield* reader.skip();
      } while (yield* reader.more(0x7d));
    }
    if ((yield* reader.next()) !== -1) throw notJson;
    // All of it has arrived, and was checked when it did.
  }

  *#readAssets(): Steps<void> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    if (yield* reader.isEmpty(0x5d)) return;
    do {
      if (scanner.at >= DROP_BYTES) this.#drop();
      if (scanner.widen()) yield* reader.widen();
      const byte = yield* reader.next();
      // A null is no entry.
      if (byte === 0x6e) yield* reader.skip();
      else if (byte !== 0x7b) throw invalid();
      else {
        this.#rowIndex.length = 0;
        yield* this.#assetReader.read();
        yield* this.#passOn();
      }
      if (reader.worked(ASSET_BYTES)) yield PAUSE;
    } while (yield* reader.more(0x5d));
  }

  /** Drops what is read, and was checked. */
  #drop(): void {
    const count = this.#utf8.drop(this.#scanner.at);
    this.#body.drop(count);
    this.#scanner.at -= count;
    this.#refresh();
  }

  /** Passes the asset on that was read. */
  *#passOn(): Steps<void> {
    const { attributes, omitted, rows } = this.#assetReader;
    const wrong = (1 << ATTRIBUTE.id) | (1 << ATTRIBUTE.name) | (1 << ATTRIBUTE.version) | (1 << ATTRIBUTE.results);
    if (!attributes.hasId || omitted || (attributes.wrong & wrong) !== 0) throw invalid();
    const version = this.#attribute(ATTRIBUTE.version);
    const name = this.#attribute(ATTRIBUTE.name);
    this.#sink.begin({
      assetId: decodeString(this.#attribute(ATTRIBUTE.id) ?? ''),
      name: name === null ? null : decodeString(name),
      version: version === null ? null : BigInt(version),
    });
    if (rows === undefined) return;
    if (rows.content instanceof Bailout) yield* this.#passDecoded(rows);
    else yield* this.#passRows(rows);
  }

  *#passRows({ count, firstOffsetEntry }: AssetRows): Steps<void> {
    const index = this.#rowIndex;
    let entry = firstOffsetEntry;
    for (let row = 0; row < count; row += 1) {
      const template = index.templateAt(entry);
      const steps = this.#sink.row(index, entry, template);
      if (steps !== undefined) for (const _ of steps) yield PAUSE;
      entry = index.nextOffsetEntry(entry, template);
      if (this.#reader.worked(ROW_BYTES) || this.#sink.hasFilled) yield PAUSE;
    }
  }

  *#passDecoded({ start, end, count, longestRow, content }: AssetRows): Steps<void> {
    const slice = { body: this.#body.pooled, start, end, count, longestRow, rows: content as Bailout };
    for (const rows of decodeRowBatches(slice)) {
      for (const row of rows) {
        for (const _ of checkRow(row)) yield PAUSE;
        const steps = this.#sink.decodedRow(row);
        if (steps !== undefined) for (const _ of steps) yield PAUSE;
        if (this.#sink.hasFilled) yield PAUSE;
      }
      yield PAUSE;
    }
  }

  /** The JSON of an attribute; null if it has none. */
  #attribute(attribute: number): string | null {
    const { present, starts, ends } = this.#assetReader.attributes;
    if ((present & (1 << attribute)) === 0) return null;
    return this.#scanner.whole.toString('utf8', starts[attribute], ends[attribute]);
  }
}

/** @throws RestError `invalidResponse` for a value of another type */
function* checkRow({ valueDate, metrics }: Row): Iterable<void> {
  check(valueDate);
  check(metrics);
  if (!Array.isArray(metrics)) return;
  yield* inSteps(metrics, ({ name, value }) => {
    check(name);
    check(value);
  });
}

function check(value: WireField<unknown>): void {
  if (value instanceof RestError) throw value;
}

function invalid(cause?: unknown): RestError {
  return cause === undefined
    ? wrongType
    : new RestError('getDatasetResults', 'invalidResponse', { status: 200, cause });
}
