import type { Memory } from './memory.ts';

/** Few numbers are sorted by insertion, and more than so many by the runtime. */
const FEW = 24;
const MANY = 4096;
/** The most numbers of a bucket. */
const MAX_BUCKET = 64;
/** The bytes that a number of the longest list takes while it is sorted. */
const BYTES_PER_NUMBER = 16;

/** Sorts many short lists of numbers with the same memory. */
export class NumberSorter {
  readonly #memory: Memory;
  #ends = new Int32Array(1);
  #buckets = new Int32Array();
  #ordered = new Float64Array();

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  /**
   * Sorts the numbers from `start` to `end` (exclusive), of which none is NaN, several times faster than the runtime where they are
   * spread: into as many buckets of equal width as there are numbers.
   */
  sort(values: Float64Array, start: number, end: number): void {
    const length = end - start;
    if (length <= FEW) insertEach(values, start, end);
    else if (length > MANY || !this.#sortByBuckets(values, start, end)) values.subarray(start, end).sort();
  }

  #fit(length: number): void {
    const { length: before } = this.#buckets;
    if (length <= before) return;
    const capacity = Math.min(2 * length, MANY);
    this.#memory.holdForField((capacity - before) * BYTES_PER_NUMBER);
    this.#ends = new Int32Array(capacity + 1);
    this.#buckets = new Int32Array(capacity);
    this.#ordered = new Float64Array(capacity);
  }

  /** Returns whether the numbers are spread. */
  #sortByBuckets(values: Float64Array, start: number, end: number): boolean {
    const length = end - start;
    this.#fit(length);
    const ends = this.#ends;
    const buckets = this.#buckets;
    const ordered = this.#ordered;
    let min = values[start] as number;
    let max = min;
    for (let at = start + 1; at < end; at += 1) {
      const value = values[at] as number;
      if (value < min) min = value;
      else if (value > max) max = value;
    }
    const scale = (length - 1) / (max - min);
    // They are equal or differ by too little, or their difference is beyond the range of doubles.
    if (!(scale > 0 && Number.isFinite(scale))) return false;
    ends.fill(0, 0, length + 1);
    for (let at = 0; at < length; at += 1) {
      const bucket = Math.min(length - 1, Math.floor(((values[start + at] as number) - min) * scale));
      buckets[at] = bucket;
      ends[bucket + 1] = (ends[bucket + 1] as number) + 1;
    }
    // The count of each bucket becomes the end of those before it.
    for (let bucket = 1; bucket <= length; bucket += 1) {
      if ((ends[bucket] as number) > MAX_BUCKET) return false;
      ends[bucket] = (ends[bucket] as number) + (ends[bucket - 1] as number);
    }
    for (let at = 0; at < length; at += 1) {
      const bucket = buckets[at] as number;
      const to = ends[bucket] as number;
      ordered[to] = values[start + at] as number;
      ends[bucket] = to + 1;
    }
    values.set(ordered.subarray(0, length), start);
    insertEach(values, start, end);
    return true;
  }
}

/** Sorts by insertion: fast where each number is near its place. */
function insertEach(values: Float64Array, start: number, end: number): void {
  for (let at = start + 1; at < end; at += 1) {
    const value = values[at] as number;
    let to = at;
    for (; to > start && (values[to - 1] as number) > value; to -= 1) values[to] = values[to - 1] as number;
    values[to] = value;
  }
}
