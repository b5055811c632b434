import type { FinishCosts } from './aggregate.ts';
import type { Groups } from './by-date.ts';
import type { ColumnBatch } from './column-batches.ts';
import { BYTES_PER_CHARACTER, MAX_METRICS } from './named-metrics.ts';
import { sortedOrder } from './sorting.ts';
import { UnreservedBytes } from './unreserved-bytes.ts';

/** The most dates. */
export const MAX_DATES = 20_000;

/** The memory of a date: its text, its entries in lists and in a map. */
const BYTES_PER_DATE = 200;
/** What a date takes that is sorted and listed. */
const UNITS_PER_DATE = 30;
const BYTES_PER_LISTED_DATE = 24;

/** Rows of the same point in time are a group; of those whose dates cannot be read, those with the same text. */
export class Dates implements Groups {
  readonly maxCount = MAX_DATES;
  readonly maxMetrics = MAX_METRICS;
  /** The dates, in the order received: as received first, in epoch milliseconds, and the nanoseconds beyond them. */
  readonly #texts: string[] = [];
  readonly #times: number[] = [];
  readonly #nanoseconds: number[] = [];
  /** The numbers of dates by their time: milliseconds, or a text with the nanoseconds if there are any. */
  readonly #byTime = new Map<number | string, number>();
  readonly #byText = new Map<string, number>();
  readonly unreserved = new UnreservedBytes();
  #last = -1;

  get size(): number {
    return this.#texts.length;
  }

  get count(): number {
    return this.#texts.length;
  }

  assign(batch: ColumnBatch, into: Int32Array): undefined {
    for (let row = 0; row < batch.length; row += 1) into[row] = this.#dateAt(batch, row);
  }

  /** The number of a row's date; -1 if it has none. Usually it is the date after that of the row before. */
  #dateAt(batch: ColumnBatch, row: number): number {
    const time = batch.times[row] as number;
    const nanoseconds = batch.nanoseconds?.[row] ?? 0;
    const next = this.#last + 1;
    if (time === this.#times[next] && nanoseconds === this.#nanoseconds[next]) {
      this.#last = next;
      return next;
    }
    const isTime = !Number.isNaN(time);
    const key = nanoseconds === 0 ? time : `${time} ${nanoseconds}`;
    let known = isTime ? this.#byTime.get(key) : undefined;
    if (known === undefined) {
      const text = batch.dateAt(row);
      if (text === null) return -1;
      known = isTime ? undefined : this.#byText.get(text);
      if (known === undefined) {
        this.unreserved.add(BYTES_PER_DATE + text.length * BYTES_PER_CHARACTER);
        known = this.#texts.push(text) - 1;
        this.#times.push(time);
        this.#nanoseconds.push(nanoseconds);
        if (isTime) this.#byTime.set(key, known);
        else this.#byText.set(text, known);
      }
    }
    this.#last = known;
    return known;
  }

  finishCosts(): FinishCosts {
    return { units: this.count * UNITS_PER_DATE, bytes: this.count * BYTES_PER_LISTED_DATE };
  }

  /** By time if all dates can be read, else by text. */
  order(): Generator<void, Int32Array> {
    const hasTimes = this.#byText.size === 0;
    const [times, nanoseconds, texts] = [this.#times, this.#nanoseconds, this.#texts];
    return sortedOrder(texts.length, (one, other) => {
      if (!hasTimes) return (texts[one] as string) <= (texts[other] as string);
      const difference = (times[one] as number) - (times[other] as number);
      return difference === 0 ? (nanoseconds[one] as number) <= (nanoseconds[other] as number) : difference < 0;
    });
  }

  dateAt(_index: number, group: number): string {
    return this.#texts[group] as string;
  }
}
