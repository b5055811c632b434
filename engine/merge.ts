/** How many items are merged at once. */
const ITEMS_AT_ONCE = 4096;

/** Merges sorted runs of a list into one, a piece at a time. Items that are equal keep their order. */
export class Merge<List extends Float64Array | Int32Array> {
  /** The list that has what is sorted, when all is done: that of the items, or the scratch. */
  sorted: List;
  #into: List;
  readonly #length: number;
  readonly #isInOrder: (one: number, other: number) => boolean;
  /** The length of each run, the start of the two that are merged, what comes next of both, and where it goes. */
  #run: number;
  #start = 0;
  #left = 0;
  #right = 0;
  #at = 0;

  /**
   * @param scratch at least as long as the items. Both are overwritten
   * @param run how many of the items are a run already
   * @param isInOrder whether the first of two items is lower than the second, or equal
   */
  constructor(
    items: List,
    scratch: List,
    length: number,
    run: number,
    isInOrder: (one: number, other: number) => boolean,
  ) {
    this.sorted = items;
    this.#into = scratch;
    this.#length = length;
    this.#run = run;
    this.#isInOrder = isInOrder;
    this.#right = run;
  }

  /** Merges some items. Returns whether more are left. */
  work(): boolean {
    const length = this.#length;
    for (let items = 0; items < ITEMS_AT_ONCE && this.#run < length; ) {
      const before = this.#at;
      const end = Math.min(this.#start + 2 * this.#run, length);
      this.#mergeTo(Math.min(end, before + ITEMS_AT_ONCE - items), end);
      items += this.#at - before;
      if (this.#at === end) this.#begin(end);
    }
    return this.#run < length;
  }

  #mergeTo(to: number, end: number): void {
    const from = this.sorted;
    const into = this.#into;
    const isInOrder = this.#isInOrder;
    const middle = this.#start + this.#run;
    let left = this.#left;
    let right = this.#right;
    for (let at = this.#at; at < to; at += 1) {
      const isLeft = left < middle && (right >= end || isInOrder(from[left] as number, from[right] as number));
      into[at] = from[isLeft ? left++ : right++] as number;
    }
    this.#left = left;
    this.#right = right;
    this.#at = to;
  }

  /** Begins the two runs from here on; at the end of the list, the first two of those that are twice as long. */
  #begin(start: number): void {
    const isEnd = start === this.#length;
    if (isEnd) {
      [this.sorted, this.#into] = [this.#into, this.sorted];
      this.#run *= 2;
    }
    this.#start = isEnd ? 0 : start;
    this.#left = this.#start;
    this.#right = this.#start + this.#run;
    this.#at = this.#start;
  }
}
