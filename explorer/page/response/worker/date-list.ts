import { timeOf } from './dates.ts';
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

  /** The time of each date in milliseconds, and its x; of dates that are not all points in time, the index of each. */
  positions(): { isTime: boolean; times: Float64Array; xs: Float64Array } {
    const times = this.texts.map(timeOf);
    const isTime = times.every((time) => time !== undefined);
    if (!isTime) {
      const indexes = Float64Array.from(times.keys());
      return { isTime, times: indexes, xs: indexes };
    }
    const xs = times.map((time, index) => this.#toX[index]?.(time) ?? time);
    return { isTime, times: Float64Array.from(times), xs: Float64Array.from(xs) };
  }
}
