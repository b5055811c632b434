/** All values of some columns, upwards. Missing ones, NaN, are left out. */
export function sortedValues(columns: readonly Float64Array[]): Float64Array {
  const values = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const column of columns) {
    for (const value of column) if (!Number.isNaN(value)) values[count++] = value;
  }
  return values.subarray(0, count).sort();
}
