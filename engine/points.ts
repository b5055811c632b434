import type { Making, Origin } from './field.ts';
import type { Memory } from './memory.ts';
import type { RowBatch } from './row-batch.ts';

/** A text of so many characters counts as none. */
const SHORT_TEXT = 64;
const BYTES_PER_CHARACTER = 2;

/** A value, with its row. */
export interface Point {
  readonly value: number;
  /** As received, as JSON. */
  readonly valueDate: string;
  readonly origin: Origin;
}

/** A row that has a date that cannot be read. */
export interface UnreadableDate {
  readonly row: number;
  readonly entry: number;
}

/** What metrics that have points share: the dates of the rows that are read. */
export class RowPoints {
  times: Float64Array = new Float64Array();
  nanoseconds: Int32Array | undefined;
  count = 0;
  /** Whether each row has a date that is not before that of the row before. */
  isAscending = false;
  /** The rows whose dates cannot be read. */
  readonly unreadable: number[] = [];
  readonly #memory: Memory;
  readonly #isOfAll: boolean;
  readonly #needsTimes: boolean;
  readonly #needsDates: boolean;
  #rows: RowBatch | undefined;
  #origin: Origin = { entry: 0, assetId: '', attribute: () => undefined };
  /** Whether a point has it. */
  #keepsOrigin = false;
  /** Memory of long texts. */
  #held = 0;
  /** The date that was read last: many metrics have their last value in the same row. */
  #valueDate = 'null';
  #dateRow = -1;

  constructor({ selected: { select }, memory, isOfAll }: Making) {
    this.#memory = memory;
    this.#isOfAll = isOfAll;
    this.#needsTimes = select.some(({ field }) => field === 'first' || field === 'last');
    this.#needsDates = select.some((point) => point.select.some(({ field }) => field === 'valueDate'));
  }

  begin(origin: Origin): void {
    if (this.#isOfAll) {
      if (this.#keepsOrigin) this.#hold(this.#origin.assetId);
    } else {
      this.#memory.hold(-this.#held);
      this.#held = 0;
    }
    this.#origin = origin;
    this.#keepsOrigin = false;
  }

  add(rows: RowBatch): void {
    this.#rows = rows;
    this.count = rows.count;
    this.#dateRow = -1;
    if (!this.#needsTimes) return;
    const times = rows.times();
    const nanoseconds = rows.nanoseconds();
    this.times = times;
    this.nanoseconds = nanoseconds;
    this.unreadable.length = 0;
    this.isAscending = true;
    let before = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < rows.count; row += 1) {
      const time = times[row] as number;
      if (Number.isNaN(time)) {
        this.isAscending = false;
        if (rows.hasDate(row)) this.unreadable.push(row);
      } else if (time < before || (time === before && isLower(nanoseconds, row, row - 1))) this.isAscending = false;
      before = time;
    }
  }

  point(values: Float64Array, row: number): Point {
    this.#keepsOrigin = true;
    return { value: values[row] as number, valueDate: this.#dateOf(row), origin: this.#origin };
  }

  unreadableDate(row: number): UnreadableDate {
    return { row: (this.#rows as RowBatch).first + row, entry: this.#origin.entry };
  }

  #dateOf(row: number): string {
    if (!this.#needsDates || row === this.#dateRow) return this.#valueDate;
    this.#dateRow = row;
    this.#valueDate = (this.#rows as RowBatch).dateJson(row);
    this.#hold(this.#valueDate);
    return this.#valueDate;
  }

  #hold({ length }: string): void {
    if (length <= SHORT_TEXT) return;
    this.#memory.holdForField(length * BYTES_PER_CHARACTER);
    this.#held += length * BYTES_PER_CHARACTER;
  }
}

function isLower(nanoseconds: Int32Array | undefined, row: number, other: number): boolean {
  return nanoseconds !== undefined && (nanoseconds[row] as number) < (nanoseconds[other] as number);
}
