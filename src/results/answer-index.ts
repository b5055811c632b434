import { isUtf8 } from 'node:buffer';
import { Decline } from './decline.ts';
import { attributeNames, ID, NONE, noAttributes, takeAttribute } from './indexed-asset.ts';
import type { Pacer } from './pacer.ts';
import { RowIndex, type RowsSlice } from './row-index.ts';
import { once } from './row-reader.ts';
import type { RowShape } from './row-shape.ts';
import { Scanner } from './scanner.ts';

/** What there is in a results answer besides its assets. */
export interface IndexedAnswer {
  /** The answer's JSON with an empty list in place of its assets, where these are a list. */
  readonly rest: string;
  /** What the places of the rows stand in. */
  readonly places: Buffer;
}

/** What an answer says of one asset. */
export interface AssetPlaces {
  /** The places of its attributes; undefined where one of them is not of its type. */
  readonly attributes: readonly number[] | undefined;
  /** Where its rows stand; null without rows. */
  readonly slice: RowsSlice | null;
  /** Its JSON, with null in place of its rows. */
  json(): string;
}

const encoder = new TextEncoder();
/** What an asset counts, besides its rows, when it is decided whether to pause. */
const ASSET_BYTES = 1024;
const topNames = [encoder.encode('assets')];
const assetNames = [...attributeNames, encoder.encode('results')];
const RESULTS = attributeNames.length;

/**
 * Goes over all bytes of a results answer (REST specification, section 4.3) once, and finds each asset and its rows.
 *
 * @throws Decline for bytes that are not JSON, and for whatever the plain way would leave out or report as an error
 */
export async function indexAnswer(
  body: Buffer,
  pacer: Pacer,
  visit: (asset: AssetPlaces) => void,
): Promise<IndexedAnswer> {
  if (!isUtf8(body)) throw Decline.notUtf8;
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  const start = hasByteOrderMark ? 3 : 0;
  const scanner = new Scanner(body, start);
  const rowIndex = new RowIndex(body);
  let assets = { start: body.length, end: body.length };

  scanner.expect(0x7b);
  let seen = 0;
  if (!scanner.isEmpty(0x7d)) {
    do {
      const name = scanner.name(topNames);
      if (name >= 0) seen = once(seen, name);
      if (name === 0 && scanner.next() === 0x5b) assets = await indexAssets();
      else scanner.skipValue();
    } while (scanner.more(0x7d));
  }
  if (scanner.next() !== -1) throw Decline.malformed;
  return { rest: textWithout(start, body.length, assets.start, assets.end, '[]'), places: rowIndex.memory };

  async function indexAssets(): Promise<typeof assets> {
    const listStart = scanner.at;
    scanner.at += 1;
    if (!scanner.isEmpty(0x5d)) {
      do {
        const byte = scanner.next();
        if (byte === 0x6e) scanner.null();
        else if (byte === 0x7b) await indexAsset();
        else throw Decline.leftOut;
        if (pacer.worked(ASSET_BYTES)) await pacer.pause();
      } while (scanner.more(0x5d));
    }
    return { start: listStart, end: scanner.at };
  }

  async function indexAsset(): Promise<void> {
    const assetStart = scanner.at;
    const attributes = noAttributes();
    let isSound = true;
    let slice: RowsSlice | null = null;
    let named = 0;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      do {
        const name = scanner.name(assetNames);
        if (name >= 0) named = once(named, name);
        const byte = scanner.next();
        if (name < 0) scanner.skipValue();
        else if (name < RESULTS) isSound = takeAttribute(scanner, name, attributes) && isSound;
        else if (byte === 0x5b) slice = await indexRows();
        else if (byte === 0x6e) scanner.null();
        else {
          scanner.skipValue();
          isSound = false;
        }
      } while (scanner.more(0x7d));
    }
    if (attributes[2 * ID] === NONE) throw Decline.leftOut;
    const assetEnd = scanner.at;
    const { start: from, end: to } = slice ?? { start: assetEnd, end: assetEnd };
    visit({
      attributes: isSound ? attributes : undefined,
      slice,
      json: () => textWithout(assetStart, assetEnd, from, to, slice === null ? '' : 'null'),
    });
  }

  /** The text between two places, with something else in place of what stands between two others. */
  function textWithout(textStart: number, textEnd: number, from: number, to: number, instead: string): string {
    if (from === to) return body.toString('utf8', textStart, textEnd);
    return body.toString('utf8', textStart, from) + instead + body.toString('utf8', to, textEnd);
  }

  async function indexRows(): Promise<RowsSlice> {
    const start = scanner.at;
    const firstCell = rowIndex.length;
    const shapes = new Set<RowShape>();
    let count = 0;
    let declined: Decline | undefined;
    let last: RowShape | undefined;
    scanner.at += 1;
    if (!scanner.isEmpty(0x5d)) {
      do {
        const byte = scanner.next();
        const rowStart = scanner.at;
        if (byte === 0x7b) {
          declined = rowIndex.add(scanner) ?? declined;
          count += 1;
          if (rowIndex.last !== undefined && rowIndex.last !== last) {
            last = rowIndex.last;
            shapes.add(last);
          }
        } else if (byte === 0x6e) scanner.null();
        else throw Decline.leftOut;
        if (pacer.worked(scanner.at - rowStart)) await pacer.pause();
      } while (scanner.more(0x5d));
    }
    return { bytes: body, start, end: scanner.at, rows: declined ?? { index: rowIndex, firstCell, count, shapes } };
  }
}
