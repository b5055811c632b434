import { AggregatesByDate, columnsByDate, type Groups, MAX_ENTRIES } from '../aggregates-by-date.ts';
import { checkNames, MAX_METRICS } from '../by-metric.ts';
import { countOf, FieldError } from '../errors.ts';
import type { FieldType } from '../field.ts';
import type { Memory } from '../memory.ts';
import { Merge } from '../merge.ts';
import type { RowBatch } from '../row-batch.ts';

/** The most dates. */
const MAX_DATES = 20_000;
const TOO_MANY = `Results by date have at most ${countOf(MAX_METRICS)} metrics, ${countOf(MAX_DATES)} dates, and ${countOf(MAX_ENTRIES)} with those of all metrics. Select a shorter time range or fewer metrics.`;
/** The memory of a date: its text, its entries in lists and in a map. */
const BYTES_PER_DATE = 200;
const BYTES_PER_CHARACTER = 2;
/** The work of a date that is sorted. */
const UNITS_PER_DATE = 20;

/** `byDate(metrics: [String!])`: the values of all entries by date. */
export const byDate: FieldType = {
  check: checkNames,
  columns: columnsByDate,
  make: (making) => new AggregatesByDate(making, new Dates(making.memory)),
};

/** Rows of the same point in time are a group; of those whose dates cannot be read, those with the same text. */
class Dates implements Groups {
  readonly limit = { metrics: MAX_METRICS, message: TOO_MANY };
  readonly #memory: Memory;
  /** The dates, in the order received: as received first, in epoch milliseconds, and the nanoseconds beyond them. */
  readonly #texts: string[] = [];
  readonly #times: number[] = [];
  readonly #nanoseconds: number[] = [];
  /** Their groups by their milliseconds, or a text: with the nanoseconds if there are any, or as received if it cannot be read. */
  readonly #groups = new Map<number | string, number>();
  #areTimes = true;
  /** The group that a row had last. */
  #last = -1;
  #merge: Merge<Int32Array> | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get size(): number {
    return this.#texts.length;
  }

  get count(): number {
    return this.#texts.length;
  }

  begin(): void {
    this.#last = -1;
  }

  assign(rows: RowBatch, into: Int32Array, most: number): FieldError | undefined {
    const times = rows.times();
    const nanoseconds = rows.nanoseconds();
    for (let row = 0; row < rows.count; row += 1)
      into[row] = this.#groupOf(rows, row, times[row] as number, nanoseconds?.[row] ?? 0);
    return this.size > Math.min(MAX_DATES, most) ? FieldError.ofLimit(TOO_MANY) : undefined;
  }

  /** The group of a row; -1 if it has no date. Usually it is the one behind that of the row before. */
  #groupOf(rows: RowBatch, row: number, time: number, nanoseconds: number): number {
    const next = this.#last + 1;
    if (time === this.#times[next] && nanoseconds === this.#nanoseconds[next]) {
      this.#last = next;
      return next;
    }
    const isTime = !Number.isNaN(time);
    const text = isTime ? '' : rows.dateText(row);
    if (text === null) return -1;
    const key = !isTime ? `"${text}` : nanoseconds === 0 ? time : `${time} ${nanoseconds}`;
    const known = this.#groups.get(key);
    this.#last = known ?? this.size;
    if (known === undefined) this.#add(rows.dateText(row) as string, time, nanoseconds, key);
    return this.#last;
  }

  #add(text: string, time: number, nanoseconds: number, key: number | string): void {
    this.#memory.holdForField(BYTES_PER_DATE + text.length * BYTES_PER_CHARACTER);
    this.#groups.set(key, this.size);
    this.#texts.push(text);
    this.#times.push(time);
    this.#nanoseconds.push(nanoseconds);
    if (Number.isNaN(time)) this.#areTimes = false;
  }

  /** By time if all dates can be read, else by text. */
  order(): Int32Array | undefined {
    this.#merge ??= this.#begin();
    return this.#merge.work() ? undefined : this.#merge.sorted;
  }

  #begin(): Merge<Int32Array> {
    const { size } = this;
    this.#memory.count(size * UNITS_PER_DATE);
    const areTimes = this.#areTimes;
    const [times, nanoseconds, texts] = [this.#times, this.#nanoseconds, this.#texts];
    const order = Int32Array.from(texts, (_, index) => index);
    return new Merge(order, new Int32Array(size), size, 1, (one, other) => {
      if (!areTimes) return (texts[one] as string) <= (texts[other] as string);
      const difference = (times[one] as number) - (times[other] as number);
      return difference === 0 ? (nanoseconds[one] as number) <= (nanoseconds[other] as number) : difference < 0;
    });
  }

  dateAt(_index: number, group: number): string {
    return this.#texts[group] as string;
  }
}
