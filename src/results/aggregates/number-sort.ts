/** Few numbers are sorted by insertion, and more than so many by the runtime. */
const FEW = 24;
const MANY = 4096;
/** The most numbers of a bucket. */
const MAX_BUCKET = 64;

/** Sorts many short lists of numbers with the same memory. */
export class NumberSorter {
  readonly #ends: Int32Array;
  readonly #buckets: Int32Array;
  readonly #ordered: Float64Array;

  /** @param most the length of the longest list */
  constructor(most: number) {
    const length = most <= FEW ? 0 : Math.min(most, MANY);
    this.#ends = new Int32Array(length + 1);
    this.#buckets = new Int32Array(length);
    this.#ordered = new Float64Array(length);
  }

  /**
   * Sorts numbers of which none is NaN, several times faster than the runtime where they are spread: into as many buckets of equal
   * width as there are numbers.
   */
  sort(values: Float64Array): void {
    const { length } = values;
    if (length <= FEW) insertEach(values);
    else if (length > MANY || !this.#sortByBuckets(values)) values.sort();
  }

  /** Returns whether the numbers are spread. */
  #sortByBuckets(values: Float64Array): boolean {
    const ends = this.#ends;
    const buckets = this.#buckets;
    const ordered = this.#ordered;
    const { length } = values;
    let min = values[0] as number;
    let max = min;
    for (let at = 1; at < length; at += 1) {
      const value = values[at] as number;
      if (value < min) min = value;
      else if (value > max) max = value;
    }
    const scale = (length - 1) / (max - min);
    // They are equal or differ by too little, or their difference is beyond the range of doubles.
    if (!(scale > 0 && Number.isFinite(scale))) return false;
    ends.fill(0, 0, length + 1);
    for (let at = 0; at < length; at += 1) {
      const bucket = Math.min(length - 1, Math.floor(((values[at] as number) - min) * scale));
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
      const end = ends[bucket] as number;
      ordered[end] = values[at] as number;
      ends[bucket] = end + 1;
    }
    values.set(ordered.subarray(0, length));
    insertEach(values);
    return true;
  }
}

/** Sorts by insertion: fast where each number is near its place. */
function insertEach(values: Float64Array): void {
  for (let at = 1; at < values.length; at += 1) {
    const value = values[at] as number;
    let to = at;
    for (; to > 0 && (values[to - 1] as number) > value; to -= 1) values[to] = values[to - 1] as number;
    values[to] = value;
  }
}
