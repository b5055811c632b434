import type { PooledBuffer } from '../../core/buffer-pool.ts';
import { PAUSE, type Steps } from '../../scanner/steps.ts';
import {
  type AssetEntries,
  type AssetsById,
  type AttributeCopies,
  type AttributeOutput,
  isNewer,
} from '../asset-entries.ts';
import { Bailout } from '../bailout.ts';
import { AttributeBytes } from './attribute-bytes.ts';
import { ATTRIBUTE, type AttributeReader } from './attributes.ts';
import { hashOf, isEscaped, SECOND_SEED } from './id-hash.ts';
import { type AssetAttributes, decodeString, IndexedAsset } from './indexed-asset.ts';
import { IntList } from './int-list.ts';
import type { RowIndex, RowsSlice } from './row-index.ts';
import type { RowTemplate } from './row-template.ts';

/** A typed array of this size needs no memory outside of V8's heap. */
const MIN_BUCKETS = 16;
/** More buckets are made anew when all assets are removed. */
const MAX_CLEARED_BUCKETS = 4096;
/** How many buckets are moved between two pauses. */
const BUCKETS_PER_TIME_SLICE = 1 << 14;
/** The most bytes of an attribute that is copied without a pause, also under many aliases. */
const MAX_SHORT_ATTRIBUTE = 1 << 12;
/** The bit for attributes that can all be copied. */
const PLAIN_BIT = 1 << 15;
/** The bits for wrong types are this much higher than the bits for presence. */
const WRONG_TYPE_SHIFT = 16;

/** The rows of an asset: their bytes, their number and length, and their templates or the reason for a bailout. */
export interface AssetRows {
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly longestRow: number;
  readonly firstOffsetEntry: number;
  readonly content: ReadonlySet<RowTemplate> | Bailout;
}

/**
 * The assets of a response, in the order received and by id. An asset is a record of a few integers. Its object is created
 * when it is read.
 *
 * A record has these offset entries: one with the bits of the attributes, the first byte and the end of each attribute that
 * has its type, and for `results` also the number of rows, the length of the longest one, their first offset entry and the
 * index of their content. For example, the body
 *
 *     {"assets":[{"asset_id":"a","asset_name":7,"results":[ the two rows of row-index.ts ]}]}
 *
 * has the entries `132099, 23, 26, 52, 170, 2, 58, 0, 0`:
 *
 *     132099    2^0 + 2^1 + 2^10: `assetId`, `name` and `results` are present; 2^(16 + 1): `name` has a wrong type
 *     23, 26    `assetId` is in the bytes 23 to 25; there is no entry for `name`, because of its type
 *     52, 170   `results` is in the bytes 52 to 169
 *     2, 58      two rows; the longer one has 58 bytes
 *     0, 0      their offset entries are those from 0 on; the content with index 0 has their templates
 */
export class AssetTable implements AssetEntries, AssetAttributes {
  readonly #body: PooledBuffer;
  readonly #rowIndex: RowIndex;
  /** The first offset entry of each asset's record, and the hash of its id. */
  #records = new IntList();
  #hashes = new IntList();
  #offsetEntries = new IntList();
  #attributeBytes = new AttributeBytes();
  #hasLongAttributes = false;
  /** The contents of rows. Most assets share one. */
  #contents: AssetRows['content'][] = [];
  /** A hash table with linear probing: index + 1 of the first entry with the highest version of each id; 0 for a free bucket. */
  #buckets = new Int32Array(MIN_BUCKETS);
  #ids = 0;
  /** The objects of entries with rows, so that each read returns the same object. */
  readonly #entries = new Map<number, IndexedAsset>();
  readonly latest: AssetsById;

  constructor(body: PooledBuffer, rowIndex: RowIndex) {
    this.#body = body;
    this.#rowIndex = rowIndex;
    this.latest = new LatestEntries(this);
  }

  /** The same assets for a reader of the same bytes, once all of them were added. */
  viewFor(body: PooledBuffer): AssetTable {
    if (body === this.#body) return this;
    const table = new AssetTable(body, this.#rowIndex);
    table.#records = this.#records;
    table.#hashes = this.#hashes;
    table.#offsetEntries = this.#offsetEntries;
    table.#attributeBytes = this.#attributeBytes;
    table.#hasLongAttributes = this.#hasLongAttributes;
    table.#contents = this.#contents;
    table.#buckets = this.#buckets;
    table.#ids = this.#ids;
    return table;
  }

  /** About the bytes of memory that it takes, with the index of the rows. */
  get memoryBytes(): number {
    const lists = [this.#records, this.#hashes, this.#offsetEntries, this.#attributeBytes];
    const own = lists.reduce((sum, list) => sum + list.memoryBytes, this.#buckets.byteLength);
    return own + this.#rowIndex.memoryBytes;
  }

  /** The number of entries. */
  get length(): number {
    return this.#records.length;
  }

  /** The number of distinct ids. */
  get ids(): number {
    return this.#ids;
  }

  /** Adds an asset that has an id. If `isFull`, call `grow` first. */
  add(attributes: AttributeReader, rows: AssetRows | undefined): void {
    const { present, wrong, starts, ends } = attributes;
    const offsetEntries = this.#offsetEntries;
    const { soFar } = this.#attributeBytes;
    const index = this.length;
    this.#records.push(offsetEntries.length);
    offsetEntries.push((wrong << WRONG_TYPE_SHIFT) | present | (attributes.arePlain ? PLAIN_BIT : 0));
    for (let attribute = 0; attribute < ATTRIBUTE.results; attribute += 1) {
      if (!hasOffsets(present, wrong, attribute)) continue;
      const start = starts[attribute] as number;
      const end = ends[attribute] as number;
      offsetEntries.push(start);
      offsetEntries.push(end);
      soFar[attribute] = (soFar[attribute] as number) + end - start;
      if (end - start > MAX_SHORT_ATTRIBUTE) this.#hasLongAttributes = true;
    }
    this.#attributeBytes.added(this.length);
    if (rows !== undefined) {
      offsetEntries.push(rows.start);
      offsetEntries.push(rows.end);
      offsetEntries.push(rows.count);
      offsetEntries.push(rows.longestRow);
      offsetEntries.push(rows.firstOffsetEntry);
      offsetEntries.push(this.#contentIndex(rows.content));
    }
    const hash = this.#hashOfId(index);
    this.#hashes.push(hash);
    const bucket = this.#bucketOf(hash, (other) => this.#haveSameId(index, other));
    const known = this.#buckets[bucket] as number;
    if (known === 0) this.#ids += 1;
    if (known === 0 || isNewer(this.#create(index), this.#create(known - 1))) this.#buckets[bucket] = index + 1;
  }

  /** Whether three quarters of the buckets are used. */
  get isFull(): boolean {
    return this.#ids * 4 >= this.#buckets.length * 3;
  }

  /** Doubles the buckets. */
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
      if (from % BUCKETS_PER_TIME_SLICE === BUCKETS_PER_TIME_SLICE - 1) yield PAUSE;
    }
    this.#buckets = buckets;
  }

  /** Removes all assets. */
  clear(): void {
    if (this.length === 0) return;
    this.#records = new IntList();
    this.#hashes = new IntList();
    this.#offsetEntries = new IntList();
    this.#attributeBytes = new AttributeBytes();
    if (this.#buckets.length <= MAX_CLEARED_BUCKETS) this.#buckets.fill(0);
    else this.#buckets = new Int32Array(MIN_BUCKETS);
    this.#ids = 0;
    this.#contents = [];
    this.#entries.clear();
  }

  /** Two hashes of each distinct id, one after the other. */
  *idHashes(): Generator<readonly [number, number]> {
    for (const entry of this.#buckets) {
      if (entry === 0) continue;
      const id = Buffer.from(this.#idOf(entry - 1));
      yield [this.#hashes.get(entry - 1), hashOf(id, 0, id.length, SECOND_SEED)];
    }
  }

  /** The entry with this index. Undefined if there is none. */
  at(index: number): IndexedAsset | undefined {
    if (!(index >= 0 && index < this.length)) return undefined;
    const known = this.#entries.get(index);
    if (known !== undefined) return known;
    const entry = this.#create(index);
    if (entry.slice !== null) this.#entries.set(index, entry);
    return entry;
  }

  /** The index of the first entry with the highest version of an id. -1 if there is none. */
  find(assetId: string): number {
    const bytes = Buffer.from(assetId);
    const bucket = this.#bucketOf(hashOf(bytes, 0, bytes.length), (other) => this.#idOf(other) === assetId);
    return (this.#buckets[bucket] as number) - 1;
  }

  /** Whether it has an entry with the id of an asset that was read. */
  hasIdOf({ starts, ends }: AttributeReader): boolean {
    const json = this.#body.bytes.toString('utf8', starts[ATTRIBUTE.assetId], ends[ATTRIBUTE.assetId]);
    return this.find(decodeString(json)) >= 0;
  }

  *keys(): Generator<string, undefined> {
    for (const entry of this.#buckets) if (entry !== 0) yield this.#idOf(entry - 1);
    return undefined;
  }

  /** Whether an attribute has another type than specified. */
  hasWrongType(record: number, attribute: number): boolean {
    return (this.#offsetEntries.get(record) & (1 << (attribute + WRONG_TYPE_SHIFT))) !== 0;
  }

  /** Whether any attribute of any asset is long. */
  get hasLongAttributes(): boolean {
    return this.#hasLongAttributes;
  }

  /** Whether the bytes of each attribute are its JSON in the GraphQL response, apart from the quotes around an int64. */
  arePlain(record: number): boolean {
    return (this.#offsetEntries.get(record) & PLAIN_BIT) !== 0;
  }

  /** Whether an attribute is present and has its type. */
  has(record: number, attribute: number): boolean {
    const bits = this.#offsetEntries.get(record);
    return hasOffsets(bits, bits >>> WRONG_TYPE_SHIFT, attribute);
  }

  /** Copies the bytes of an attribute that is present. */
  copy(record: number, attribute: number, out: AttributeOutput): void {
    const offsetEntry = offsetEntryOf(record, this.#offsetEntries.get(record), attribute);
    out.copy(this.#body.bytes, this.#offsetEntries.get(offsetEntry), this.#offsetEntries.get(offsetEntry + 1));
  }

  attributeBytesIn(start: number, end: number, copies: AttributeCopies): number {
    return this.#attributeBytes.between(start, end, copies, (index, sums) => {
      this.addAttributeBytes(this.#records.get(index), sums);
    });
  }

  /** Adds the bytes of each attribute of an asset. */
  addAttributeBytes(record: number, sums: Int32Array): void {
    const bits = this.#offsetEntries.get(record);
    let offsetEntry = record + 1;
    for (let attribute = 0; attribute < ATTRIBUTE.results; attribute += 1) {
      if (!hasOffsets(bits, bits >>> WRONG_TYPE_SHIFT, attribute)) continue;
      const bytes = this.#offsetEntries.get(offsetEntry + 1) - this.#offsetEntries.get(offsetEntry);
      sums[attribute] = (sums[attribute] as number) + bytes;
      offsetEntry += 2;
    }
  }

  /** An attribute as JSON. Null if it is null, absent, or has another type. */
  json(record: number, attribute: number): string | null {
    const bits = this.#offsetEntries.get(record);
    if (!hasOffsets(bits, bits >>> WRONG_TYPE_SHIFT, attribute)) return null;
    const offsetEntry = offsetEntryOf(record, bits, attribute);
    return this.#body.bytes.toString(
      'utf8',
      this.#offsetEntries.get(offsetEntry),
      this.#offsetEntries.get(offsetEntry + 1),
    );
  }

  #create(index: number): IndexedAsset {
    const record = this.#records.get(index);
    return new IndexedAsset(this.#idOf(index), this.#sliceOf(record), this, record);
  }

  #idOf(index: number): string {
    return decodeString(this.json(this.#records.get(index), ATTRIBUTE.assetId) ?? '""');
  }

  #sliceOf(record: number): RowsSlice | null {
    const offsetEntries = this.#offsetEntries;
    const bits = offsetEntries.get(record);
    if (!hasOffsets(bits, bits >>> WRONG_TYPE_SHIFT, ATTRIBUTE.results)) return null;
    const offsetEntry = offsetEntryOf(record, bits, ATTRIBUTE.results);
    const count = offsetEntries.get(offsetEntry + 2);
    const longestRow = offsetEntries.get(offsetEntry + 3);
    const firstOffsetEntry = offsetEntries.get(offsetEntry + 4);
    const content = this.#contents[offsetEntries.get(offsetEntry + 5)] as AssetRows['content'];
    const rows =
      content instanceof Bailout ? content : { index: this.#rowIndex, firstOffsetEntry, count, templates: content };
    const start = offsetEntries.get(offsetEntry);
    const end = offsetEntries.get(offsetEntry + 1);
    return {
      body: this.#body,
      start,
      end,
      length: end - start,
      count,
      longestRow,
      rows,
    };
  }

  #contentIndex(content: AssetRows['content']): number {
    const last = this.#contents.length - 1;
    if (last >= 0 && isSame(content, this.#contents[last] as AssetRows['content'])) return last;
    return this.#contents.push(content) - 1;
  }

  /** The bucket of an id, or the free bucket where it belongs. */
  #bucketOf(hash: number, matches: (index: number) => boolean): number {
    const buckets = this.#buckets;
    const mask = buckets.length - 1;
    for (let bucket = hash & mask; ; bucket = (bucket + 1) & mask) {
      const entry = buckets[bucket] as number;
      if (entry === 0 || (this.#hashes.get(entry - 1) === hash && matches(entry - 1))) return bucket;
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

/** Whether the record has the offsets of an attribute: it is present and has its type. */
function hasOffsets(present: number, wrong: number, attribute: number): boolean {
  return (present & ~wrong & (1 << attribute)) !== 0;
}

/** The first offset entry of an attribute, given the bits of the record. */
function offsetEntryOf(record: number, bits: number, attribute: number): number {
  let offsetEntry = record + 1;
  for (let before = 0; before < attribute; before += 1)
    if (hasOffsets(bits, bits >>> WRONG_TYPE_SHIFT, before)) offsetEntry += 2;
  return offsetEntry;
}

/** Whether they are equal, and the templates in the same order: it is that of the metrics. */
function isSame(one: AssetRows['content'], other: AssetRows['content']): boolean {
  if (one === other) return true;
  if (!(one instanceof Set && other instanceof Set) || one.size !== other.size) return false;
  const others = other.values();
  return one.values().every((template) => template === others.next().value);
}

/** The first entry with the highest version of each asset in a table. */
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
