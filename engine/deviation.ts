/** The scale of values whose squares would be beyond the range of doubles. Those that it makes 0 do not count beside them. */
const LOW_SCALE = 2 ** -600;

export const KEPT_NUMBERS = 4;

/** The standard deviation of a population. */
export class Deviation {
  /** The number of values. */
  count = 0;
  /**
   * The mean so far, and the sum of the squares of the differences from it, of what remains if the first value is subtracted: so
   * that nothing is lost where the values are large and differ little. Values are added one by one (Welford 1962), so that it does not
   * depend on which rows come together. All of them are of the values times the scale, which is lower once the squares are beyond the range of doubles.
   */
  #scale = 1;
  #origin = 0;
  #mean = 0;
  #squares = 0;

  /** Goes on with one of so many values, whose other numbers were kept in a list; of none they are 0. */
  load(count: number, list: Float64Array, at: number): void {
    this.count = count;
    this.#scale = count === 0 ? 1 : (list[at] as number);
    this.#origin = list[at + 1] as number;
    this.#mean = list[at + 2] as number;
    this.#squares = list[at + 3] as number;
  }

  /** Keeps its numbers but for the count: `KEPT_NUMBERS` of them. */
  save(list: Float64Array, at: number): void {
    list[at] = this.#scale;
    list[at + 1] = this.#origin;
    list[at + 2] = this.#mean;
    list[at + 3] = this.#squares;
  }

  /** Adds the values from `start` to `end` (exclusive) that are not NaN. @param count how many these are: at least one */
  addRows(values: Float64Array, start: number, end: number, count: number): void {
    let first = start;
    while (Number.isNaN(values[first])) first += 1;
    if (this.count === 0) this.#origin = values[first] as number;
    if (this.#scale === 1) {
      if (this.#add(values, first, end, count)) return;
      this.#scale = LOW_SCALE;
      this.#origin *= LOW_SCALE;
      this.#mean *= LOW_SCALE;
      this.#squares *= LOW_SCALE * LOW_SCALE;
    }
    const scaled = values.subarray(first, end).map((value) => value * LOW_SCALE);
    this.#add(scaled, 0, scaled.length, count);
  }

  /** That of at least one value. */
  get value(): number {
    const deviation = Math.sqrt(Math.max(0, this.#squares) / this.count) / this.#scale;
    // Rounding alone could lead out of the range.
    return Math.min(deviation, Number.MAX_VALUE);
  }

  /** Returns false, and changes nothing, if the squares are beyond the range of doubles. */
  #add(values: Float64Array, start: number, end: number, count: number): boolean {
    const origin = this.#origin;
    let all = this.count;
    let mean = this.#mean;
    let squares = this.#squares;
    for (let row = start; row < end; row += 1) {
      const value = (values[row] as number) - origin;
      if (Number.isNaN(value)) continue;
      all += 1;
      const difference = value - mean;
      mean += difference / all;
      squares += difference * (value - mean);
    }
    if (!Number.isFinite(squares)) return false;
    this.#squares = squares;
    this.#mean = mean;
    this.count += count;
    return true;
  }
}
