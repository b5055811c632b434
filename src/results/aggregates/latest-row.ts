import { RestError } from '../../rest/contract/rest-error.ts';
import { type MetricValue, nonFiniteText, type Row, type WireField } from '../../rest/contract/wire.ts';
import { IntList } from '../indexing/int-list.ts';
import type { DecodedRow } from '../writing/row-batches.ts';
import type { ColumnBatches } from './column-batches.ts';
import { InvalidRow } from './invalid-row.ts';

/**
 * Finds the rows with the latest date, ascending. A row without a date is passed over; if no row has one, the last row is the
 * latest. Empty without rows. An error if a date cannot be read: nobody knows whether it is the latest. Pauses after each batch.
 *
 * @param batches rows without metrics
 */
export function* latestRows(batches: ColumnBatches): Generator<void, IntList | RestError> {
  let rows = 0;
  let latest = -1;
  let latestTime = Number.NEGATIVE_INFINITY;
  let latestNanoseconds = 0;
  /** All rows of that date, if they are several. */
  let several: IntList | undefined;
  for (const batch of batches) {
    if (batch instanceof Error) return batch;
    for (let row = 0; batch !== undefined && row < batch.length; row += 1) {
      const time = batch.times[row] as number;
      const nanoseconds = batch.nanoseconds?.[row] ?? 0;
      if (time > latestTime || (time === latestTime && nanoseconds > latestNanoseconds)) {
        latestTime = time;
        latestNanoseconds = nanoseconds;
        latest = rows + row;
        several = undefined;
      } else if (time === latestTime && nanoseconds === latestNanoseconds) {
        several ??= listOf(latest);
        several.push(rows + row);
      } else if (Number.isNaN(time) && batch.hasDate(row)) return InvalidRow.withoutTime(rows + row, true);
    }
    rows += batch?.length ?? 0;
    yield;
  }
  if (rows === 0) return new IntList();
  return several ?? listOf(latest < 0 ? rows - 1 : latest);
}

function listOf(row: number): IntList {
  const list = new IntList();
  list.push(row);
  return list;
}

/**
 * Joins rows of one date: the metrics of the first row, and of each later row those that no earlier row has. A metric without a
 * value takes the first one that a later row has for its name.
 *
 * @param rows undefined is a pause
 * @param mayKeep is called before a metric is kept, with the number of those before it
 * @returns undefined if a metric may not be kept
 */
export function* joinRows(
  rows: Iterable<DecodedRow | undefined>,
  mayKeep: (metric: MetricValue, kept: number) => boolean,
): Generator<void, Row | undefined> {
  let valueDate: WireField<string>;
  let wrong: RestError | undefined;
  let joined: MetricValue[] | undefined;
  /** The first metric of each name, by its index. */
  const places = new Map<string, number>();
  let isFirst = true;
  for (const row of rows) {
    if (row === undefined) {
      yield;
      continue;
    }
    if (isFirst) valueDate = row.valueDate;
    isFirst = false;
    const { metrics } = row;
    if (metrics instanceof RestError) wrong ??= metrics;
    if (metrics === null || metrics === undefined || metrics instanceof RestError) continue;
    joined ??= [];
    const before = joined.length;
    for (const batch of metrics) {
      for (const metric of batch) {
        const { name, value } = metric;
        const place = typeof name === 'string' ? places.get(name) : undefined;
        if (place !== undefined && place < before) {
          if (isMissing(joined[place]?.value) && !isMissing(value)) joined[place] = metric;
          continue;
        }
        if (!mayKeep(metric, joined.length)) return undefined;
        if (typeof name === 'string' && place === undefined) places.set(name, joined.length);
        joined.push(metric);
      }
      if (!Array.isArray(metrics)) yield;
    }
  }
  return { valueDate, metrics: wrong ?? joined };
}

/** Whether a metric has no value, so that another row of the same date may have it. */
function isMissing(value: WireField<number>): boolean {
  return value === null || value === undefined || value === nonFiniteText;
}
