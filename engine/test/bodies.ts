/** Small bodies of results by hand. */

/** A row of a series. @param values those of its metrics, by their names */
export function row(date: unknown, values: Readonly<Record<string, unknown>> = {}): object {
  return { value_date: date, metrics: Object.entries(values).map(([name, value]) => ({ name, value })) };
}

/** A body with an entry for each of these lists of rows. */
export function bodyOf(...lists: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ assets: lists.map((results, index) => ({ asset_id: `a${index}`, results })) }));
}

/** Days from 1970-01-01 on, as dates. */
export function daysFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, day) => new Date((first + day) * 86_400_000).toISOString().slice(0, 10));
}
