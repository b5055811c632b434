// Points are pairs of x and y in one array, sorted by x.

/** The row of the first point at or after an x. */
export function firstRowFrom(points: Float64Array, x: number): number {
  let [from, to] = [0, points.length / 2];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((points[middle * 2] ?? 0) < x) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The values at an x: none, one, or several where a date is repeated. */
export function valuesAt(points: Float64Array, x: number): number[] {
  const values: number[] = [];
  for (let at = firstRowFrom(points, x) * 2; points[at] === x; at += 2) values.push(points[at + 1] ?? Number.NaN);
  return values;
}
