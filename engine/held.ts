import { Attributes, type AttributeValues, valuesOf } from './attributes.ts';
import { type Entries, type HeldEntries, isHigher } from './entries.ts';
import { Memory } from './memory.ts';
import { PADDING, viewOf } from './scanner.ts';

const [BEGIN, COMMA, END] = ['{"assets":[', ',', ']}'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

/** A body that is kept, and where its entries are: a reader with `index` has noted them. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly entries: Entries;
  /** Only the entries of these assets count. Absent: all. */
  readonly only?: ReadonlySetLike<string> | undefined;
  /** Whether bytes between the entries were dropped. */
  readonly isCut?: boolean | undefined;
}

/** A part of a body: entries that are read where they are, or a chunk. */
export type HeldPart = HeldEntries | Buffer;

/** An entry, and the body that has it. */
interface HeldEntry {
  readonly index: number;
  readonly body: HeldBody;
}

/** The entries of a body that count, behind those of the bodies before it. */
interface Part {
  readonly body: HeldBody;
  readonly length: number;
  readonly start: number;
  /** Absent: all of them. */
  readonly indices: readonly number[] | undefined;
}

/** Bodies that are kept, one after another. What it gives of them are bodies too: any number of readers may read them. */
export class Held {
  readonly #bodies: readonly HeldBody[];
  /** Made when entries are counted: who asks for one asset does not need them. */
  #parts: readonly Part[] | undefined;
  #attributes: Attributes | undefined;

  constructor(bodies: readonly HeldBody[]) {
    this.#bodies = bodies;
  }

  /** The number of entries. */
  get length(): number {
    const last = this.#counted.at(-1);
    return last === undefined ? 0 : last.start + last.length;
  }

  get #counted(): readonly Part[] {
    this.#parts ??= partsOf(this.#bodies);
    return this.#parts;
  }

  /** The id of the asset of an entry. Undefined if there is none with this index. */
  idAt(index: number): string | undefined {
    const entry = this.#at(index);
    return entry?.body.entries.assetIdAt(entry.index);
  }

  /** Whether it has an entry of the asset. */
  has(assetId: string): boolean {
    return this.#bodies.some((body) => hasAsset(body, assetId));
  }

  #at(index: number): HeldEntry | undefined {
    const part = this.#counted.findLast(({ start }) => start <= index);
    if (part === undefined || index >= part.start + part.length) return undefined;
    const own = index - part.start;
    return { body: part.body, index: part.indices?.[own] ?? own };
  }

  /** The entries from `start` to `end` (exclusive), as bodies. */
  bodies(start = 0, end: number = this.length): HeldPart[][] {
    return bodiesOf(
      this.#counted.flatMap(({ body, length, start: before, indices }) => {
        const first = Math.max(0, start - before);
        const last = Math.min(length, end - before) - 1;
        if (last < first) return [];
        // What stands between two entries does not count, unless it is another entry.
        if (indices === undefined && body.isCut !== true) return { body, first, last };
        return Array.from({ length: last - first + 1 }, (_, at) => {
          const index = indices?.[first + at] ?? first + at;
          return { body, first: index, last: index };
        });
      }),
    );
  }

  /** The entries of an asset that have its highest version, as a body, for a reader that reads them together. */
  find(assetId: string): HeldPart[] {
    const highest = this.#highest(assetId);
    const version = highest && versionOf(highest);
    const found = this.#bodies.flatMap((body) => {
      const own = hasAsset(body, assetId) ? body.entries.of(assetId) : [];
      const ofVersion = own.filter((index) => body.entries.versionAt(index) === version);
      return ofVersion.map((index) => ({ body, first: index, last: index }));
    });
    if (found.length > 0 && !found.some(hasLong)) return found.flatMap(inPlace);
    return [BEGIN, ...found.flatMap((run, index) => (index > 0 ? [COMMA, bytesOf(run)] : [bytesOf(run)])), END];
  }

  /** Whether an asset may have several entries. */
  get isRepeated(): boolean {
    return this.#bodies.length > 1 || this.#bodies[0]?.entries.isRepeated === true;
  }

  /**
   * The attributes of the highest version of an asset that has several entries: there until others are asked for. Undefined if it has one
   * entry, or none.
   */
  attributesOf(assetId: string): Attributes | undefined {
    const [first, second] = this.#bodies.filter((body) => hasAsset(body, assetId));
    // Usually each asset has one entry.
    if (second === undefined && first?.entries.hasSeveral(assetId) !== true) return undefined;
    return this.#read(this.#highest(assetId) as HeldEntry);
  }

  /** The attributes of the highest version of an asset. Undefined if there is no such asset. */
  asset(assetId: string): AttributeValues | undefined {
    const highest = this.#highest(assetId);
    return highest && this.#valuesOf(highest);
  }

  /** The attributes of an entry. Undefined if there is none with this index. */
  entry(index: number): AttributeValues | undefined {
    const entry = this.#at(index);
    return entry && this.#valuesOf(entry);
  }

  #valuesOf(entry: HeldEntry): AttributeValues {
    const { start, end, rowsStart, rowsEnd } = entry.body.entries.placeAt(entry.index);
    return valuesOf(this.#read(entry), end - start - (rowsStart < 0 ? 0 : rowsEnd - rowsStart));
  }

  #read({ index, body }: HeldEntry): Attributes {
    const [entry] = inPlace({ body, first: index, last: index }) as [HeldEntries];
    const { start, rowsStart, rowsEnd } = body.entries.placeAt(index);
    this.#attributes ??= new Attributes(new Memory());
    this.#attributes.readAll(entry, { start: rowsStart - start, end: rowsEnd - start });
    return this.#attributes;
  }

  /** The first entry with the highest version of an asset. */
  #highest(assetId: string): HeldEntry | undefined {
    let highest: HeldEntry | undefined;
    for (const body of this.#bodies) {
      const index = hasAsset(body, assetId) ? body.entries.highestOf(assetId) : undefined;
      if (index === undefined) continue;
      const entry = { index, body };
      if (highest === undefined || isHigher(versionOf(entry), versionOf(highest))) highest = entry;
    }
    return highest;
  }
}

/** Entries that stand one behind another. */
interface Run {
  readonly body: HeldBody;
  readonly first: number;
  readonly last: number;
}

/** Parts that are too large to be read in one step are found by a reader that gets chunks. */
const hasLong = ({ body }: Run): boolean => body.entries.hasLong;

function bodiesOf(runs: readonly Run[]): HeldPart[][] {
  if (runs.length === 0) return [[BEGIN, END]];
  if (!runs.some(hasLong)) return [runs.flatMap(inPlace)];
  return runs.map((run) => [BEGIN, bytesOf(run), END]);
}

function bytesOf({ body: { bytes, entries }, first, last }: Run): Buffer {
  return bytes.subarray(entries.placeAt(first).start, entries.placeAt(last).end);
}

/** The entries where they are; the last one is copied if the memory ends with it. */
function inPlace(run: Run): HeldEntries[] {
  const { body, first, last } = run;
  const { bytes, entries } = body;
  const { end } = entries.placeAt(last);
  const { buffer, byteOffset } = bytes;
  if (byteOffset + end + PADDING <= buffer.byteLength) {
    const length = end + PADDING;
    const whole = { buffer: Buffer.from(buffer, byteOffset, length), view: new DataView(buffer, byteOffset, length) };
    return [{ ...whole, start: entries.placeAt(first).start, end }];
  }
  const copy = Buffer.concat([bytesOf({ body, first: last, last }), Buffer.alloc(PADDING)]);
  const ofLast = { buffer: copy, view: viewOf(copy), start: 0, end: copy.length - PADDING };
  return first === last ? [ofLast] : [...inPlace({ body, first, last: last - 1 }), ofLast];
}

function hasAsset({ entries, only }: HeldBody, assetId: string): boolean {
  return (only === undefined || only.has(assetId)) && entries.ids.has(assetId);
}

function partsOf(bodies: readonly HeldBody[]): Part[] {
  let start = 0;
  return bodies.map((body) => {
    const indices = indicesOf(body);
    const part = { body, length: indices?.length ?? body.entries.length, start, indices };
    start += part.length;
    return part;
  });
}

function indicesOf({ entries, only }: HeldBody): number[] | undefined {
  if (only === undefined) return undefined;
  const indices: number[] = [];
  for (let index = 0; index < entries.length; index += 1)
    if (only.has(entries.assetIdAt(index) as string)) indices.push(index);
  return indices;
}

function versionOf({ index, body }: HeldEntry): bigint | undefined {
  return body.entries.versionAt(index);
}
