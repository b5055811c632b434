import { PAUSE, type Steps } from '../../scanner/steps.ts';

const BACKSLASH = 0x5c;

/** The most bytes of an id that are hashed. */
const MAX_HASHED_BYTES = 1 << 20;

/** Random for each process, so that nobody can prepare ids, or names of metrics, with the same hash. */
export const SEED: number = (Math.random() * 2 ** 32) | 0;
/** For a second hash. The two of them are unequal for any two ids of a response, as good as certainly. */
export const SECOND_SEED: number = (Math.random() * 2 ** 32) | 0;

/** Whether the bytes of a JSON string have an escape. */
export function isEscaped(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > MAX_HASHED_BYTES) return bytes.subarray(start, end).includes(BACKSLASH);
  for (let at = start; at < end; at += 1) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/** A hash of the bytes of an id, of which the first megabyte counts. @param seed for a second one */
export function hashOf(bytes: Buffer, start: number, end: number, seed = SEED): number {
  const hashedEnd = Math.min(end, start + MAX_HASHED_BYTES);
  let hash = seed;
  for (let at = start; at < hashedEnd; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

const MIN_PAIRS = 1024;
/** How many pairs are moved between two pauses. */
const PAIRS_PER_TIME_SLICE = 1 << 14;

/** The ids of the assets that have passed, as two hashes each: a hash table with linear probing. */
export class SeenIds {
  /** The pairs of hashes; a free slot has a first hash of 0. */
  #pairs = new Int32Array(2 * MIN_PAIRS);
  #size = 0;

  /** Adds an id. Returns whether it is new. If `isFull`, call `grow` first. */
  add(hash: number, second: number): boolean {
    const slot = slotOf(this.#pairs, hash || 1, second);
    if (this.#pairs[slot] !== 0) return false;
    this.#pairs[slot] = hash || 1;
    this.#pairs[slot + 1] = second;
    this.#size += 1;
    return true;
  }

  /** Whether half of the slots are used. */
  get isFull(): boolean {
    return this.#size * 4 >= this.#pairs.length;
  }

  /** Doubles the slots. Yields the bytes of memory that it needs. */
  *grow(): Steps<void> {
    const before = this.#pairs;
    yield before.byteLength;
    const pairs = new Int32Array(before.length * 2);
    for (let from = 0; from < before.length; from += 2) {
      const hash = before[from] as number;
      const second = before[from + 1] as number;
      if (hash !== 0) {
        const slot = slotOf(pairs, hash, second);
        pairs[slot] = hash;
        pairs[slot + 1] = second;
      }
      if (from % (2 * PAIRS_PER_TIME_SLICE) === 0 && from > 0) yield PAUSE;
    }
    this.#pairs = pairs;
  }
}

/** The slot of a pair, or the free slot where it belongs. */
function slotOf(pairs: Int32Array, hash: number, second: number): number {
  const mask = pairs.length - 1;
  let slot = (hash << 1) & mask;
  while (pairs[slot] !== 0 && (pairs[slot] !== hash || pairs[slot + 1] !== second)) slot = (slot + 2) & mask;
  return slot;
}
