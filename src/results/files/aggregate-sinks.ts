import type { Reserve } from '../../scanner/steps.ts';
import { type Aggregate, addSeries, type SeriesOrigin } from '../aggregates/aggregate.ts';
import { IndexedBatches } from '../aggregates/column-batches.ts';
import { seriesBatches } from '../aggregates/series-batches.ts';
import { Bailout } from '../bailout.ts';
import { namesIn, type RowsSlice } from '../indexing/row-index.ts';
import { newNames } from '../writing/row-batches.ts';
import { type AggregateTable, ASSET_COLUMNS, assetCells, orThrow } from './aggregate-tables.ts';
import type { EntryAttributes, LastSteps, SeriesSink } from './row-sink.ts';
import type { TableColumn, TableWriter } from './table.ts';

/** What is computed from rows, and how it is written. */
export interface AggregateFile<Value> {
  /** Begins a value. */
  readonly start: () => Aggregate<Value>;
  readonly table: AggregateTable<Value>;
  /** The distinct names of the metrics; undefined for all. */
  readonly metrics: readonly string[] | undefined;
  /** More metrics of a series are an error of the aggregate. */
  readonly maxMetrics: number;
  /** Creates the writer of a table with these columns. */
  readonly createWriter: (columns: readonly TableColumn[]) => TableWriter;
  /** Reserves memory for what is kept of rows, and releases all of it. */
  readonly reserve: Reserve;
  readonly release: () => void;
}

/** Writes what is computed of each series, when its rows are read. */
export class SeriesAggregates<Value> implements SeriesSink {
  readonly #file: AggregateFile<Value>;
  readonly #writer: TableWriter;
  readonly #batches = new IndexedBatches();
  #entry: EntryAttributes = { assetId: '', name: null, version: null };
  #index = -1;

  constructor(file: AggregateFile<Value>) {
    this.#file = file;
    this.#writer = file.createWriter([...ASSET_COLUMNS, ...file.table.columns]);
  }

  begin(entry: EntryAttributes): void {
    this.#entry = entry;
    this.#index += 1;
  }

  *series(slice: RowsSlice): Iterable<void | Promise<void>> {
    const { start, table, release } = this.#file;
    const into = start();
    const series = { assetId: this.#entry.assetId, index: this.#index };
    yield* readSeries(slice, series, into, this.#file, this.#batches);
    const reserving = this.#file.reserve(into.finishCosts().bytes);
    if (reserving !== undefined) yield reserving;
    const lead = assetCells(this.#entry);
    for (const cells of table.rows(orThrow(yield* into.finish()))) {
      yield* this.#writer.add([...lead, ...cells]);
      yield;
    }
    release();
  }

  get hasFilled(): boolean {
    return this.#writer.hasFilled;
  }

  takeFilled(): readonly Buffer[] {
    return this.#writer.takeFilled();
  }

  finish(): LastSteps {
    return this.#writer.finish();
  }
}

/** Writes what is computed of all series together, at the end of the response. */
export class AggregateOfAll<Value> implements SeriesSink {
  readonly #file: AggregateFile<Value>;
  readonly #writer: TableWriter;
  readonly #batches = new IndexedBatches();
  readonly #into: Aggregate<Value>;
  #series = { assetId: '', index: -1 };
  readonly hasFilled = false;

  constructor(file: AggregateFile<Value>) {
    this.#file = file;
    this.#writer = file.createWriter(file.table.columns);
    this.#into = file.start();
    if (file.metrics !== undefined) orThrow(this.#into.begin(file.metrics));
  }

  begin({ assetId }: EntryAttributes): void {
    this.#series = { assetId, index: this.#series.index + 1 };
  }

  series(slice: RowsSlice): Iterable<void | Promise<void>> {
    return readSeries(slice, this.#series, this.#into, this.#file, this.#batches);
  }

  takeFilled(): readonly Buffer[] {
    return [];
  }

  *finish(): LastSteps {
    const writer = this.#writer;
    const steps = this.#into.finish();
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield [];
    for (const cells of this.#file.table.rows(orThrow(step.value))) {
      for (const waiting of writer.add(cells)) yield waiting ?? writer.takeFilled();
    }
    yield* writer.finish();
  }
}

/** Reads the rows of one series. @throws the error because of which there is no value */
function* readSeries(
  slice: RowsSlice,
  series: SeriesOrigin,
  into: Aggregate<unknown>,
  { metrics, maxMetrics, reserve }: Pick<AggregateFile<unknown>, 'metrics' | 'maxMetrics' | 'reserve'>,
  batches: IndexedBatches,
): Generator<void | Promise<void>, void> {
  const names = metrics ?? (yield* namesOf(slice, maxMetrics));
  orThrow(yield* addSeries(seriesBatches(slice, names, batches), names, into, series, reserve));
}

/** The distinct names of the metrics of a series, in the order of their first appearance. It ends when they are too many. */
function* namesOf(slice: RowsSlice, max: number): Generator<void, readonly string[]> {
  if (!(slice.rows instanceof Bailout)) return namesIn(slice.rows);
  const names = new Set<string>();
  for (const name of newNames(slice, names)) {
    if (name === undefined) yield;
    else if (names.add(name).size > max) break;
  }
  return [...names];
}
