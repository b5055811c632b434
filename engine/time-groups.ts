import type { DateOrder } from './date-order.ts';
import { Growing, newIntegers } from './growing.ts';
import { Heap } from './heap.ts';
import type { Memory } from './memory.ts';

/**
 * Cuts rows into groups of equal time between the first date and the last. If groups have fewer rows than they may use, the fullest one
 * is cut in two at the middle between its own first and last date, and so on, as long as the limit allows it: so the dense parts of a
 * series use what the sparse ones leave.
 */
export class TimeGroups {
  count = 0;
  /** For the first position of each group that behind its last. */
  readonly ends: Growing<Int32Array>;
  readonly #order: DateOrder;
  /** The first positions of those that may be cut. */
  readonly #fullest: Heap;
  #most = 0;
  #rowsPerGroup = 0;
  /** So many rows more may be used. */
  #unused = 0;
  #next = 0;

  constructor(order: DateOrder, memory: Memory) {
    this.#order = order;
    this.ends = new Growing(memory, newIntegers);
    this.#fullest = new Heap(memory, (one, other) => {
      const difference = this.#endOf(one) - one - (this.#endOf(other) - other);
      return difference > 0 || (difference === 0 && one < other);
    });
  }

  /**
   * There is at least one row. `addNext`, and then `split`, have to be called until they return false.
   *
   * @param rowsPerGroup the most rows that a group uses
   * @param limit the most that all groups may use together
   */
  begin(rowsPerGroup: number, limit: number): number {
    this.count = 0;
    this.ends.resize(this.#order.count);
    this.#fullest.begin(0);
    this.#most = Math.max(1, Math.floor(limit / rowsPerGroup));
    this.#rowsPerGroup = rowsPerGroup;
    this.#unused = limit;
    this.#next = 0;
    return Number.POSITIVE_INFINITY;
  }

  #endOf(start: number): number {
    return this.ends.list[start] as number;
  }

  /** Adds the next group of equal time that has rows. Returns whether there is another one. */
  addNext(): boolean {
    const { count, span } = this.#order;
    const most = this.#most;
    const start = this.#next;
    const group = partAt(this.#order.since(start), most, span);
    // The last date belongs to the last group, and all rows to one group if there is one date.
    const hasNext = group < most - 1;
    this.#next = hasNext ? this.#firstOf(start + 1, count, (time) => partAt(time, most, span) > group) : count;
    this.#add(start, this.#next);
    return this.#next < count;
  }

  #add(start: number, end: number): void {
    this.count += 1;
    this.ends.list[start] = end;
    this.#unused -= Math.min(end - start, this.#rowsPerGroup);
    if (end - start > this.#rowsPerGroup) this.#fullest.add(start);
  }

  /** Cuts a group in two. Returns whether another one may be cut. */
  split(): boolean {
    if (this.#fullest.length === 0) return false;
    const rows = this.#rowsPerGroup;
    const start = this.#fullest.take();
    const end = this.#endOf(start);
    const first = this.#order.since(start);
    const last = this.#order.since(end - 1);
    if (first === last) return true;
    const middle = this.#firstOf(start + 1, end, (time) => time >= (first + last) / 2);
    if (Math.min(middle - start, rows) + Math.min(end - middle, rows) - rows > this.#unused) return false;
    this.count -= 1;
    this.#unused += rows;
    this.#add(start, middle);
    this.#add(middle, end);
    return true;
  }

  /** The first position for whose time something holds, as for all behind it; `end` if there is none. */
  #firstOf(start: number, end: number, holds: (time: number) => boolean): number {
    let from = start;
    let to = end;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (holds(this.#order.since(middle))) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}

/** In which of so many equal parts of a span a time is. NaN if all times are the same. */
function partAt(time: number, parts: number, span: number): number {
  const product = time * parts;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / span);
  return Number((BigInt(time) * BigInt(parts)) / BigInt(span));
}
