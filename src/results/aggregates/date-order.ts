import type { ColumnBatches } from './column-batches.ts';
import { sortedOrder } from './sorting.ts';

/** How many rows are handled between two pauses. */
const ROWS_PER_TIME_SLICE = 65_536;

/**
 * The rows of a series in the order of their dates. Rows with the same date keep their order, and so do all if the date of one is
 * not readable. A position counts the rows in this order.
 */
export class DateOrder {
  /** The row at each position. Undefined if the rows have this order already. */
  readonly rows: Int32Array | undefined;
  /** The milliseconds from the first date to the last; the number of rows, if the date of one is absent or cannot be read. */
  readonly span: number;
  /** The epoch milliseconds by position. Nanoseconds count for the order alone. */
  readonly #times: Float64Array | undefined;

  private constructor(count: number, times?: Float64Array, rows?: Int32Array) {
    this.#times = times;
    this.rows = rows;
    this.span = times === undefined ? count : (times[count - 1] as number) - (times[0] as number);
  }

  /**
   * Reads the dates of so many rows, of which none is invalid. Pauses after each batch.
   *
   * @param times at least as long. It is overwritten, and used by the order
   */
  static *of(batches: ColumnBatches, count: number, times: Float64Array): Generator<void, DateOrder> {
    let nanoseconds: Int32Array | undefined;
    const isInOrder = (one: number, other: number): boolean => {
      const difference = (times[one] as number) - (times[other] as number);
      return difference < 0 || (difference === 0 && (nanoseconds?.[one] ?? 0) <= (nanoseconds?.[other] ?? 0));
    };
    let isAscending = true;
    for (const batch of batches) {
      if (batch instanceof Error) throw batch;
      if (batch?.nanoseconds !== undefined) {
        nanoseconds ??= new Int32Array(count);
        nanoseconds.set(batch.nanoseconds.subarray(0, batch.length), batch.firstRow);
      }
      for (let row = 0; batch !== undefined && row < batch.length; row += 1) {
        const time = batch.times[row] as number;
        if (Number.isNaN(time)) return new DateOrder(count);
        const at = batch.firstRow + row;
        times[at] = time;
        if (isAscending && at > 0 && !isInOrder(at - 1, at)) isAscending = false;
      }
      yield;
    }
    if (isAscending) return new DateOrder(count, times);
    const rows = yield* sortedOrder(count, isInOrder);
    const sorted = new Float64Array(count);
    for (let position = 0; position < count; position += 1) {
      sorted[position] = times[rows[position] as number] as number;
      if (position % ROWS_PER_TIME_SLICE === ROWS_PER_TIME_SLICE - 1) yield;
    }
    return new DateOrder(count, sorted, rows);
  }

  /** The milliseconds from the first date to that of a row; the position, if the date of a row is absent or cannot be read. */
  since(position: number): number {
    const times = this.#times;
    return times === undefined ? position : (times[position] as number) - (times[0] as number);
  }

  /** The first position from `start` on that is so long after the first date; `end` if none is. */
  positionSince(time: number, start: number, end: number): number {
    let from = start;
    let to = end;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.since(middle) >= time) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
