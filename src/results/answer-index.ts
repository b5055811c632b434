import { isUtf8 } from 'node:buffer';
import { Decline } from './decline.ts';
import type { Pacer } from './pacer.ts';
import { RowIndex, type Rows } from './row-index.ts';
import { once } from './row-reader.ts';
import type { RowShape } from './row-shape.ts';
import { Scanner } from './scanner.ts';

/** Where the rows of one asset stand in an answer's bytes: an array, from its bracket on. */
export interface RowsSlice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** What is in it, null entries left out; or why the fast way cannot tell. */
  readonly rows: Rows | Decline;
}

/** Is handed an asset's JSON with null in place of its rows, and its rows, or null where it has none. */
export type AssetVisitor = (json: string, rows: RowsSlice | null) => void;

const encoder = new TextEncoder();
/** What an asset counts, besides its rows, when it is decided whether to pause: about what its visitor takes. */
const ASSET_BYTES = 4096;
const topNames = [encoder.encode('assets')];
const assetNames = [encoder.encode('results'), encoder.encode('asset_id')];

/**
 * Goes over all bytes of a results answer (REST specification, section 4.3) once, and finds each asset and its rows.
 *
 * @returns the answer's JSON with an empty list in place of its assets, where these are a list
 * @throws Decline for bytes that are not JSON, and for whatever the plain way would leave out or report as an error
 */
export async function indexAnswer(body: Buffer, pacer: Pacer, visit: AssetVisitor): Promise<string> {
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
  return textWithout(start, body.length, assets.start, assets.end, '[]');

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
    let rows: RowsSlice | null = null;
    let named = 0;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      do {
        const name = scanner.name(assetNames);
        if (name >= 0) named = once(named, name);
        const byte = scanner.next();
        if (name === 0 && byte === 0x5b) rows = await indexRows();
        // An asset without an id is left out, with an error.
        else if (name === 1 && byte !== 0x22) throw Decline.leftOut;
        else scanner.skipValue();
      } while (scanner.more(0x7d));
    }
    if ((named & 2) === 0) throw Decline.leftOut;
    const { start: from, end: to } = rows ?? { start: scanner.at, end: scanner.at };
    visit(textWithout(assetStart, scanner.at, from, to, rows === null ? '' : 'null'), rows);
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
