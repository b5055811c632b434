import type { ColumnBatches } from './column-batches.ts';
import { sortedOrder } from './sorting.ts';

/** How many rows are handled between two pauses. */
const ROWS_PER_TIME_SLICE = 65_536;

/**
 * The rows of a series in the order of their dates. Rows with the same date keep their order, and so do all if the date of one is
 * no point in time. A position counts the rows in this order.
 */
export class DateOrder {
  /** The row at each position. Undefined if the rows have this order already. */
  readonly rows: Int32Array | undefined;
  /** The time from the first date to the last; the number of rows, if the date of one is no point in time. */
  readonly span: number;
  /** The times by position. */
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
    let latest = Number.NEGATIVE_INFINITY;
    let isAscending = true;
    for (const batch of batches) {
      if (batch instanceof Error) throw batch;
      for (let row = 0; batch !== undefined && row < batch.length; row += 1) {
        const time = batch.times[row] as number;
        if (Number.isNaN(time)) return new DateOrder(count);
        if (time < latest) isAscending = false;
        latest = time;
        times[batch.firstRow + row] = time;
      }
      yield;
    }
    if (isAscending) return new DateOrder(count, times);
    const rows = yield* sortedOrder(count, (one, other) => (times[one] as number) <= (times[other] as number));
    const sorted = new Float64Array(count);
    for (let position = 0; position < count; position += 1) {
      sorted[position] = times[rows[position] as number] as number;
      if (position % ROWS_PER_TIME_SLICE === ROWS_PER_TIME_SLICE - 1) yield;
    }
    return new DateOrder(count, sorted, rows);
  }

  /** The time from the first date to that of a row; the position, if the date of a row is no point in time. */
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
