import { isUtf8 } from 'node:buffer';
import { Decline } from './decline.ts';
import type { Pacer } from './pacer.ts';
import { once, RowPlaces, RowReader } from './rows.ts';
import { Scanner } from './scanner.ts';

/** Where the rows of one asset stand in an answer's bytes: an array, from its bracket on. */
export interface RowsSlice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** The places of all rows of the answer; those of this asset are `rowCount` from `firstRow` on. */
  readonly places: RowPlaces;
  readonly firstRow: number;
  /** The number of rows, null entries not counted. */
  readonly rowCount: number;
}

/** The parts of an answer that are large, and the rest of it. */
export interface AnswerIndex {
  /** The answer's bytes with null in place of each asset's rows: small, and still everything else. */
  readonly skeleton: Buffer;
  /** The rows of each asset, in the order of the assets; null where there are none. */
  readonly rows: readonly (RowsSlice | null)[];
}

const encoder = new TextEncoder();
const topNames = [encoder.encode('assets')];
const assetNames = [encoder.encode('results'), encoder.encode('asset_id')];
const nothing = Buffer.from('null');

/**
 * Goes over all bytes of a results answer (REST specification, section 4.3) once, and finds each asset's rows.
 *
 * @throws Decline for bytes that are not JSON, and for whatever the plain way would leave out or report as an error
 */
export async function indexAnswer(body: Buffer, pacer: Pacer): Promise<AnswerIndex> {
  if (!isUtf8(body)) throw Decline.notUtf8;
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  const scanner = new Scanner(body, hasByteOrderMark ? 3 : 0);
  const rows: (RowsSlice | null)[] = [];
  const kept: Buffer[] = [];
  let keptUpTo = scanner.at;
  /** Leaves out what stands between the two places. */
  const leaveOut = (start: number, end: number) => {
    kept.push(body.subarray(keptUpTo, start), nothing);
    keptUpTo = end;
  };
  const reader = new RowReader();
  const places = new RowPlaces();

  scanner.expect(0x7b);
  let seen = 0;
  if (!scanner.isEmpty(0x7d)) {
    do {
      const name = scanner.name(topNames);
      if (name < 0) {
        scanner.skipValue();
        continue;
      }
      seen = once(seen, name);
      await indexAssets();
    } while (scanner.more(0x7d));
  }
  if (scanner.next() !== -1) throw Decline.malformed;
  kept.push(body.subarray(keptUpTo));
  return { skeleton: Buffer.concat(kept), rows };

  async function indexAssets(): Promise<void> {
    if (scanner.next() !== 0x5b) {
      scanner.skipValue();
      return;
    }
    scanner.at += 1;
    if (scanner.isEmpty(0x5d)) return;
    do {
      const byte = scanner.next();
      if (byte === 0x6e) scanner.null();
      else if (byte === 0x7b) await indexAsset();
      else throw Decline.leftOut;
    } while (scanner.more(0x5d));
  }

  async function indexAsset(): Promise<void> {
    let slice: RowsSlice | null = null;
    let named = 0;
    scanner.at += 1;
    if (!scanner.isEmpty(0x7d)) {
      do {
        const name = scanner.name(assetNames);
        if (name >= 0) named = once(named, name);
        const byte = scanner.next();
        if (name === 0 && byte === 0x5b) slice = await indexRows();
        // An asset without an id is left out, with an error.
        else if (name === 1 && byte !== 0x22) throw Decline.leftOut;
        else scanner.skipValue();
      } while (scanner.more(0x7d));
    }
    if ((named & 2) === 0) throw Decline.leftOut;
    rows.push(slice);
  }

  async function indexRows(): Promise<RowsSlice> {
    const start = scanner.at;
    const firstRow = places.count;
    scanner.at += 1;
    if (!scanner.isEmpty(0x5d)) {
      do {
        const byte = scanner.next();
        const rowStart = scanner.at;
        if (byte === 0x7b) {
          reader.read(scanner);
          places.add(rowStart, reader);
        } else if (byte === 0x6e) scanner.null();
        else throw Decline.leftOut;
        if (pacer.worked(scanner.at - rowStart)) await pacer.pause();
      } while (scanner.more(0x5d));
    }
    leaveOut(start, scanner.at);
    return { bytes: body, start, end: scanner.at, places, firstRow, rowCount: places.count - firstRow };
  }
}
