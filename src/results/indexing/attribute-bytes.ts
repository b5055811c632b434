import type { AttributeCopies } from '../asset-entries.ts';
import { ATTRIBUTE } from './attributes.ts';
import { IntList } from './int-list.ts';

/** After how many assets the sums are kept. */
const SUMMED_ASSETS = 1024;

/** Adds the bytes of each attribute of the asset with this index. */
type AddBytes = (index: number, sums: Int32Array) => void;

/** The bytes of each attribute in a list of assets. Those of any part of the list are known at once. */
export class AttributeBytes {
  /** Those of all assets so far. */
  readonly soFar = new Int32Array(ATTRIBUTE.results);
  /** Those of the first 1024 assets, of the first 2048, and so on. */
  readonly #sums = new IntList();

  /** Notes that an asset was added to `soFar`. @param length the number of assets so far */
  added(length: number): void {
    if (length % SUMMED_ASSETS === 0) for (const bytes of this.soFar) this.#sums.push(bytes);
  }

  /** The bytes that so many copies of attributes of the assets from `start` to `end` (exclusive) take. */
  between(start: number, end: number, copies: AttributeCopies, addBytes: AddBytes): number {
    const before = this.#sumsTo(start, addBytes);
    const sums = this.#sumsTo(end, addBytes);
    let bytes = 0;
    for (const [attribute, times] of copies) {
      const index = ATTRIBUTE[attribute];
      bytes += times * ((sums[index] as number) - (before[index] as number));
    }
    return bytes;
  }

  /** About the bytes of memory that it takes. */
  get memoryBytes(): number {
    return this.#sums.memoryBytes;
  }

  #sumsTo(end: number, addBytes: AddBytes): Int32Array {
    const summed = Math.floor(end / SUMMED_ASSETS);
    const sums = new Int32Array(ATTRIBUTE.results);
    if (summed > 0)
      for (let attribute = 0; attribute < sums.length; attribute += 1)
        sums[attribute] = this.#sums.get((summed - 1) * ATTRIBUTE.results + attribute);
    for (let index = summed * SUMMED_ASSETS; index < end; index += 1) addBytes(index, sums);
    return sums;
  }
}
