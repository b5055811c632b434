import { notJson, TRUNCATED } from '../../scanner/scanner.ts';
import { PAUSE, type Steps } from '../../scanner/steps.ts';
import type { YieldingReader } from '../../scanner/yielding-reader.ts';
import { Bailout } from '../bailout.ts';
import type { AssetRows } from './asset-table.ts';
import {
  ATTRIBUTE,
  AttributeReader,
  areStrings,
  attributeNames,
  StringsKind,
  skipStrings,
  withElement,
} from './attributes.ts';
import { readLongRow } from './long-row.ts';
import type { RowIndex } from './row-index.ts';
import type { RowTemplate } from './row-template.ts';

const noTemplates: ReadonlySet<RowTemplate> = new Set();

/** Reads the assets of a response (REST specification, section 2.5) one after another. */
export class AssetReader {
  /** The attributes of the last asset. */
  readonly attributes = new AttributeReader();
  /** Its rows. Undefined if it has no list of them. */
  rows: AssetRows | undefined;
  /** Whether entries of its rows are omitted. */
  omitted = false;
  readonly #reader: YieldingReader;
  readonly #rowIndex: RowIndex;
  readonly #readPart: (at: number) => number;

  /**
   * @param rowIndex gets the rows
   * @param readPart how much of the response was read up to a byte, from 0 to 1; 0 if its length is unknown
   */
  constructor(reader: YieldingReader, rowIndex: RowIndex, readPart: (at: number) => number) {
    this.#reader = reader;
    this.#rowIndex = rowIndex;
    this.#readPart = readPart;
  }

  /** Reads the asset at the scanner, from its brace on. @throws notJson */
  *read(): Steps<void> {
    const reader = this.#reader;
    const { scanner } = reader;
    const { attributes } = this;
    const firstOffsetEntry = this.#rowIndex.length;
    attributes.clear();
    this.rows = undefined;
    this.omitted = false;
    scanner.at += 1;
    if (scanner.next() === -1) yield* reader.next();
    if (scanner.isEmpty(0x7d)) return;
    do {
      if (scanner.widen()) yield* reader.widen();
      const from = scanner.at;
      let name = scanner.tryName(attributeNames);
      if (name === TRUNCATED) name = yield* reader.name(attributeNames);
      const start = scanner.at;
      let strings: StringsKind = StringsKind.other;
      if (name === ATTRIBUTE.results) {
        this.#rowIndex.length = firstOffsetEntry;
        this.omitted = false;
        this.rows = scanner.whole[start] === 0x5b ? yield* this.#readRows() : undefined;
      } else if (areStrings[name]) strings = yield* this.#readStrings();
      if (scanner.at === start && !scanner.trySkip()) yield* reader.skip(name >= 0);
      if (name >= 0) attributes.set(scanner.whole, name, start, scanner.at, strings);
      // It may have any number of attributes that nobody knows.
      if (reader.worked(scanner.at - from)) yield PAUSE;
      if (scanner.next() === -1) yield* reader.next();
    } while (scanner.more(0x7d));
  }

  /** Skips a list, if there is one. */
  *#readStrings(): Steps<StringsKind> {
    const reader = this.#reader;
    const { scanner } = reader;
    const start = scanner.at;
    if (scanner.whole[start] !== 0x5b) return StringsKind.other;
    try {
      return skipStrings(scanner);
    } catch (error) {
      if (error !== notJson || scanner.isAtEnd) throw error;
      scanner.at = start;
    }
    let kind: StringsKind = StringsKind.strings;
    if (yield* reader.isEmpty(0x5d)) return kind;
    do {
      kind = withElement(kind, yield* reader.next());
      yield* reader.skip();
    } while (yield* reader.more(0x5d));
    return kind;
  }

  *#readRows(): Steps<AssetRows> {
    const reader = this.#reader;
    const { scanner } = reader;
    const rowIndex = this.#rowIndex;
    const start = scanner.at;
    const firstOffsetEntry = rowIndex.length;
    let templates: Set<RowTemplate> | undefined;
    let count = 0;
    let longestRow = 0;
    let bailout: Bailout | undefined;
    let last: RowTemplate | undefined;
    scanner.at += 1;
    if (scanner.next() === -1) yield* reader.next();
    if (!scanner.isEmpty(0x5d)) {
      do {
        if (scanner.widen()) yield* reader.widen();
        let byte = scanner.next();
        if (byte === -1) byte = yield* reader.next();
        const rowStart = scanner.at;
        if (byte === 0x7b) {
          let added = this.#tryAdd();
          while (added === false) {
            yield* rowIndex.grow(this.#readPart(rowStart));
            added = this.#tryAdd();
          }
          if (added === undefined) {
            bailout ??= Bailout.longRow;
            if ((yield* readLongRow(reader)).omitted) this.omitted = true;
          } else {
            bailout ??= rowIndex.bailout;
            if (rowIndex.omitted) this.omitted = true;
          }
          count += 1;
          if (scanner.at - rowStart > longestRow) longestRow = scanner.at - rowStart;
          if (bailout !== undefined) rowIndex.length = firstOffsetEntry;
          else if (rowIndex.last !== undefined && rowIndex.last !== last) {
            last = rowIndex.last;
            templates ??= new Set();
            templates.add(last);
          } else {
            count += rowIndex.addRun(scanner);
            if (rowIndex.longestInRun > longestRow) longestRow = rowIndex.longestInRun;
          }
        } else {
          if (byte !== 0x6e) this.omitted = true;
          yield* reader.skip();
        }
        if (reader.worked(scanner.at - rowStart)) yield PAUSE;
        if (scanner.next() === -1) yield* reader.next();
      } while (scanner.more(0x5d));
    }
    return {
      start,
      end: scanner.at,
      count,
      longestRow,
      firstOffsetEntry,
      content: bailout ?? templates ?? noTemplates,
    };
  }

  /** Adds a row as RowIndex does. Returns undefined, and stays here, if it does not end within the scanner's window. */
  #tryAdd(): boolean | undefined {
    const { scanner } = this.#reader;
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
