import type { DateOrder } from './date-order.ts';

/** How many bytes of bits are read between two pauses. */
const BYTES_PER_TIME_SLICE = 16_384;

/** Rows without a value of a metric, one after another. */
interface Run {
  /** The first position, and the one behind the last. */
  readonly start: number;
  readonly end: number;
}

/** A run between two rows with a value. */
export interface Gap extends Run {
  /** The time from the value before to the one behind. */
  readonly time: number;
}

/** The gaps of a metric, and the ends of its values. */
export interface Gaps {
  /** The positions of its first value and its last; none without a value. */
  readonly ends: readonly number[];
  /** The longest gap in time, and that in rows, if there are gaps. The first one of equals. */
  readonly longest: readonly Gap[];
  /** The longest gap in time of those that begin in each group, for the groups that have one. */
  readonly ofGroups: readonly Gap[];
}

/** The positions at which a metric has no value: a bit for each. */
export class MissingValues {
  readonly #rows: number;
  readonly #bits: Uint8Array;

  /** @param rows the number of rows */
  constructor(rows: number) {
    this.#rows = rows;
    this.#bits = new Uint8Array((rows >> 3) + 1);
  }

  add(position: number): void {
    const byte = position >> 3;
    this.#bits[byte] = (this.#bits[byte] as number) | (1 << (position & 7));
  }

  /** @param starts the first position of each group, and behind them the number of rows */
  *gaps(order: DateOrder, starts: readonly number[]): Generator<void, Gaps> {
    const last = this.#rows - 1;
    const ofGroups: Gap[] = [];
    let ends: [first: number, last: number] = [0, last];
    let byTime: Gap | undefined;
    let byRows: Gap | undefined;
    let group = 0;
    let groupOfLast = -1;
    for (const run of this.#runs()) {
      if (run === undefined) {
        yield;
        continue;
      }
      const { start, end } = run;
      if (start === 0) ends = [end, last];
      if (end > last) ends = [ends[0], start - 1];
      if (start === 0 || end > last) continue;
      const gap = { start, end, time: order.since(end) - order.since(start - 1) };
      if (byTime === undefined || gap.time > byTime.time) byTime = gap;
      if (byRows === undefined || end - start > byRows.end - byRows.start) byRows = gap;
      while (start >= (starts[group + 1] as number)) group += 1;
      if (group !== groupOfLast) ofGroups.push(gap);
      else if (gap.time > (ofGroups.at(-1) as Gap).time) ofGroups[ofGroups.length - 1] = gap;
      groupOfLast = group;
    }
    return {
      ends: ends[0] > last ? [] : ends,
      longest: byTime === undefined || byRows === undefined ? [] : [byTime, byRows],
      ofGroups,
    };
  }

  /** The runs, ascending; undefined for a pause. */
  *#runs(): Generator<Run | undefined, void> {
    const bits = this.#bits;
    let start = -1;
    // The bit behind the last row ends the last run.
    for (let byte = 0; byte < bits.length; byte += 1) {
      const eight = bits[byte] as number;
      if (byte % BYTES_PER_TIME_SLICE === BYTES_PER_TIME_SLICE - 1) yield undefined;
      if (eight === (start < 0 ? 0 : 0xff)) continue;
      for (let bit = 0; bit < 8; bit += 1) {
        const isMissing = (eight & (1 << bit)) !== 0;
        if (isMissing === start >= 0) continue;
        const position = byte * 8 + bit;
        if (!isMissing) yield { start, end: position };
        start = isMissing ? position : -1;
      }
    }
  }
}
