import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { AssetEntries, AssetsById } from '../asset-entries.ts';
import { isNewer } from '../asset-entries.ts';
import { Bailout } from '../bailout.ts';
import { PAUSE, type Steps } from '../steps.ts';
import { ATTRIBUTE, type AttributeReader } from './attributes.ts';
import { type AssetAttributes, IndexedAsset, toText } from './indexed-asset.ts';
import { IntList } from './int-list.ts';
import type { RowIndex, RowsSlice } from './row-index.ts';
import type { RowTemplate } from './row-template.ts';

/** V8 has memory at hand for so many. */
const FEW_BUCKETS = 16;
/** So many entries find new buckets in one go. */
const MOVED = 1 << 14;
/** The bits of wrong attributes stand above those of present ones. */
const WRONG = 16;
const BACKSLASH = 0x5c;

/** So many bytes of an id count for its hash. */
const HASHED = 1 << 20;

/** Differs from process to process, so that nobody can know which ids have the same hash. */
const SEED = (Math.random() * 2 ** 32) | 0;

/** Where the rows of an asset stand, and what is in them. */
export interface AssetRows {
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly firstOffsetEntry: number;
  readonly content: ReadonlySet<RowTemplate> | Bailout;
}

/**
 * The assets of an answer, in the order received and by their ids. An asset is a few integers that say where its
 * attributes stand in the answer's bytes; an object is made of it when somebody asks for it.
 */
export class AssetTable implements AssetEntries, AssetAttributes {
  readonly #body: PooledBuffer;
  readonly #rowIndex: RowIndex;
  /** Of each asset the start of its record, and the hash of its id. */
  readonly #records = new IntList();
  readonly #hashes = new IntList();
  /** Of each asset which attributes it has, their first bytes and ends, and its rows. */
  readonly #offsetEntries = new IntList();
  /** What the rows of assets hold: mostly the same. */
  readonly #contents: AssetRows['content'][] = [];
  /** Of each id the entry with the highest version: its index and one, at a place that the hash tells. */
  #buckets = new Int32Array(FEW_BUCKETS);
  #ids = 0;
  /** The entries with rows that were asked for: the same objects each time. */
  readonly #entries = new Map<number, IndexedAsset>();
  readonly latest: AssetsById;

  constructor(body: PooledBuffer, rowIndex: RowIndex) {
    this.#body = body;
    this.#rowIndex = rowIndex;
    this.latest = new LatestEntries(this);
  }

  /** How many entries there are. */
  get length(): number {
    return this.#records.length;
  }

  /** How many ids there are. */
  get ids(): number {
    return this.#ids;
  }

  /** Adds an asset that has an id. Before, `grow` has to be asked when there is no room. */
  add(attributes: AttributeReader, rows: AssetRows | undefined): void {
    const { present, wrong, starts, ends } = attributes;
    const offsetEntries = this.#offsetEntries;
    const index = this.length;
    this.#records.push(offsetEntries.length);
    offsetEntries.push((wrong << WRONG) | present);
    for (let attribute = 0; attribute < ATTRIBUTE.results; attribute += 1) {
      if (!isKept(present, wrong, attribute)) continue;
      offsetEntries.push(starts[attribute] as number);
      offsetEntries.push(ends[attribute] as number);
    }
    if (rows !== undefined) {
      offsetEntries.push(rows.start);
      offsetEntries.push(rows.end);
      offsetEntries.push(rows.count);
      offsetEntries.push(rows.firstOffsetEntry);
      offsetEntries.push(this.#contentNumber(rows.content));
    }
    const hash = this.#hashOfId(index);
    this.#hashes.push(hash);
    const bucket = this.#bucketOf(hash, (other) => this.#haveSameId(index, other));
    const known = this.#buckets[bucket] as number;
    if (known === 0) this.#ids += 1;
    if (known === 0 || isNewer(this.#make(index), this.#make(known - 1))) this.#buckets[bucket] = index + 1;
  }

  /** Whether ids would soon be hard to find. */
  get isFull(): boolean {
    return this.#ids * 4 >= this.#buckets.length * 3;
  }

  /** Makes room for more ids. */
  *grow(): Steps<void> {
    const before = this.#buckets;
    const buckets = new Int32Array(before.length * 2);
    for (let from = 0; from < before.length; from += 1) {
      const entry = before[from] as number;
      if (entry !== 0) {
        let bucket = this.#hashes.get(entry - 1) & (buckets.length - 1);
        while (buckets[bucket] !== 0) bucket = (bucket + 1) & (buckets.length - 1);
        buckets[bucket] = entry;
      }
      if (from % MOVED === MOVED - 1) yield PAUSE;
    }
    this.#buckets = buckets;
  }

  /** The entry with this index; undefined behind the last one. */
  at(index: number): IndexedAsset | undefined {
    if (!(index >= 0 && index < this.length)) return undefined;
    const known = this.#entries.get(index);
    if (known !== undefined) return known;
    const entry = this.#make(index);
    if (entry.slice !== null) this.#entries.set(index, entry);
    return entry;
  }

  /** The index of the entry of an id with the highest version; -1 without one. */
  find(assetId: string): number {
    const bytes = Buffer.from(assetId);
    const bucket = this.#bucketOf(hashOf(bytes, 0, bytes.length), (other) => this.#idOf(other) === assetId);
    return (this.#buckets[bucket] as number) - 1;
  }

  *keys(): Generator<string, undefined> {
    for (const entry of this.#buckets) if (entry !== 0) yield this.#idOf(entry - 1);
    return undefined;
  }

  /** Whether this one has another type. */
  isWrong(record: number, attribute: number): boolean {
    return (this.#offsetEntries.get(record) & (1 << (attribute + WRONG))) !== 0;
  }

  /** The bytes of the attributes. */
  attributeBytes(record: number): number {
    const bits = this.#offsetEntries.get(record);
    let bytes = 0;
    let offsetEntry = record + 1;
    for (let attribute = 0; attribute < ATTRIBUTE.results; attribute += 1) {
      if (!isKept(bits, bits >>> WRONG, attribute)) continue;
      bytes += this.#offsetEntries.get(offsetEntry + 1) - this.#offsetEntries.get(offsetEntry);
      offsetEntry += 2;
    }
    return bytes;
  }

  /** An attribute as JSON; null where it is null, absent, or of another type. */
  json(record: number, attribute: number): string | null {
    const bits = this.#offsetEntries.get(record);
    if (!isKept(bits, bits >>> WRONG, attribute)) return null;
    const offsetEntry = offsetEntryOf(record, bits, attribute);
    return this.#body.bytes.toString(
      'utf8',
      this.#offsetEntries.get(offsetEntry),
      this.#offsetEntries.get(offsetEntry + 1),
    );
  }

  #make(index: number): IndexedAsset {
    const record = this.#records.get(index);
    return new IndexedAsset(this.#idOf(index), this.#sliceOf(record), this, record);
  }

  #idOf(index: number): string {
    return toText(this.json(this.#records.get(index), ATTRIBUTE.id) ?? '""');
  }

  #sliceOf(record: number): RowsSlice | null {
    const offsetEntries = this.#offsetEntries;
    const bits = offsetEntries.get(record);
    if (!isKept(bits, bits >>> WRONG, ATTRIBUTE.results)) return null;
    const offsetEntry = offsetEntryOf(record, bits, ATTRIBUTE.results);
    const count = offsetEntries.get(offsetEntry + 2);
    const firstOffsetEntry = offsetEntries.get(offsetEntry + 3);
    const content = this.#contents[offsetEntries.get(offsetEntry + 4)] as AssetRows['content'];
    const rows =
      content instanceof Bailout ? content : { index: this.#rowIndex, firstOffsetEntry, count, templates: content };
    return {
      body: this.#body,
      start: offsetEntries.get(offsetEntry),
      end: offsetEntries.get(offsetEntry + 1),
      count,
      rows,
    };
  }

  #contentNumber(content: AssetRows['content']): number {
    const last = this.#contents.length - 1;
    if (last >= 0 && isSame(content, this.#contents[last] as AssetRows['content'])) return last;
    return this.#contents.push(content) - 1;
  }

  /** The bucket of an id, or the free one that is meant for it. */
  #bucketOf(hash: number, isMeant: (index: number) => boolean): number {
    const buckets = this.#buckets;
    const mask = buckets.length - 1;
    for (let bucket = hash & mask; ; bucket = (bucket + 1) & mask) {
      const entry = buckets[bucket] as number;
      if (entry === 0 || (this.#hashes.get(entry - 1) === hash && isMeant(entry - 1))) return bucket;
    }
  }

  #hashOfId(index: number): number {
    const offsetEntry = this.#records.get(index) + 1;
    const [start, end] = [this.#offsetEntries.get(offsetEntry) + 1, this.#offsetEntries.get(offsetEntry + 1) - 1];
    const { bytes } = this.#body;
    if (!isEscaped(bytes, start, end)) return hashOf(bytes, start, end);
    const id = Buffer.from(this.#idOf(index));
    return hashOf(id, 0, id.length);
  }

  #haveSameId(one: number, other: number): boolean {
    return this.#idOf(one) === this.#idOf(other);
  }
}

/** Private. The same assets by their ids. */
class LatestEntries implements AssetsById {
  readonly #table: AssetTable;

  constructor(table: AssetTable) {
    this.#table = table;
  }

  get size(): number {
    return this.#table.ids;
  }

  has(assetId: string): boolean {
    return this.#table.find(assetId) >= 0;
  }

  get(assetId: string): IndexedAsset | undefined {
    return this.#table.at(this.#table.find(assetId));
  }

  keys(): Iterator<string> {
    return this.#table.keys();
  }
}

/** Whether the offsets of an attribute are kept: it is there, and has its type. */
function isKept(present: number, wrong: number, attribute: number): boolean {
  return (present & ~wrong & (1 << attribute)) !== 0;
}

/** Where the offsets of an attribute stand, given the bits of the record. */
function offsetEntryOf(record: number, bits: number, attribute: number): number {
  let offsetEntry = record + 1;
  for (let before = 0; before < attribute; before += 1) if (isKept(bits, bits >>> WRONG, before)) offsetEntry += 2;
  return offsetEntry;
}

function isSame(one: AssetRows['content'], other: AssetRows['content']): boolean {
  if (one === other) return true;
  return one instanceof Set && other instanceof Set && one.size === other.size && one.isSubsetOf(other);
}

function isEscaped(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > HASHED) return bytes.subarray(start, end).includes(BACKSLASH);
  for (let at = start; at < end; at += 1) if (bytes[at] === BACKSLASH) return true;
  return false;
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  const hashedEnd = Math.min(end, start + HASHED);
  let hash = SEED;
  for (let at = start; at < hashedEnd; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
