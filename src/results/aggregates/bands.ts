import {
  type Aggregate,
  allParts,
  BYTES_PER_ENTRY,
  type FinishCosts,
  type SelectedParts,
  UNITS_PER_ENTRY,
} from './aggregate.ts';
import type { ColumnBatch } from './column-batches.ts';
import { BYTES_PER_CHARACTER, NamedMetrics } from './named-metrics.ts';
import { NumberSorter } from './number-sort.ts';
import { sortedOrder, sortValues } from './sorting.ts';
import { roundingError, Sum } from './sum.ts';

/** The values of all series by date. Each list has one entry for each date; one that nobody selects is empty. */
export interface ResultBands {
  /** Each date once, ascending. */
  readonly valueDates: readonly string[];
  readonly metrics: readonly MetricBands[];
}

/** One metric by date. Counts are of values; the others are null where there are none. */
export interface MetricBands {
  readonly name: string;
  readonly counts: readonly number[];
  readonly means: readonly (number | null)[];
  readonly mins: readonly (number | null)[];
  readonly maxs: readonly (number | null)[];
  readonly quantiles: readonly { readonly quantile: number; readonly values: readonly (number | null)[] }[];
}

/** The most dates, the most dates of all metrics together, and the most values. */
export const MAX_BAND_DATES = 20_000;
export const MAX_BAND_ENTRIES = 100_000;
export const MAX_BAND_VALUES = 5_000_000;

/** The memory of a value: the value and its date, and the value twice more while it is sorted. */
const BYTES_PER_VALUE = 26;
/** The memory of a date: its text, its entries in lists and in a map. */
const BYTES_PER_DATE = 200;
/** The costs of a value that is sorted, of one that is only counted, and of a date that is sorted. */
const UNITS_PER_SORTED_VALUE = 20;
const UNITS_PER_COUNTED_VALUE = 1;
const UNITS_PER_DATE = 30;

/** The lists for which the values of each date are sorted, beside the quantiles. */
const LISTS_OF_SORTED = ['means', 'mins', 'maxs'] as const;

/** The values of a chunk, which is read without a pause, unless a batch has more. */
const MAX_CHUNK = 16_384;
/** How many values are sorted between two pauses, about. */
const VALUES_PER_TIME_SLICE = 4096;

/** Values of one metric, each with the number of its date, which 16 bits hold. */
class ValueChunk {
  length = 0;
  readonly values: Float64Array;
  readonly dates: Uint16Array;

  constructor(capacity: number) {
    this.values = new Float64Array(capacity);
    this.dates = new Uint16Array(capacity);
  }

  get free(): number {
    return this.values.length - this.length;
  }

  add(values: Float64Array, dates: Int32Array, rows: number): void {
    const { values: intoValues, dates: intoDates } = this;
    let { length } = this;
    for (let row = 0; row < rows; row += 1) {
      const value = values[row] as number;
      const date = dates[row] as number;
      if (Number.isNaN(value) || date < 0) continue;
      intoValues[length] = value;
      intoDates[length] = date;
      length += 1;
    }
    this.length = length;
  }
}

/** The values of one metric, in the order received. */
class MetricValues {
  readonly name: string;
  readonly chunks: ValueChunk[] = [];
  length = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** The capacity of a new chunk for so many further values; 0 if the last one has room for them. */
  newCapacity(more: number): number {
    const free = this.chunks.at(-1)?.free ?? 0;
    return more <= free ? 0 : Math.max(more, Math.min(this.length, MAX_CHUNK));
  }

  add(values: Float64Array, dates: Int32Array, rows: number): void {
    const capacity = this.newCapacity(rows);
    if (capacity > 0) this.chunks.push(new ValueChunk(capacity));
    const chunk = this.chunks.at(-1) as ValueChunk;
    const before = chunk.length;
    chunk.add(values, dates, rows);
    this.length += chunk.length - before;
  }
}

/** The bands of some metrics over the series of all assets. */
export class Bands implements Aggregate<ResultBands> {
  readonly #quantiles: readonly number[];
  readonly #tooMany: () => Error;
  readonly #selected: SelectedParts;
  readonly #metrics: NamedMetrics<MetricValues>;
  /** The dates, in the order received: as received first, in epoch milliseconds, and the nanoseconds beyond them. */
  readonly #texts: string[] = [];
  readonly #times: number[] = [];
  readonly #nanoseconds: number[] = [];
  /** The numbers of dates by their time: milliseconds, or a text with the nanoseconds if there are any. */
  readonly #byTime = new Map<number | string, number>();
  readonly #byText = new Map<string, number>();
  #last = -1;
  #rowDates = new Int32Array();
  #valueCount = 0;

  /** @param tooMany the error for more dates or values than are allowed */
  constructor(quantiles: readonly number[], tooMany: () => Error, selected = allParts) {
    this.#quantiles = quantiles;
    this.#tooMany = tooMany;
    this.#selected = selected;
    this.#metrics = new NamedMetrics((name) => new MetricValues(name), tooMany);
  }

  begin(names: readonly string[]): Error | undefined {
    return this.#metrics.begin(names);
  }

  missingBytes(rows: number): number {
    let bytes = this.#metrics.takeMissingBytes();
    for (const metric of this.#metrics.current) bytes += metric.newCapacity(rows) * BYTES_PER_VALUE;
    return bytes;
  }

  add(batch: ColumnBatch): Error | undefined {
    const { columns, length } = batch;
    if (this.#rowDates.length < length) this.#rowDates = new Int32Array(length);
    for (let row = 0; row < length; row += 1) this.#rowDates[row] = this.#dateAt(batch, row);
    for (const [index, metric] of this.#metrics.current.entries()) {
      const before = metric.length;
      metric.add(columns[index] as Float64Array, this.#rowDates, length);
      this.#valueCount += metric.length - before;
    }
    const dates = this.#texts.length;
    const isTooMuch =
      dates > MAX_BAND_DATES || dates * this.#metrics.size > MAX_BAND_ENTRIES || this.#valueCount > MAX_BAND_VALUES;
    return isTooMuch ? this.#tooMany() : undefined;
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
        this.#metrics.keep(BYTES_PER_DATE + text.length * BYTES_PER_CHARACTER);
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

  /** How many lists there are of each metric for which its values are sorted. */
  get #listsOfSorted(): number {
    const quantiles = this.#selected.has('values') ? this.#quantiles.length : 0;
    return quantiles + LISTS_OF_SORTED.filter((list) => this.#selected.has(list)).length;
  }

  get #isCounted(): boolean {
    return this.#listsOfSorted > 0 || this.#selected.has('counts');
  }

  finishCosts(): FinishCosts {
    const dates = this.#texts.length;
    const sorted = this.#listsOfSorted;
    const perValue = (this.#isCounted ? UNITS_PER_COUNTED_VALUE : 0) + (sorted > 0 ? UNITS_PER_SORTED_VALUE : 0);
    const entries = this.#isCounted ? dates * this.#metrics.size * (1 + sorted) : 0;
    return {
      units: dates * UNITS_PER_DATE + this.#valueCount * perValue + entries * UNITS_PER_ENTRY,
      bytes: dates * BYTES_PER_ENTRY + entries * BYTES_PER_ENTRY,
    };
  }

  *finish(): Generator<void, ResultBands> {
    const hasTimes = this.#byText.size === 0;
    const [times, nanoseconds, texts] = [this.#times, this.#nanoseconds, this.#texts];
    const order = yield* sortedOrder(texts.length, (one, other) => {
      if (!hasTimes) return (texts[one] as string) <= (texts[other] as string);
      const difference = (times[one] as number) - (times[other] as number);
      return difference === 0 ? (nanoseconds[one] as number) <= (nanoseconds[other] as number) : difference < 0;
    });
    const ranks = new Int32Array(order.length);
    for (const [rank, date] of order.entries()) ranks[date] = rank;
    const metrics: MetricBands[] = [];
    for (const metric of this.#metrics.values()) {
      const bands = new EmptyBands(metric.name, this.#quantiles);
      if (this.#isCounted) yield* fill(bands, metric, ranks, this.#selected);
      metrics.push(bands);
    }
    return { valueDates: Array.from(order, (date) => texts[date] as string), metrics };
  }
}

/** The bands of a metric before its values are read. */
class EmptyBands implements MetricBands {
  readonly name: string;
  readonly quantiles: readonly { readonly quantile: number; readonly values: (number | null)[] }[];
  readonly counts: number[] = [];
  readonly means: (number | null)[] = [];
  readonly mins: (number | null)[] = [];
  readonly maxs: (number | null)[] = [];

  constructor(name: string, quantiles: readonly number[]) {
    this.name = name;
    this.quantiles = quantiles.map((quantile) => ({ quantile, values: [] }));
  }
}

/** Reads the values of a metric. @param ranks the position of each date in the order of dates */
function* fill(
  bands: EmptyBands,
  { chunks, length }: MetricValues,
  ranks: Int32Array,
  selected: SelectedParts,
): Generator<void> {
  const counts = new Int32Array(ranks.length);
  for (const { dates, length: end } of chunks) {
    for (let at = 0; at < end; at += 1) {
      const rank = ranks[dates[at] as number] as number;
      counts[rank] = (counts[rank] as number) + 1;
    }
    yield;
  }
  if (selected.has('counts')) for (const count of counts) bands.counts.push(count);
  const lists = listsOf(bands, selected);
  if (lists.length === 0) return;
  const starts = new Int32Array(ranks.length + 1);
  for (const [rank, count] of counts.entries()) starts[rank + 1] = (starts[rank] as number) + count;
  const ends = starts.slice(0, ranks.length);
  const byDate = new Float64Array(length);
  for (const { values, dates, length: end } of chunks) {
    for (let at = 0; at < end; at += 1) {
      const rank = ranks[dates[at] as number] as number;
      byDate[ends[rank] as number] = values[at] as number;
      ends[rank] = (ends[rank] as number) + 1;
    }
    yield;
  }
  // The values in the order received are not needed any more.
  chunks.length = 0;
  const scratch = new Float64Array(counts.reduce((most, count) => Math.max(most, count), 0));
  const sorter = new NumberSorter(scratch.length);
  let sorted = 0;
  for (let rank = 0; rank < counts.length; rank += 1) {
    const ofDate = byDate.subarray(starts[rank], starts[rank + 1]);
    yield* sortValues(ofDate, scratch, sorter);
    for (const { into, read } of lists) into.push(ofDate.length === 0 ? null : read(ofDate));
    sorted += ofDate.length + 1;
    if (sorted > VALUES_PER_TIME_SLICE) {
      sorted = 0;
      yield;
    }
  }
}

/** A list that is made of the sorted values of each date. */
interface ListOfSorted {
  readonly into: (number | null)[];
  readonly read: (sorted: Float64Array) => number;
}

function listsOf({ means, mins, maxs, quantiles }: EmptyBands, selected: SelectedParts): ListOfSorted[] {
  const lists: ListOfSorted[] = [];
  if (selected.has('means')) lists.push({ into: means, read: meanOf });
  if (selected.has('mins')) lists.push({ into: mins, read: (sorted) => sorted[0] as number });
  if (selected.has('maxs')) lists.push({ into: maxs, read: (sorted) => sorted.at(-1) as number });
  if (!selected.has('values')) return lists;
  return [
    ...lists,
    ...quantiles.map(({ quantile, values }) => ({
      into: values,
      read: (sorted: Float64Array) => quantileOf(sorted, quantile),
    })),
  ];
}

function meanOf(values: Float64Array): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += roundingError(sum, value, next);
    sum = next;
  }
  const all = new Sum();
  if (!all.replace(sum, lost)) all.add(values, 0, values.length);
  return all.mean(values.length);
}

/** A quantile of sorted values, linear between ranks (type 7 of Hyndman and Fan 1996). */
function quantileOf(sorted: Float64Array, quantile: number): number {
  const position = (sorted.length - 1) * quantile;
  const rank = Math.floor(position);
  const low = sorted[rank] as number;
  const high = sorted[Math.min(rank + 1, sorted.length - 1)] as number;
  const part = position - rank;
  const between = low + part * (high - low);
  // The difference can be beyond the range of doubles, and rounding must not lead above the higher value.
  return Number.isFinite(between) ? Math.min(between, high) : low * (1 - part) + high * part;
}
