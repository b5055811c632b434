import { type Instant, timeAt } from '../../../../src/core/dates.ts';
import { instantOf } from './dates.ts';
import type { PlacedTable } from './overlay.ts';

type ToX = PlacedTable['toX'];

/** The distinct dates of some tables, in the order of their first appearance. Where tables differ in their x, so do their dates. */
export class DateList {
  readonly texts: string[] = [];
  readonly #toX: ToX[] = [];
  readonly #indexes = new Map<ToX, Map<string, number>>();

  /** Adds the dates of a table. Returns the index of each in `texts`; -1 for a missing date. */
  add({ dates, toX }: PlacedTable): Int32Array {
    const indexes = this.#indexes.get(toX) ?? new Map<string, number>();
    this.#indexes.set(toX, indexes);
    return Int32Array.from(dates, (date) => {
      if (date === null) return -1;
      const known = indexes.get(date);
      if (known !== undefined) return known;
      indexes.set(date, this.texts.length);
      this.#toX.push(toX);
      return this.texts.push(date) - 1;
    });
  }

  /**
   * The time of each date in milliseconds, its rank among the times, which is exact, and its x; of dates that are not all points
   * in time, the index of each.
   */
  positions(): { isTime: boolean; times: Float64Array; ranks: Float64Array; xs: Float64Array } {
    const instants = this.texts.map(instantOf);
    const isTime = instants.every((instant) => instant !== undefined);
    if (!isTime) {
      const indexes = Float64Array.from(instants.keys());
      return { isTime, times: indexes, ranks: indexes, xs: indexes };
    }
    const times = Float64Array.from(instants, timeAt);
    const xs = times.map((time, index) => this.#toX[index]?.(time) ?? time);
    return { isTime, times, ranks: ranksOf(instants), xs };
  }
}

/** The rank of each point in time. Equal ones have one rank. */
function ranksOf(instants: readonly Instant[]): Float64Array {
  const compare = (one: Instant, other: Instant) =>
    one.milliseconds - other.milliseconds || one.nanoseconds - other.nanoseconds;
  const ranks = new Float64Array(instants.length);
  let before: Instant | undefined;
  let rank = 0;
  for (const [index, instant] of [...instants.entries()].sort(([, one], [, other]) => compare(one, other))) {
    if (before !== undefined && compare(before, instant) < 0) rank += 1;
    ranks[index] = rank;
    before = instant;
  }
  return ranks;
}
