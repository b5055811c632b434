import type { ColumnBatches } from './column-batches.ts';
import { DateOrder } from './date-order.ts';
import { Extremes } from './extremes.ts';
import type { Gap } from './gaps.ts';
import { sortedOrder } from './sorting.ts';
import { timeGroups } from './time-groups.ts';

/** How many positions are handled between two pauses. */
const POSITIONS_PER_TIME_SLICE = 65_536;
/** How many groups, and how many metrics. */
const GROUPS_PER_TIME_SLICE = 256;
const METRICS_PER_TIME_SLICE = 16;

/** Chosen rows of a series. */
export interface ChosenRows {
  /** Their numbers, ascending. */
  readonly rows: Int32Array;
  /** The place of each by date. Undefined if they are in this order. */
  readonly places: Int32Array | undefined;
}

/** Orders and reduces the rows of one series after the other, with the same memory. */
export class Reducer {
  #times = new Float64Array();
  #flags = new Uint8Array();

  /**
   * Orders the rows of a series by date, and chooses so many of them that their picture stays the same (M4: Jugel et al., "M4: A
   * Visualization-Oriented Time Series Data Aggregation", 2014). `columns(points:)` in schema.graphql says which. Pauses after each
   * batch.
   *
   * @param read reads the rows, of which none is invalid, with these metrics
   * @param count the number of rows
   * @param points how many rows to choose
   * @returns undefined if these are all rows in the order received
   */
  *reduce(
    read: (names: readonly string[]) => ColumnBatches,
    names: readonly string[],
    count: number,
    points: number,
  ): Generator<void, ChosenRows | undefined> {
    if (this.#times.length < count) {
      this.#times = new Float64Array(count);
      this.#flags = new Uint8Array(count);
    }
    const order = yield* DateOrder.of(read([]), count, this.#times);
    if (points >= count) return order.rows && (yield* placed(undefined, order.rows));
    // The first row and the last, and for each metric those with the lowest value and the highest.
    const rowsPerGroup = 2 + 2 * names.length;
    const groups = Math.max(1, Math.floor(points / rowsPerGroup));
    const starts = yield* timeGroups(order, count, groups, rowsPerGroup, points, this.#flags);
    const extremes = new Extremes(names.length, starts, order.rows && (yield* positionsOf(order.rows)));
    for (const batch of read(names)) {
      if (batch instanceof Error) throw batch;
      if (batch !== undefined) extremes.add(batch);
      yield;
    }
    const choice = new Choice(this.#flags, count, points);
    yield* addWanted(choice, extremes, order, count);
    const chosen = yield* choice.finish();
    return order.rows === undefined ? { rows: chosen, places: undefined } : yield* placed(chosen, order.rows);
  }
}

/** The position of each row. @param rows the row at each position */
function* positionsOf(rows: Int32Array): Generator<void, Int32Array> {
  const positions = new Int32Array(rows.length);
  for (let position = 0; position < rows.length; position += 1) {
    positions[rows[position] as number] = position;
    if (position % POSITIONS_PER_TIME_SLICE === POSITIONS_PER_TIME_SLICE - 1) yield;
  }
  return positions;
}
/** Chosen positions as rows. @param positions ascending; undefined for all. @param rowAt the row at each position */
function* placed(positions: Int32Array | undefined, rowAt: Int32Array): Generator<void, ChosenRows> {
  const { length } = positions ?? rowAt;
  const placeOf = new Int32Array(rowAt.length).fill(-1);
  for (let place = 0; place < length; place += 1) {
    placeOf[rowAt[positions?.[place] ?? place] as number] = place;
    if (place % POSITIONS_PER_TIME_SLICE === POSITIONS_PER_TIME_SLICE - 1) yield;
  }
  const rows = new Int32Array(length);
  const places = new Int32Array(length);
  let at = 0;
  for (let row = 0; row < placeOf.length; row += 1) {
    const place = placeOf[row] as number;
    if (place >= 0) {
      rows[at] = row;
      places[at] = place;
      at += 1;
    }
    if (row % POSITIONS_PER_TIME_SLICE === POSITIONS_PER_TIME_SLICE - 1) yield;
  }
  return { rows, places };
}

/** Chooses so many positions. */
class Choice {
  /** 1 for each one that is wanted. */
  readonly #isWanted: Uint8Array;
  readonly #count: number;
  readonly #points: number;
  /** How many points are left. */
  #left: number;

  /** @param flags at least as long as there are rows. They are overwritten */
  constructor(flags: Uint8Array, count: number, points: number) {
    this.#isWanted = flags.fill(0, 0, count);
    this.#count = count;
    this.#points = points;
    this.#left = points;
  }

  get isFull(): boolean {
    return this.#left === 0;
  }

  /** Chooses a position, if points are left. @param position -1 for none */
  add(position: number): void {
    if (position < 0 || this.#left === 0 || this.#isWanted[position] === 1) return;
    this.#isWanted[position] = 1;
    this.#left -= 1;
  }

  /** The positions that were added, and others evenly by number, ascending. */
  *finish(): Generator<void, Int32Array> {
    const chosen = new Int32Array(this.#points);
    const next = { position: 0, chosen: 0, other: 0, part: 0 };
    while (next.position < this.#count) {
      this.#take(next, Math.min(this.#count, next.position + POSITIONS_PER_TIME_SLICE), chosen);
      if (next.position < this.#count) yield;
    }
    return chosen;
  }

  /** Takes the chosen ones of the next positions. */
  #take(next: { position: number; chosen: number; other: number; part: number }, end: number, into: Int32Array): void {
    const left = this.#left;
    const others = this.#count - this.#points + left;
    const isWanted = this.#isWanted;
    let { position, chosen, other, part } = next;
    // The other rows are cut into as many parts as there are points left. The middle one of each is chosen.
    const middleOf = (index: number) => (index < left ? Math.floor(((2 * index + 1) * others) / (2 * left)) : -1);
    let middle = middleOf(part);
    for (; position < end; position += 1) {
      if (isWanted[position] === 0) {
        other += 1;
        if (other - 1 !== middle) continue;
        part += 1;
        middle = middleOf(part);
      }
      into[chosen] = position;
      chosen += 1;
    }
    Object.assign(next, { position, chosen, other, part });
  }
}

/** Adds the positions that are wanted, the most important first. */
function* addWanted(choice: Choice, extremes: Extremes, order: DateOrder, count: number): Generator<void> {
  const { starts, metrics, missing } = extremes;
  const groups = starts.length - 1;
  choice.add(0);
  choice.add(count - 1);
  for (let metric = 0; metric < metrics; metric += 1) {
    choice.add(extremes.lowest(metric));
    choice.add(extremes.highest(metric));
    if (metric % METRICS_PER_TIME_SLICE === METRICS_PER_TIME_SLICE - 1) yield;
  }
  const longest: Gap[] = [];
  const others: Gap[] = [];
  for (let metric = 0; metric < metrics; metric += 1) {
    const ofMetric = missing.get(metric);
    // If a metric has all values, its first and its last are in the first row and the last.
    if (ofMetric === undefined) continue;
    const gaps = yield* ofMetric.gaps(order, starts);
    for (const end of gaps.ends) choice.add(end);
    longest.push(...gaps.longest);
    for (const gap of gaps.ofGroups) others.push(gap);
  }
  for (const { start } of longest) choice.add(start);
  for (let group = 0; group < groups && !choice.isFull; group += 1) {
    for (let metric = 0; metric < metrics; metric += 1) {
      choice.add(extremes.lowestIn(group, metric));
      choice.add(extremes.highestIn(group, metric));
    }
    if (group % GROUPS_PER_TIME_SLICE === GROUPS_PER_TIME_SLICE - 1) yield;
  }
  for (let group = 0; group < groups && !choice.isFull; group += 1) {
    choice.add(starts[group] as number);
    choice.add((starts[group + 1] as number) - 1);
    if (group % GROUPS_PER_TIME_SLICE === GROUPS_PER_TIME_SLICE - 1) yield;
  }
  if (others.length === 0 || choice.isFull) return;
  const byTime = yield* sortedOrder(others.length, (one, other) => isBefore(others[one] as Gap, others[other] as Gap));
  for (const gap of byTime) choice.add((others[gap] as Gap).start);
}

/** Whether a gap takes longer than another one, or as long and is not behind it. */
function isBefore(one: Gap, other: Gap): boolean {
  return one.time > other.time || (one.time === other.time && one.start <= other.start);
}
