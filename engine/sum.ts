const HALF_RANGE = 2 ** 1023;
/** Brings a sum of any number of doubles into their range. The product is exact. */
const SCALE = 2 ** -64;

/**
 * A sum of doubles, with what it loses by rounding (Neumaier 1974). It may leave the range of doubles: what is beyond is counted
 * apart, exactly, so that its order does not matter.
 */
export class Sum {
  /** The sum, without what it lost by rounding. Finite. */
  sum: number;
  lost: number;
  /** How often half the range has to be added. */
  halves: number;

  constructor(sum = 0, lost = 0, halves = 0) {
    this.sum = sum;
    this.lost = lost;
    this.halves = halves;
  }

  /** Adds the values from `start` to `end` (exclusive) that are not NaN, where the sum leaves the range of doubles. */
  add(values: Float64Array, start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      if (Number.isNaN(values[at])) continue;
      const value = this.#withoutHalf(values[at] as number);
      const before = this.#withoutHalf(this.sum);
      this.sum = before + value;
      this.lost += roundingError(before, value, this.sum);
    }
  }

  /** The sum. Infinite if it is beyond the range of doubles. */
  get total(): number {
    let { sum, lost } = this;
    const half = Math.sign(this.halves) * HALF_RANGE;
    for (let left = Math.abs(this.halves); left > 0 && Number.isFinite(sum); left -= 1) {
      const next = sum + half;
      lost += roundingError(sum, half, next);
      sum = next;
    }
    return Number.isFinite(sum) ? sum + lost : sum;
  }

  /** The mean of so many values, which is within the range even if their sum is not. */
  mean(count: number): number {
    const { total } = this;
    if (Number.isFinite(total)) return total / count;
    const halves = this.halves * (HALF_RANGE * SCALE);
    const rest = this.sum * SCALE;
    const sum = halves + rest;
    const mean = (sum + (roundingError(halves, rest, sum) + this.lost * SCALE)) / count / SCALE;
    // Rounding alone could lead out of it.
    return Math.max(-Number.MAX_VALUE, Math.min(mean, Number.MAX_VALUE));
  }

  /** A number without half the range, if it has that. */
  #withoutHalf(value: number): number {
    if (Math.abs(value) < HALF_RANGE) return value;
    const sign = Math.sign(value);
    this.halves += sign;
    return value - sign * HALF_RANGE;
  }
}

/** What a sum loses by rounding when a value is added. */
export function roundingError(before: number, value: number, sum: number): number {
  return Math.abs(before) >= Math.abs(value) ? before - sum + value : value - sum + before;
}
