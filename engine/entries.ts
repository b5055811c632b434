/** The most ids of a map: to grow a larger one is one step that others would feel. */
const IDS_PER_MAP = 1 << 16;

/** Ids, each with a number. */
export class Ids implements ReadonlySetLike<string> {
  readonly #maps: Map<string, number>[] = [];

  has(id: string): boolean {
    for (const map of this.#maps) if (map.has(id)) return true;
    return false;
  }

  /** Sets the number of an id. Returns the one that it had. */
  set(id: string, number: number): number | undefined {
    for (const map of this.#maps) {
      const before = map.get(id);
      if (before === undefined) continue;
      map.set(id, number);
      return before;
    }
    this.#free().set(id, number);
    return undefined;
  }

  get(id: string): number | undefined {
    for (const map of this.#maps) {
      const number = map.get(id);
      if (number !== undefined) return number;
    }
    return undefined;
  }

  get size(): number {
    return this.#maps.reduce((sum, { size }) => sum + size, 0);
  }

  keys(): Iterator<string> {
    return this.#maps.flatMap((map) => [...map.keys()]).values();
  }

  clear(): void {
    this.#maps.length = 0;
  }

  #free(): Map<string, number> {
    const last = this.#maps.at(-1);
    if (last !== undefined && last.size < IDS_PER_MAP) return last;
    const map = new Map<string, number>();
    this.#maps.push(map);
    return map;
  }
}

/** Entries of a body that is held, where they are. At least a word behind them may be read. */
export interface HeldEntries {
  readonly buffer: Buffer;
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
}

/** Where an entry is in the body. */
export interface EntryPlace {
  readonly start: number;
  readonly end: number;
  /** Where the list of its rows is. -1 if there is none. */
  readonly rowsStart: number;
  readonly rowsEnd: number;
}

/** The numbers of an entry: its place, which entry of its asset comes before it, and which one up to it has the highest version. */
const NUMBERS = 6;

const noNumbers = new Int32Array(0);

/** Entries as they are noted, and those of each asset. A body may have a million: nothing is an object of its own. */
export class Entries {
  /** Whether the body has parts that are too large to be read in one step. */
  hasLong = false;
  /** So many bytes of the body were dropped, before all entries that are still to be noted. */
  dropped = 0;
  readonly #assetIds: string[] = [];
  readonly #versions: (bigint | undefined)[] = [];
  #numbers = noNumbers;
  /** The last entry of each asset. */
  readonly #last = new Ids();
  #isRepeated = false;

  add(assetId: string, version: bigint | undefined, { start, end, rowsStart, rowsEnd }: EntryPlace): void {
    const index = this.length;
    const at = index * NUMBERS;
    if (at === this.#numbers.length) {
      const numbers = this.#numbers;
      this.#numbers = new Int32Array(Math.max(64 * NUMBERS, 2 * numbers.length));
      this.#numbers.set(numbers);
    }
    const { dropped } = this;
    const before = this.#last.set(assetId, index);
    this.#numbers[at] = start - dropped;
    this.#numbers[at + 1] = end - dropped;
    this.#numbers[at + 2] = rowsStart < 0 ? -1 : rowsStart - dropped;
    this.#numbers[at + 3] = rowsEnd - dropped;
    this.#numbers[at + 4] = before ?? -1;
    const highest = before === undefined ? index : this.#number(before, 5);
    this.#numbers[at + 5] = isHigher(version, this.#versions[highest]) ? index : highest;
    this.#assetIds.push(assetId);
    this.#versions.push(version);
    if (before !== undefined) this.#isRepeated = true;
  }

  clear(): void {
    this.#assetIds.length = 0;
    this.#versions.length = 0;
    this.#last.clear();
    this.#isRepeated = false;
  }

  get length(): number {
    return this.#assetIds.length;
  }

  /** Whether any asset has several. */
  get isRepeated(): boolean {
    return this.#isRepeated;
  }

  /** The ids of their assets. */
  get ids(): ReadonlySetLike<string> {
    return this.#last;
  }

  /** Those of an asset, in their order. */
  of(assetId: string): readonly number[] {
    const found: number[] = [];
    const last = this.#last.get(assetId) ?? -1;
    for (let index = last; index >= 0; index = this.#number(index, 4)) found.push(index);
    return found.reverse();
  }

  /** The first one of an asset that has its highest version. Undefined if it has none. */
  highestOf(assetId: string): number | undefined {
    const last = this.#last.get(assetId);
    return last === undefined ? undefined : this.#number(last, 5);
  }

  /** Whether an asset has several. */
  hasSeveral(assetId: string): boolean {
    const last = this.#last.get(assetId);
    return last !== undefined && this.#number(last, 4) >= 0;
  }

  /** Undefined if there is no entry with this index. */
  assetIdAt(index: number): string | undefined {
    return this.#assetIds[index];
  }

  versionAt(index: number): bigint | undefined {
    return this.#versions[index];
  }

  placeAt(index: number): EntryPlace {
    return {
      start: this.#number(index, 0),
      end: this.#number(index, 1),
      rowsStart: this.#number(index, 2),
      rowsEnd: this.#number(index, 3),
    };
  }

  /** The first byte behind the last one. */
  get end(): number {
    return this.length === 0 ? 0 : this.#number(this.length - 1, 1);
  }

  #number(index: number, which: number): number {
    return this.#numbers[index * NUMBERS + which] as number;
  }
}

/** An absent version is the lowest. */
export function isHigher(version: bigint | undefined, than: bigint | undefined): boolean {
  return version !== undefined && (than === undefined || version > than);
}
