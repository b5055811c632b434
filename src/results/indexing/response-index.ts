import type { ArrivingBody } from '../../core/arriving-body.ts';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { type WireField, wrongType } from '../../rest/wire.ts';
import { PAUSE, type Steps } from '../steps.ts';
import { AssetReader } from './asset-reader.ts';
import { AssetTable } from './asset-table.ts';
import { decodeString } from './indexed-asset.ts';
import { RowIndex } from './row-index.ts';
import { notJson, Scanner } from './scanner.ts';
import { UTF8_STEP_BYTES, Utf8Check } from './utf8-check.ts';
import { YieldingReader } from './yielding-reader.ts';

/** An indexed results response. */
export interface IndexedResponse {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Its assets. Null, undefined or an error if they are not a list. */
  readonly assets: WireField<AssetTable>;
  /** Whether entries of lists are omitted. */
  readonly omitted: boolean;
  /** The memory of the rows' offset entries. */
  readonly offsets: PooledBuffer | undefined;
}

const encoder = new TextEncoder();
const memberNames = ['assets', 'processing_id', 'source_id'].map((name) => encoder.encode(name));

/** The work of an asset without its rows, in the bytes that the event-loop yielder counts; and about its bytes of memory. */
const ASSET_BYTES = 512;
const ASSET_MEMORY = 160;
/** Memory is reserved for this many assets at once. Such a small amount does not wait behind large responses. */
const ASSETS_RESERVED = 256;

/**
 * Reads all bytes of a results response (REST specification, section 4.3) once, while they arrive, and finds each asset and
 * its rows. Invalid data stays local: one value becomes an error, one entry is omitted, or the rows of one asset take the
 * generic path.
 *
 * Before each value it waits until a window of the scanner has arrived, or the whole body. So it reads a body that is still
 * arriving exactly as one that is complete.
 */
export class ResponseIndexer {
  readonly #body: ArrivingBody;
  readonly #scanner: Scanner;
  readonly #reader: YieldingReader;
  readonly #rowIndex: RowIndex;
  readonly #assetReader: AssetReader;
  readonly #utf8 = new Utf8Check();
  #omitted = false;

  constructor(body: ArrivingBody, yielder: EventLoopYielder) {
    const { bytes } = body;
    this.#body = body;
    const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    this.#scanner = new Scanner(bytes, hasByteOrderMark ? 3 : 0, body.isComplete);
    this.#reader = new YieldingReader(this.#scanner, yielder);
    this.#rowIndex = new RowIndex(this.#scanner);
    this.#assetReader = new AssetReader(this.#reader, this.#rowIndex, (at) => this.#readPart(at));
  }

  /** Reads the whole response. @throws notJson for bytes that are not a JSON object in UTF-8 */
  *read(): Steps<IndexedResponse> {
    try {
      const members = yield* this.#readMembers();
      if ((yield* this.#reader.next()) !== -1) throw notJson;
      while (this.#utf8.step(this.#scanner.whole, true)) if (this.#reader.worked(UTF8_STEP_BYTES / 16)) yield PAUSE;
      return { ...members, omitted: this.#omitted, offsets: this.#rowIndex.memory };
    } catch (error) {
      this.#rowIndex.memory?.free();
      throw error;
    }
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
    this.#scanner.extend(bytes, isComplete);
    this.#rowIndex.extend(this.#scanner);
    this.#utf8.step(bytes, isComplete);
  }

  /** How much of the response was read up to a byte, from 0 to 1; 0 if its length is unknown. */
  #readPart(at: number): number {
    const { expectedLength = Number.POSITIVE_INFINITY } = this.#body;
    const { whole, isComplete } = this.#scanner;
    return at / (isComplete ? whole.length : expectedLength);
  }

  *#readMembers(): Steps<Omit<IndexedResponse, 'omitted' | 'offsets'>> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    const members: { -readonly [Name in 'assets' | 'processingId' | 'sourceId']: IndexedResponse[Name] } = {
      processingId: undefined,
      sourceId: undefined,
      assets: undefined,
    };
    if ((yield* reader.next()) !== 0x7b) throw notJson;
    if (yield* reader.isEmpty(0x7d)) return members;
    do {
      const name = yield* reader.name(memberNames);
      if (name === 0) {
        this.#resetAssets();
        if (scanner.next() === 0x5b) {
          const assets = new AssetTable(this.#body.pooled, this.#rowIndex);
          members.assets = assets;
          yield* this.#readAssets(assets);
        } else {
          members.assets = scanner.next() === 0x6e ? null : wrongType;
          yield* reader.skip();
        }
      } else {
        const start = scanner.at;
        yield* reader.skip(name >= 0);
        if (name === 1) members.processingId = this.#string(start);
        else if (name === 2) members.sourceId = this.#string(start);
      }
    } while (yield* reader.more(0x7d));
    return members;
  }

  /** The string from `start` to the scanner. */
  #string(start: number): WireField<string> {
    const { whole, at } = this.#scanner;
    const byte = whole[start] as number;
    if (byte === 0x22) return decodeString(whole.toString('utf8', start, at));
    return byte === 0x6e ? null : wrongType;
  }

  /** Removes the assets of an earlier `assets` member: the last one wins. */
  #resetAssets(): void {
    this.#omitted = false;
    this.#rowIndex.length = 0;
  }

  *#readAssets(assets: AssetTable): Steps<void> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    if (yield* reader.isEmpty(0x5d)) return;
    let reserved = 0;
    do {
      if (scanner.widen()) yield* reader.widen();
      let byte = scanner.next();
      if (byte === -1) byte = yield* reader.next();
      if (byte === 0x7b) {
        yield* this.#readAsset(assets);
        if (assets.length >= reserved + ASSETS_RESERVED) {
          reserved = assets.length;
          yield ASSETS_RESERVED * ASSET_MEMORY;
        }
      } else {
        if (byte !== 0x6e) this.#omitted = true;
        yield* reader.skip();
      }
      if (reader.worked(ASSET_BYTES)) yield PAUSE;
      if (scanner.next() === -1) yield* reader.next();
    } while (scanner.more(0x5d));
  }

  *#readAsset(assets: AssetTable): Steps<void> {
    const reader = this.#assetReader;
    const firstOffsetEntry = this.#rowIndex.length;
    yield* reader.read();
    if (!reader.attributes.hasId) {
      this.#omitted = true;
      this.#rowIndex.length = firstOffsetEntry;
      return;
    }
    this.#omitted ||= reader.omitted;
    if (assets.isFull) yield* assets.grow();
    assets.add(reader.attributes, reader.rows);
  }
}
