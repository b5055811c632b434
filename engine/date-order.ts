import { Growing, newDoubles, newIntegers } from './growing.ts';
import { Heap } from './heap.ts';
import type { Loop } from './loops.ts';
import type { Memory } from './memory.ts';
import type { RowBatch } from './row-batch.ts';

/**
 * The rows of a series in the order of their dates. Rows with the same date keep their order, and so do all if one has no date, or one
 * that cannot be read. A position counts the rows in this order.
 */
export class DateOrder {
  /** The number of rows. */
  count = 0;
  /** These sort them. */
  readonly loops: readonly Loop[];
  readonly #times: Growing<Float64Array>;
  /** Those beyond the milliseconds. They count for the order alone. */
  readonly #nanoseconds: Growing<Int32Array>;
  #isDated = true;
  #isAscending = true;
  /** The row at each position, if the rows have to be sorted. */
  readonly #rows: Growing<Int32Array>;

  constructor(memory: Memory) {
    this.#times = new Growing(memory, newDoubles);
    this.#nanoseconds = new Growing(memory, newIntegers);
    this.#rows = new Growing(memory, newIntegers);
    const heap = new Heap(memory, (one, other) => this.#isBefore(one, other));
    this.loops = [
      [() => heap.begin(this.#mustSort ? this.count : 0), (row) => heap.add(row)],
      [() => this.#rows.begin(heap.length), () => this.#rows.add(heap.take())],
    ];
  }

  begin(): void {
    this.count = 0;
    this.#isDated = true;
    this.#isAscending = true;
  }

  add(rows: RowBatch): void {
    const { first, count } = rows;
    this.count = first + count;
    const times = rows.times();
    const nanoseconds = rows.nanoseconds();
    const all = this.#times.resize(this.count);
    const allNanoseconds = this.#nanoseconds.resize(this.count);
    for (let row = 0, at = first; row < count; row += 1, at += 1) {
      all[at] = times[row] as number;
      allNanoseconds[at] = nanoseconds?.[row] ?? 0;
      if (Number.isNaN(times[row])) this.#isDated = false;
      if (this.#isAscending && at > 0) this.#isAscending = this.#isBefore(at - 1, at);
    }
  }

  get #mustSort(): boolean {
    return this.#isDated && !this.#isAscending;
  }

  #isBefore(one: number, other: number): boolean {
    return (differenceOf(this.#times, one, other) || differenceOf(this.#nanoseconds, one, other) || one - other) < 0;
  }

  rowAt(position: number): number {
    return this.#mustSort ? (this.#rows.list[position] as number) : position;
  }

  /** The milliseconds from the first date to that of a row. Without dates it is the position. */
  since(position: number): number {
    if (!this.#isDated) return position;
    const times = this.#times.list;
    return (times[this.rowAt(position)] as number) - (times[this.rowAt(0)] as number);
  }

  /** The milliseconds from the first date to the last. Without dates it is the number of rows. */
  get span(): number {
    return this.#isDated ? this.since(this.count - 1) : this.count;
  }
}

function differenceOf({ list }: Growing<Float64Array | Int32Array>, one: number, other: number): number {
  return (list[one] as number) - (list[other] as number);
}
