import { isUtf8 } from 'node:buffer';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { type WireField, wrongType } from '../../rest/wire.ts';
import { Bailout } from '../bailout.ts';
import { PAUSE, type Steps } from '../steps.ts';
import { type AssetRows, AssetTable } from './asset-table.ts';
import { ATTRIBUTE, AttributeReader, attributeNames, isTextOrNull, skipTexts } from './attributes.ts';
import { toText } from './indexed-asset.ts';
import { readLongRow } from './long-row.ts';
import { RowIndex } from './row-index.ts';
import type { RowTemplate } from './row-template.ts';
import { CUT, notJson, Scanner } from './scanner.ts';
import { YieldingReader } from './yielding-reader.ts';

/** What stands in a results answer. */
export interface IndexedResponse {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Its assets; null, undefined or an error where these are no list. */
  readonly assets: WireField<AssetTable>;
  /** Whether entries of lists had to be left out. */
  readonly omitted: boolean;
  /** What the offsets of the rows stand in. */
  readonly offsets: PooledBuffer | undefined;
}

const encoder = new TextEncoder();
const topNames = ['assets', 'processing_id', 'source_id'].map((name) => encoder.encode(name));

const noTemplates: ReadonlySet<RowTemplate> = new Set();

/** How many bytes are checked for UTF-8 in one go. */
const UTF8_BYTES = 1 << 21;
/** What an asset counts, besides its rows, when it is decided whether to pause; and about what it takes. */
const ASSET_BYTES = 512;
const ASSET_MEMORY = 160;
/** For so many assets memory is reserved at once: little enough not to wait behind large answers. */
const ASSETS_RESERVED = 256;

/**
 * Goes over all bytes of a results answer (REST specification, section 4.3) once, and finds each asset and its rows.
 * Whatever makes no sense stays where it is: it makes one value an error, one entry left out, or the rows of one asset
 * such that only the generic path can tell what is in them.
 *
 * @throws notJson for bytes that are not a JSON object in UTF-8
 */
export function indexResponse(body: PooledBuffer, yielder: EventLoopYielder): Steps<IndexedResponse> {
  return new ResponseIndexer(body, yielder).read();
}

/** Private. */
class ResponseIndexer {
  readonly #pooled: PooledBuffer;
  readonly #body: Buffer;
  readonly #scanner: Scanner;
  readonly #reader: YieldingReader;
  readonly #rowIndex: RowIndex;
  readonly #attributes = new AttributeReader();
  #omitted = false;
  /** Whether entries of the rows read last had to be left out. */
  #rowsOmitted = false;

  constructor(pooled: PooledBuffer, yielder: EventLoopYielder) {
    const body = pooled.bytes;
    this.#pooled = pooled;
    this.#body = body;
    const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
    this.#scanner = new Scanner(body, hasByteOrderMark ? 3 : 0);
    this.#reader = new YieldingReader(this.#scanner, yielder);
    this.#rowIndex = new RowIndex(body);
  }

  *read(): Steps<IndexedResponse> {
    try {
      yield* this.#checkUtf8();
      const top = yield* this.#top();
      if ((yield* this.#reader.next()) !== -1) throw notJson;
      return { ...top, omitted: this.#omitted, offsets: this.#rowIndex.memory };
    } catch (error) {
      this.#rowIndex.memory?.free();
      throw error;
    }
  }

  *#checkUtf8(): Steps<void> {
    const body = this.#body;
    for (let start = 0; start < body.length; ) {
      let end = Math.min(body.length, start + UTF8_BYTES);
      // Not in the midst of a character: it has three bytes at most behind its first one.
      for (let back = 0; back < 3 && end < body.length && isContinuation(body[end] as number); back += 1) end -= 1;
      if (!isUtf8(body.subarray(start, end))) throw notJson;
      start = end;
      if (this.#reader.worked(UTF8_BYTES / 16)) yield PAUSE;
    }
  }

  *#top(): Steps<Omit<IndexedResponse, 'omitted' | 'offsets'>> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    const top: { -readonly [Name in 'assets' | 'processingId' | 'sourceId']: IndexedResponse[Name] } = {
      processingId: undefined,
      sourceId: undefined,
      assets: undefined,
    };
    if ((yield* reader.next()) !== 0x7b) throw notJson;
    if (yield* reader.isEmpty(0x7d)) return top;
    do {
      const name = yield* reader.name(topNames);
      if (name === 0) {
        this.#forgetAssets();
        if (scanner.next() === 0x5b) {
          const assets = new AssetTable(this.#pooled, this.#rowIndex);
          top.assets = assets;
          yield* this.#readAssets(assets);
        } else {
          top.assets = scanner.next() === 0x6e ? null : wrongType;
          yield* reader.skip();
        }
      } else {
        const start = scanner.at;
        yield* reader.skip();
        if (name === 1) top.processingId = this.#text(start);
        else if (name === 2) top.sourceId = this.#text(start);
      }
    } while (yield* reader.more(0x7d));
    return top;
  }

  /** The text from here up to where the scanner is. */
  #text(start: number): WireField<string> {
    const byte = this.#body[start] as number;
    if (byte === 0x22) return toText(this.#body.toString('utf8', start, this.#scanner.at));
    return byte === 0x6e ? null : wrongType;
  }

  /** What an earlier list of assets has left: the last one counts. */
  #forgetAssets(): void {
    this.#omitted = false;
    this.#rowIndex.length = 0;
  }

  *#readAssets(assets: AssetTable): Steps<void> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    if (yield* reader.isEmpty(0x5d)) return;
    let reserved = 0;
    do {
      scanner.widen();
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
    const reader = this.#reader;
    const scanner = this.#scanner;
    const body = this.#body;
    const attributes = this.#attributes;
    const firstOffsetEntry = this.#rowIndex.length;
    let rows: AssetRows | undefined;
    attributes.clear();
    this.#rowsOmitted = false;
    scanner.at += 1;
    if (scanner.next() === -1) yield* reader.next();
    if (!scanner.isEmpty(0x7d)) {
      do {
        scanner.widen();
        let name = scanner.tryName(attributeNames);
        if (name === CUT) name = yield* reader.name(attributeNames);
        const start = scanner.at;
        let areTexts = false;
        if (name === ATTRIBUTE.results) {
          this.#rowIndex.length = firstOffsetEntry;
          this.#rowsOmitted = false;
          rows = body[start] === 0x5b ? yield* this.#readRows() : undefined;
        } else if (name === ATTRIBUTE.categories) areTexts = yield* this.#readTexts();
        if (scanner.at === start && !scanner.trySkip()) yield* reader.skip();
        if (name >= 0) attributes.note(body, name, start, scanner.at, areTexts);
        if (scanner.next() === -1) yield* reader.next();
      } while (scanner.more(0x7d));
    }
    if (!attributes.hasId) {
      this.#omitted = true;
      this.#rowIndex.length = firstOffsetEntry;
      return;
    }
    this.#omitted ||= this.#rowsOmitted;
    if (assets.isFull) yield* assets.grow();
    assets.add(attributes, rows);
  }

  /** Goes over a list, if there is one; whether it holds nothing but texts and nulls. */
  *#readTexts(): Steps<boolean> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    const start = scanner.at;
    if (this.#body[start] !== 0x5b) return false;
    try {
      return skipTexts(scanner);
    } catch (error) {
      if (error !== notJson || scanner.isAtEnd) throw error;
      scanner.at = start;
    }
    let areTexts = true;
    if (yield* reader.isEmpty(0x5d)) return true;
    do {
      areTexts = isTextOrNull(yield* reader.next()) && areTexts;
      yield* reader.skip();
    } while (yield* reader.more(0x5d));
    return areTexts;
  }

  *#readRows(): Steps<AssetRows> {
    const reader = this.#reader;
    const scanner = this.#scanner;
    const rowIndex = this.#rowIndex;
    const start = scanner.at;
    const firstOffsetEntry = rowIndex.length;
    let templates: Set<RowTemplate> | undefined;
    let count = 0;
    let bailout: Bailout | undefined;
    let last: RowTemplate | undefined;
    scanner.at += 1;
    if (scanner.next() === -1) yield* reader.next();
    if (!scanner.isEmpty(0x5d)) {
      do {
        scanner.widen();
        let byte = scanner.next();
        if (byte === -1) byte = yield* reader.next();
        const rowStart = scanner.at;
        if (byte === 0x7b) {
          let added = this.#tryAdd();
          while (added === false) {
            yield* rowIndex.grow(rowStart);
            added = this.#tryAdd();
          }
          if (added === undefined) {
            bailout ??= Bailout.longRow;
            if ((yield* readLongRow(reader)).omitted) this.#rowsOmitted = true;
          } else {
            bailout ??= rowIndex.bailout;
            if (rowIndex.omitted) this.#rowsOmitted = true;
          }
          count += 1;
          if (bailout !== undefined) rowIndex.length = firstOffsetEntry;
          else if (rowIndex.last !== undefined && rowIndex.last !== last) {
            last = rowIndex.last;
            templates ??= new Set();
            templates.add(last);
          }
        } else {
          if (byte !== 0x6e) this.#rowsOmitted = true;
          yield* reader.skip();
        }
        if (reader.worked(scanner.at - rowStart)) yield PAUSE;
        if (scanner.next() === -1) yield* reader.next();
      } while (scanner.more(0x5d));
    }
    return { start, end: scanner.at, count, firstOffsetEntry, content: bailout ?? templates ?? noTemplates };
  }

  /** Adds a row as RowIndex does; undefined, staying here, where it does not end within the scanner's window. */
  #tryAdd(): boolean | undefined {
    const scanner = this.#scanner;
    const start = scanner.at;
    try {
      return this.#rowIndex.add(scanner);
    } catch (error) {
      if (error !== notJson || scanner.isAtEnd) throw error;
      scanner.at = start;
      return undefined;
    }
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
