import type { BodySizes } from '../../core/body-sizes.ts';
import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { timeSeriesMembers, unknownObject, type WireField, wrongType } from '../../rest/contract/wire.ts';
import { byteOrderMarkIn } from '../../scanner/characters.ts';
import { notJson, Scanner } from '../../scanner/scanner.ts';
import { PAUSE, type Steps } from '../../scanner/steps.ts';
import { UTF8_STEP_BYTES, Utf8Check } from '../../scanner/utf8-check.ts';
import { YieldingReader } from '../../scanner/yielding-reader.ts';
import { AssetReader } from './asset-reader.ts';
import { decodeString } from './indexed-asset.ts';
import { RowIndex } from './row-index.ts';

/** The body of a response while it arrives. */
export interface ReadableBody {
  /** The bytes that are held: all that have arrived, or those that were not dropped. They may move in memory. */
  readonly bytes: Buffer;
  /** Whether no more bytes will come. */
  readonly isComplete: boolean;
  /** The length of the whole body in bytes, if it is known. */
  readonly expectedLength?: number | undefined;
  readonly sizes: BodySizes;
  /** Drops bytes. */
  drop(start: number, end: number): void;
}

/** What the member `assets` is: a list, whose entries follow, null or something of a wrong type. */
export type MemberKind = 'list' | 'null' | 'wrong';

/** Takes the assets of a response one after another. */
export interface AssetConsumer {
  /** A member `assets` begins. If a response has several, the last one wins. */
  assets(kind: MemberKind): void;
  /** Takes the asset that was read last, with the rows that it added to the index. Without steps that is done when it returns. */
  asset(asset: AssetReader): Steps<void> | undefined;
  /** Takes note of an entry that is neither an object nor null. */
  wrongEntry(): void;
}

const encoder = new TextEncoder();
const memberNames = timeSeriesMembers.map((name) => encoder.encode(name));
/** The places of these names. */
const [ASSETS, PROCESSING_ID, SOURCE_ID] = ['assets', 'processing_id', 'source_id'].map((name) =>
  timeSeriesMembers.indexOf(name),
);

/** The work of an asset without its rows, in the bytes that the event-loop yielder counts. */
const ASSET_BYTES = 512;

/**
 * Reads all bytes of a results response (REST specification, section 4.3) once, while they arrive, and passes on each asset
 * when it was read. It checks that they are JSON in UTF-8.
 *
 * Before each value it waits until a window of the scanner has arrived, or the whole body. So it reads a body that is still
 * arriving exactly as one that is complete.
 */
export class ResponseReader {
  processingId: WireField<string>;
  sourceId: WireField<string>;
  readonly rowIndex: RowIndex;
  readonly #body: ReadableBody;
  readonly #consumer: AssetConsumer;
  readonly #scanner: Scanner;
  readonly #reader: YieldingReader;
  readonly #assetReader: AssetReader;
  readonly #utf8 = new Utf8Check();

  constructor(body: ReadableBody, consumer: AssetConsumer, yielder: EventLoopYielder) {
    this.#body = body;
    this.#consumer = consumer;
    this.#scanner = new Scanner(body.bytes, body.sizes.window, 0, body.isComplete);
    this.#reader = new YieldingReader(this.#scanner, yielder);
    this.rowIndex = new RowIndex(this.#scanner);
    this.#assetReader = new AssetReader(this.#reader, this.rowIndex, (at) => this.#readPart(at));
  }

  /**
   * Reads the whole response.
   *
   * @throws notJson for bytes that are not a JSON object in UTF-8, `unknownObject` at its end, and what the consumer throws
   */
  *read(): Steps<void> {
    const reader = this.#reader;
    yield* reader.widen();
    const { whole } = this.#scanner;
    this.#scanner.at = byteOrderMarkIn(whole);
    if ((yield* reader.next()) !== 0x7b) throw notJson;
    const isKnown = (yield* reader.isEmpty(0x7d)) || (yield* this.#readMembers());
    if ((yield* reader.next()) !== -1) throw notJson;
    while (this.#utf8.step(this.#scanner.whole, true)) if (reader.worked(UTF8_STEP_BYTES / 16)) yield PAUSE;
    if (!isKnown) throw unknownObject('getDatasetResults');
  }

  /**
   * Sees what has arrived. To be called before `read` goes on after a step, because the bytes may have moved in memory.
   *
   * @throws notJson, and Error after the release of the body
   */
  refresh(): void {
    const { bytes, isComplete } = this.#body;
    const { whole, isComplete: wasComplete } = this.#scanner;
    const hasMoved = bytes.buffer !== whole.buffer || bytes.length !== whole.length;
    if (!hasMoved && isComplete === wasComplete) return;
    this.#extend();
    this.#utf8.step(bytes, isComplete);
  }

  #extend(): void {
    this.#scanner.extend(this.#body.bytes, this.#body.isComplete);
    this.rowIndex.extend(this.#scanner);
  }

  /** How much of the response is before a byte that is held, from 0 to 1; 0 if its length is unknown. */
  #readPart(at: number): number {
    const { expectedLength = Number.POSITIVE_INFINITY, isComplete } = this.#body;
    return at / (isComplete ? this.#scanner.whole.length : expectedLength);
  }

  /** Returns whether the specification names any of them. */
  *#readMembers(): Steps<boolean> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    let isKnown = false;
    do {
      const name = yield* reader.name(memberNames);
      const start = scanner.at;
      if (name >= 0) isKnown = true;
      if (name === ASSETS) {
        const kind = kindOf(scanner.next());
        this.#consumer.assets(kind);
        yield* kind === 'list' ? this.#readAssets() : reader.skip();
      } else {
        yield* reader.skip(name >= 0);
        if (name === PROCESSING_ID) this.processingId = this.#string(start);
        else if (name === SOURCE_ID) this.sourceId = this.#string(start);
      }
    } while (yield* reader.more(0x7d));
    return isKnown;
  }

  /** The string from `start` to the scanner. */
  #string(start: number): WireField<string> {
    const { whole, at } = this.#scanner;
    const byte = whole[start] as number;
    if (byte === 0x22) return decodeString(whole.toString('utf8', start, at));
    return byte === 0x6e ? null : wrongType;
  }

  *#readAssets(): Steps<void> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    if (yield* reader.isEmpty(0x5d)) return;
    do {
      if (scanner.widen()) yield* reader.widen();
      let byte = scanner.next();
      if (byte === -1) byte = yield* reader.next();
      if (byte === 0x7b) {
        yield* this.#assetReader.read();
        const steps = this.#consumer.asset(this.#assetReader);
        if (steps !== undefined) yield* steps;
      } else {
        if (byte !== 0x6e) this.#consumer.wrongEntry();
        yield* reader.skip();
      }
      if (reader.worked(ASSET_BYTES)) yield PAUSE;
      if (scanner.next() === -1) yield* reader.next();
    } while (scanner.more(0x5d));
  }

  /** The first byte that was not read. */
  get at(): number {
    return this.#scanner.at;
  }

  /**
   * Drops what was read and checked from `start` on, if that is worth it. To be called when an asset was passed on, and no byte
   * from `start` to the scanner is needed.
   */
  drop(start = 0): void {
    const { at, whole } = this.#scanner;
    // What is left has to be moved.
    if (at - start < this.#body.sizes.drop || (at - start) * 2 < whole.length - start) return;
    const count = this.#utf8.drop(start, at);
    this.#body.drop(start, start + count);
    this.#scanner.at -= count;
    this.#extend();
  }
}

/** The kind of a member, by its first byte. */
function kindOf(byte: number): MemberKind {
  if (byte === 0x5b) return 'list';
  return byte === 0x6e ? 'null' : 'wrong';
}
