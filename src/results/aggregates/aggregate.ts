import type { Reserve } from '../../scanner/steps.ts';
import type { ColumnBatch, ColumnBatches } from './column-batches.ts';
import { InvalidRow } from './invalid-row.ts';

/** The series that rows belong to. */
export interface SeriesOrigin {
  readonly assetId: string;
  /** Its number, if a field is computed from many: errors name it. */
  readonly index?: number;
}

/** Something that is computed from rows, batch by batch, so that the rows themselves need not be kept. */
export interface Aggregate<Value> {
  /**
   * Begins a series, with the distinct names of its metrics. Returns an error if there are too many.
   *
   * @param series undefined before the first series: then these metrics come first
   */
  begin(names: readonly string[], series?: SeriesOrigin): Error | undefined;
  /** How many bytes of memory it needs before it goes on: before it takes so many further rows. */
  missingBytes?(rows: number): number;
  /**
   * Takes the next rows of the series, with the columns of its metrics. Returns an error if it cannot: then there is no value. Absent if
   * it is made of the names of the metrics alone.
   */
  add?(batch: ColumnBatch): Error | undefined;
  /** What it takes to finish it. To be charged and reserved before. */
  finishCosts(): FinishCosts;
  /** Its value, with pauses. */
  finish(): Generator<void, Value | Error>;
}

/** What the value of an aggregate takes beside its rows. */
export interface FinishCosts {
  /** Units of work (work-budget.ts). */
  readonly units: number;
  /** Bytes of memory. */
  readonly bytes: number;
}

/** The fields that are selected on a value, and on the objects in it. Lists that nobody selects are not made. */
export type SelectedParts = Pick<ReadonlySet<string>, 'has'>;
export const allParts: SelectedParts = { has: () => true };

/** The costs of an entry of a list: a number, or null. */
export const UNITS_PER_ENTRY = 6;
export const BYTES_PER_ENTRY = 24;

/** Adds a series, and pauses after each batch. Returns an error if there is no value. */
export function* addSeries(
  batches: ColumnBatches,
  names: readonly string[],
  into: Aggregate<unknown>,
  series: SeriesOrigin,
  reserve?: Reserve,
): Generator<void | Promise<void>, Error | undefined> {
  const tooMany = into.begin(names, series);
  if (tooMany !== undefined) return tooMany;
  for (const batch of batches) {
    if (batch instanceof Error) return inSeries(batch, series);
    if (batch !== undefined) {
      const missing = into.missingBytes?.(batch.length) ?? 0;
      const reserving = missing > 0 ? reserve?.(missing) : undefined;
      // What was read stays: the batch is overwritten only by the next one.
      if (reserving !== undefined) yield reserving;
      const error = into.add?.(batch);
      if (error !== undefined) return inSeries(error, series);
    }
    yield;
  }
  return undefined;
}

function inSeries(error: Error, { index }: SeriesOrigin): Error {
  return error instanceof InvalidRow ? error.ofSeries(index) : error;
}
