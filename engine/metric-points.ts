import type { Point, RowPoints, UnreadableDate } from './points.ts';

/** The points that are needed of the values of one metric. */
export class MetricPoints {
  readonly name: string;
  /** The number of the metric among those of the field. */
  index = 0;
  readonly #points = new Map<string, Extreme | End>();

  /** @param needed names of figures */
  constructor(name: string, needed: ReadonlySet<string>) {
    this.name = name;
    if (needed.has('first')) this.#points.set('first', new End(false));
    if (needed.has('last')) this.#points.set('last', new End(true));
    if (needed.has('minimum')) this.#points.set('minimum', new Extreme(1));
    if (needed.has('maximum')) this.#points.set('maximum', new Extreme(-1));
  }

  begin(index: number): void {
    this.index = index;
    for (const point of this.#points.values()) point.begin();
  }

  /** Takes the values of rows, of which at least one is not NaN. */
  add(values: Float64Array, rows: RowPoints): void {
    for (const point of this.#points.values()) point.add(values, rows);
  }

  /** Undefined if it is none. */
  pointOf(figure: string): Extreme | End | undefined {
    return this.#points.get(figure);
  }
}

/** The lowest of the values, or the highest; if there are several, the first one. */
class Extreme {
  point: Point | undefined;
  readonly unreadable: undefined;
  /** 1 for the lowest, -1 for the highest. */
  readonly #sign: number;
  #best = Number.POSITIVE_INFINITY;

  constructor(sign: number) {
    this.#sign = sign;
  }

  begin(): void {
    this.point = undefined;
    this.#best = Number.POSITIVE_INFINITY;
  }

  add(values: Float64Array, rows: RowPoints): void {
    const sign = this.#sign;
    let best = this.#best;
    let bestRow = -1;
    for (let row = 0; row < rows.count; row += 1) {
      const value = sign * (values[row] as number);
      // NaN is not lower.
      if (value < best) {
        best = value;
        bestRow = row;
      }
    }
    if (bestRow < 0) return;
    this.#best = best;
    this.point = rows.point(values, bestRow);
  }
}

/**
 * The first of the values by date, or the last. Of equal dates it is the first row, or the last one; rows without a date are passed over
 * while another has one.
 */
class End {
  point: Point | undefined;
  /** A row with a value whose date cannot be read: then nobody knows. */
  unreadable: UnreadableDate | undefined;
  readonly #isLast: boolean;
  /** Its time, less than 0 if it is the last: then the lowest is the best. Without a date it is infinite. */
  #time = Number.POSITIVE_INFINITY;
  #nanoseconds = Number.POSITIVE_INFINITY;

  constructor(isLast: boolean) {
    this.#isLast = isLast;
  }

  begin(): void {
    this.point = undefined;
    this.unreadable = undefined;
    this.#time = Number.POSITIVE_INFINITY;
    this.#nanoseconds = Number.POSITIVE_INFINITY;
  }

  add(values: Float64Array, rows: RowPoints): void {
    if (this.unreadable !== undefined) return;
    const unreadable = rows.unreadable.find((row) => !Number.isNaN(values[row]));
    if (unreadable !== undefined) {
      this.unreadable = rows.unreadableDate(unreadable);
      return;
    }
    let best = -1;
    if (rows.isAscending) {
      const row = this.#isLast ? lastWith(values, rows.count) : firstWith(values);
      if (this.#isBetter(rows, row)) best = row;
    } else {
      for (let row = 0; row < rows.count; row += 1)
        if (!Number.isNaN(values[row]) && this.#isBetter(rows, row)) best = row;
    }
    if (best >= 0) this.point = rows.point(values, best);
  }

  /** Whether a row is better than the best one so far: then it is that. */
  #isBetter({ times, nanoseconds }: RowPoints, row: number): boolean {
    const sign = this.#isLast ? -1 : 1;
    const signed = sign * (times[row] as number);
    const time = Number.isNaN(signed) ? Number.POSITIVE_INFINITY : signed;
    const rest = sign * (nanoseconds?.[row] ?? 0);
    const isBetter =
      time < this.#time ||
      (time === this.#time && (rest < this.#nanoseconds || (this.#isLast && rest === this.#nanoseconds)));
    if (!isBetter) return false;
    this.#time = time;
    this.#nanoseconds = rest;
    return true;
  }
}

/** The first row with a value, of which there is at least one. */
function firstWith(values: Float64Array): number {
  let row = 0;
  while (Number.isNaN(values[row])) row += 1;
  return row;
}

/** The last of so many rows that has a value. */
function lastWith(values: Float64Array, count: number): number {
  let row = count - 1;
  while (Number.isNaN(values[row])) row -= 1;
  return row;
}
