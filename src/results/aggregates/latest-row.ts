import type { ColumnBatches } from './column-batches.ts';

/**
 * Finds the row with the latest date: the last of those with the same date; the last row, if a date is no point in time. -1
 * without rows. Pauses after each batch.
 *
 * @param batches rows of which none is invalid
 */
export function* latestRow(batches: ColumnBatches): Generator<void, number> {
  let rows = 0;
  let latest = -1;
  let latestTime = Number.NEGATIVE_INFINITY;
  let hasTimes = true;
  for (const batch of batches) {
    if (batch instanceof Error) throw batch;
    for (let row = 0; batch !== undefined && row < batch.length; row += 1) {
      const time = batch.times[row] as number;
      if (Number.isNaN(time)) hasTimes = false;
      else if (time >= latestTime) {
        latestTime = time;
        latest = rows + row;
      }
    }
    rows += batch?.length ?? 0;
    yield;
  }
  return hasTimes ? latest : rows - 1;
}
