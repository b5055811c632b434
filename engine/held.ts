import { type AttributeValues, attributeValues } from './attributes.ts';

const [BEGIN, COMMA, END, NULL] = ['{"assets":[', ',', ']}', 'null'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
];

/** Where an entry is in the body. */
export interface EntryPlace {
  readonly assetId: string;
  readonly version: bigint | undefined;
  readonly start: number;
  readonly end: number;
  /** Where the list of its rows is. -1 if there is none. */
  readonly rowsStart: number;
  readonly rowsEnd: number;
}

/** A body that is kept, and where its entries are: a reader with `index` has noted them. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly entries: readonly EntryPlace[];
  /** Only the entries of these assets count. Absent: all. */
  readonly only?: ReadonlySet<string>;
}

/** An entry, and the body that has it. */
interface HeldEntry {
  readonly place: EntryPlace;
  readonly body: HeldBody;
}

/** Bodies that are kept, one after another. What it gives of them are bodies too: any number of readers may read them. */
export class Held {
  readonly #entries: readonly HeldEntry[];
  readonly #byId: ReadonlyMap<string, readonly HeldEntry[]>;

  constructor(bodies: readonly HeldBody[]) {
    this.#entries = bodies.flatMap((body) => {
      const { entries, only } = body;
      const counted = only === undefined ? entries : entries.filter(({ assetId }) => only.has(assetId));
      return counted.map((place) => ({ place, body }));
    });
    this.#byId = Map.groupBy(this.#entries, ({ place }) => place.assetId);
  }

  /** The number of entries. */
  get length(): number {
    return this.#entries.length;
  }

  /** The id of the asset of an entry. Undefined if there is none with this index. */
  idAt(index: number): string | undefined {
    return this.#entries[index]?.place.assetId;
  }

  /** The ids of its assets. */
  get ids(): ReadonlySetLike<string> {
    return this.#byId;
  }

  /** The entries from `start` to `end` (exclusive), as bodies in chunks. */
  bodies(start = 0, end: number = this.length): Buffer[][] {
    const runs: { readonly body: HeldBody; readonly from: number; to: number }[] = [];
    for (const { place, body } of this.#entries.slice(start, end)) {
      const last = runs.at(-1);
      // What stands between two entries does not count, unless it is another entry.
      if (last?.body === body && body.only === undefined) last.to = place.end;
      else runs.push({ body, from: place.start, to: place.end });
    }
    if (runs.length === 0) return [[BEGIN, END]];
    return runs.map(({ body, from, to }) => [BEGIN, body.bytes.subarray(from, to), END]);
  }

  /** The entries of an asset that have its highest version, as a body in chunks, for a reader that reads them together. */
  find(assetId: string): Buffer[] {
    const found = this.#highest(assetId).map(({ place, body }) => body.bytes.subarray(place.start, place.end));
    return [BEGIN, ...found.flatMap((entry, index) => (index > 0 ? [COMMA, entry] : [entry])), END];
  }

  /** The first entry with the highest version of an asset that has several entries, without its rows. Undefined if it has one. */
  attributesOf(assetId: string): Buffer | undefined {
    // Usually each asset has one entry.
    if (this.#byId.size === this.length || (this.#byId.get(assetId)?.length ?? 0) < 2) return undefined;
    return withoutRows(this.#highest(assetId)[0] as HeldEntry);
  }

  /** The attributes of the highest version of an asset. Undefined if there is no such asset. */
  asset(assetId: string): AttributeValues | undefined {
    const [entry] = this.#highest(assetId);
    return entry && attributeValues(withoutRows(entry));
  }

  /** The attributes of an entry. Undefined if there is none with this index. */
  entry(index: number): AttributeValues | undefined {
    const entry = this.#entries[index];
    return entry && attributeValues(withoutRows(entry));
  }

  /** An absent version is the lowest. */
  #highest(assetId: string): readonly HeldEntry[] {
    const entries = this.#byId.get(assetId) ?? [];
    let highest: bigint | undefined;
    for (const { place } of entries)
      if (place.version !== undefined && (highest === undefined || place.version > highest)) highest = place.version;
    return entries.filter(({ place }) => place.version === highest);
  }
}

function withoutRows({ body, place }: HeldEntry): Buffer {
  const { start, end, rowsStart, rowsEnd } = place;
  if (rowsStart < 0) return body.bytes.subarray(start, end);
  return Buffer.concat([body.bytes.subarray(start, rowsStart), NULL, body.bytes.subarray(rowsEnd, end)]);
}
