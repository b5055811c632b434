import { type AttributeValues, attributeValues } from './attributes.ts';
import { type Entries, isHigher } from './entries.ts';

const [BEGIN, COMMA, END, NULL] = ['{"assets":[', ',', ']}', 'null'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** A body that is kept, and where its entries are: a reader with `index` has noted them. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly entries: Entries;
  /** Only the entries of these assets count. Absent: all. */
  readonly only?: ReadonlySetLike<string> | undefined;
  /** Whether bytes between the entries were dropped. */
  readonly isCut?: boolean | undefined;
}

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

  /** The entries from `start` to `end` (exclusive), as bodies in chunks. */
  bodies(start = 0, end: number = this.length): Buffer[][] {
    const found: Buffer[][] = [];
    for (const { body, length, start: before, indices } of this.#counted) {
      const first = Math.max(0, start - before);
      const last = Math.min(length, end - before) - 1;
      if (last < first) continue;
      const { entries, bytes, isCut } = body;
      const add = (from: number, to: number) =>
        found.push([BEGIN, bytes.subarray(entries.placeAt(from).start, entries.placeAt(to).end), END]);
      // What stands between two entries does not count, unless it is another entry.
      if (indices === undefined && isCut !== true) add(first, last);
      else
        for (let own = first; own <= last; own += 1) {
          const index = indices?.[own] ?? own;
          add(index, index);
        }
    }
    return found.length === 0 ? [[BEGIN, END]] : found;
  }

  /** The entries of an asset that have its highest version, as a body in chunks, for a reader that reads them together. */
  find(assetId: string): Buffer[] {
    const highest = this.#highest(assetId);
    const version = highest && versionOf(highest);
    const found = this.#bodies.flatMap((body) => {
      const { entries, bytes } = body;
      const own = hasAsset(body, assetId) ? entries.of(assetId) : [];
      return own
        .filter((index) => entries.versionAt(index) === version)
        .map((index) => bytes.subarray(entries.placeAt(index).start, entries.placeAt(index).end));
    });
    return [BEGIN, ...found.flatMap((entry, index) => (index > 0 ? [COMMA, entry] : [entry])), END];
  }

  /** The first entry with the highest version of an asset that has several entries, without its rows. Undefined if it has one. */
  attributesOf(assetId: string): Buffer | undefined {
    const [first, second] = this.#bodies.filter((body) => hasAsset(body, assetId));
    // Usually each asset has one entry.
    if (second === undefined && first?.entries.hasSeveral(assetId) !== true) return undefined;
    return withoutRows(this.#highest(assetId) as HeldEntry);
  }

  /** The attributes of the highest version of an asset. Undefined if there is no such asset. */
  asset(assetId: string): AttributeValues | undefined {
    const highest = this.#highest(assetId);
    return highest && attributeValues(withoutRows(highest));
  }

  /** The attributes of an entry. Undefined if there is none with this index. */
  entry(index: number): AttributeValues | undefined {
    const entry = this.#at(index);
    return entry && attributeValues(withoutRows(entry));
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

function withoutRows({ body, index }: HeldEntry): Buffer {
  const { start, end, rowsStart, rowsEnd } = body.entries.placeAt(index);
  if (rowsStart < 0) return body.bytes.subarray(start, end);
  return Buffer.concat([body.bytes.subarray(start, rowsStart), NULL, body.bytes.subarray(rowsEnd, end)]);
}
