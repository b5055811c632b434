import { RestError } from '../../rest/contract/rest-error.ts';
import type { WireField } from '../../rest/contract/wire.ts';
import type { Reserve } from '../../scanner/steps.ts';
import { type Aggregate, addSeries, type SeriesOrigin } from '../aggregates/aggregate.ts';
import { type CollectedNames, DistinctNames } from '../aggregates/distinct-names.ts';
import { seriesBatches } from '../aggregates/series-batches.ts';
import type { ArrivingAssets } from '../arriving-assets.ts';
import type { AssetEntries, AssetEntry } from '../asset-entries.ts';
import { Bailout } from '../bailout.ts';
import { namesIn, type Rows, type RowsSlice } from '../indexing/row-index.ts';
import type { OddRowCounter } from '../odd-rows.ts';
import type { AggregateStep, BoundField, Path, SeriesEntry } from '../selection.ts';
import {
  UNITS_PER_AGGREGATED_ENTRY,
  UNITS_PER_AGGREGATED_METRIC,
  UNITS_PER_AGGREGATED_VALUE,
  UNITS_PER_DECODED_VALUE,
  UNITS_PER_NAME,
  type WorkBudget,
} from '../work-budget.ts';
import { NULL } from './byte-writer.ts';
import { DecodedRowsWriter } from './decoded-rows-writer.ts';
import { type Output, type WriteStep, whileInUse } from './output-chunks.ts';
import { unitsOfNames, unitsOfReading } from './work-estimate.ts';

/** How many entries without rows are passed over between two pauses. */
const ENTRIES_PER_TIME_SLICE = 4096;
/** About how many characters of JSON are made between two pauses. */
const CHARACTERS_PER_TIME_SLICE = 4096;
/** The most characters of JSON that are kept until it is known whether they may be written. More are made twice. */
const MAX_KEPT_CHARACTERS = 2 ** 20;

/**
 * Writes what is computed from the rows of one asset. Null, with an error, if a row is invalid, a limit is exceeded, or there is no
 * memory.
 *
 * @param entry that of the rows, whose fields share what is computed of them
 */
export function* writeAggregate(
  output: Output,
  slice: RowsSlice,
  field: BoundField<AggregateStep>,
  path: Path | undefined,
  { entry: { assetId }, rows }: Pick<SeriesEntry, 'entry' | 'rows'>,
): Iterable<WriteStep> {
  const read: Read = (into, reserve) => readSeries(output, slice, field.step.metrics, into, { assetId }, reserve);
  yield* writeValue(output, yield* computedValue(output, field.step, rows, read), field, path);
}

/** The entries of results, as they are held or while they arrive. */
export interface EntriesSource {
  readonly assets: WireField<AssetEntries>;
  readonly arriving: ArrivingAssets | undefined;
  /** The names of the metrics of all entries, if they were collected while these arrived. */
  readonly names: CollectedNames;
}

/**
 * Writes what is computed from the rows of all assets. An entry without rows is none. Null, with an error, as for one asset, and
 * if the rest of the response does not arrive: nothing is written before all rows are read.
 */
export function* writeAggregateOfAll(
  output: Output,
  source: EntriesSource,
  field: BoundField<AggregateStep>,
  counter: Pick<OddRowCounter, 'add'>,
): Iterable<WriteStep> {
  const read: Read = (into, reserve) => readAll(output, source, field.step.metrics, into, counter, reserve);
  yield* writeValue(output, yield* computedValue(output, field.step, source, read), field, undefined);
}

/** How the names of the metrics of all assets are written, under each name of the field. */
const namesField: BoundField<AggregateStep> = {
  key: 'metricNames',
  nodes: undefined,
  prefix: Buffer.alloc(0),
  step: {
    kind: 'aggregate',
    metrics: undefined,
    start: () => new DistinctNames(),
    key: 'metricNames',
    json: (value) => listOf((value as DistinctNames).all),
  },
};

/** Writes the distinct names of the metrics of all assets, in the order of their first appearance. Null as for what is computed. */
export function* writeNamesOfAll(
  output: Output,
  source: EntriesSource,
  counter: Pick<OddRowCounter, 'add'>,
): Iterable<WriteStep> {
  const read: Read = (into, reserve) => readAll(output, source, undefined, into, counter, reserve);
  const found = source.names ?? (yield* computedValue(output, namesField.step, source, read));
  const units = found instanceof DistinctNames ? found.known.size * UNITS_PER_NAME : 0;
  const value = output.work.reserve(units) ? found : output.errors.workExceeded();
  yield* writeValue(output, value, namesField, undefined);
}

function* listOf(texts: ReadonlySet<string> | null): Iterable<string> {
  if (texts === null) {
    yield 'null';
    return;
  }
  let before = '[';
  for (const text of texts) {
    yield before + JSON.stringify(text);
    before = ',';
  }
  yield texts.size === 0 ? '[]' : ']';
}

/** Reads series. Returns an error if there is no value. */
type Read = (into: Aggregate<object>, reserve: Reserve) => Generator<WriteStep, Error | undefined>;

/** The value of a field, computed unless it was computed last. Charges and reserves all that it takes. */
function* computedValue(
  output: Output,
  step: AggregateStep,
  source: object,
  read: Read,
): Generator<WriteStep, object | Error> {
  const { computed } = output;
  const known = computed.find(source, step.key);
  if (known !== undefined) return known;
  computed.clear();
  const value = yield* orRestError(compute(output, step.start(), read));
  if (!(value instanceof Error)) computed.keep(source, step.key, value);
  return value;
}

function* compute(
  { computed, work, errors }: Output,
  into: Aggregate<object>,
  read: Read,
): Generator<WriteStep, object | Error> {
  const reserve = (bytes: number) => computed.take(bytes);
  const error = yield* read(into, reserve);
  if (error !== undefined) return error;
  const { units, bytes } = into.finishCosts();
  if (!work.reserve(units)) return errors.workExceeded();
  const reserving = reserve(bytes);
  if (reserving !== undefined) yield reserving;
  return yield* into.finish();
}

/** The steps, with a RestError in place of one that is thrown, or that a promise rejects with. */
function* orRestError<T>(steps: Iterator<WriteStep, T>): Generator<WriteStep, T | RestError> {
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      let failure: unknown;
      yield value?.catch((error: unknown) => {
        failure = error;
      });
      if (failure !== undefined) throw failure;
    }
  } catch (error) {
    if (error instanceof RestError) return error;
    throw error;
  }
}

/** Reads the rows of all assets. Returns an error if there is no value. */
function* readAll(
  output: Output,
  source: EntriesSource,
  metrics: readonly string[] | undefined,
  into: Aggregate<object>,
  counter: Pick<OddRowCounter, 'add'>,
  reserve: Reserve,
): Generator<WriteStep, Error | undefined> {
  let error = metrics && into.begin(metrics);
  const entries = entriesOf(source);
  let index = -1;
  while (error === undefined) {
    const { done, value } = entries.next();
    if (done === true) break;
    if (value === undefined || value instanceof Promise) {
      yield value;
      continue;
    }
    index += 1;
    if (!output.work.reserve(UNITS_PER_AGGREGATED_ENTRY)) return output.errors.workExceeded();
    if (index % ENTRIES_PER_TIME_SLICE === ENTRIES_PER_TIME_SLICE - 1) yield;
    const { slice, assetId } = value;
    if (slice === null) {
      error = value.rowsError;
      continue;
    }
    if (slice.rows instanceof Bailout) counter.add(slice.rows.reason, slice.count);
    error = yield* whileInUse(slice, readSeries(output, slice, metrics, into, { assetId, index }, reserve));
  }
  return error;
}

/** The entries, pauses, and promises that have to be waited for. */
function* entriesOf({ assets, arriving }: EntriesSource): Generator<AssetEntry | WriteStep, void> {
  if (arriving === undefined) {
    const { length } = (assets ?? []) as AssetEntries;
    for (let index = 0; index < length; index += 1) yield (assets as AssetEntries).at(index);
    return;
  }
  let index = 0;
  do {
    for (; index < arriving.start + arriving.table.length; index += 1) yield arriving.table.at(index - arriving.start);
  } while (yield* arriving.advance(false));
}

/**
 * Reads the rows of one asset. Charges the bytes that are read, and the metrics. Returns an error if there is no value.
 *
 * @param metrics their distinct names; undefined for all
 */
function* readSeries(
  output: Output,
  slice: RowsSlice,
  metrics: readonly string[] | undefined,
  into: Aggregate<object>,
  series: SeriesOrigin,
  reserve: Reserve,
): Generator<WriteStep, Error | undefined> {
  const { errors, work } = output;
  const { rows } = slice;
  const decoded = rows instanceof Bailout ? new DecodedRowsWriter(output, slice) : undefined;
  const ofReading = into.add === undefined ? 0 : unitsOfReading(slice);
  if (!work.reserve(ofReading) || decoded?.reserveDecoding() === false) return errors.workExceeded();
  let names = metrics;
  if (names === undefined) {
    const found = rows instanceof Bailout ? yield* (decoded as DecodedRowsWriter).names() : indexedNames(rows, work);
    if (found === undefined) return errors.workExceeded();
    names = [...found];
  }
  if (into.add === undefined) {
    const error = into.begin(names, series);
    const missing = into.missingBytes?.(0) ?? 0;
    const reserving = missing > 0 ? reserve(missing) : undefined;
    if (reserving !== undefined) yield reserving;
    return error;
  }
  const perValue = decoded === undefined ? UNITS_PER_AGGREGATED_VALUE : UNITS_PER_DECODED_VALUE;
  if (!work.reserve(names.length * (UNITS_PER_AGGREGATED_METRIC + slice.count * perValue)))
    return errors.workExceeded();
  return yield* addSeries(seriesBatches(slice, names, output.batches), names, into, series, reserve);
}

function indexedNames(rows: Rows, work: WorkBudget): readonly string[] | undefined {
  return work.reserve(unitsOfNames(rows)) ? namesIn(rows) : undefined;
}

/**
 * Writes a value, or null with its error. It is made before anything is written, because it may be too long. Only then the
 * errors of its fields are added, so that a value with any is made twice, too.
 */
function* writeValue(
  { out, errors, work }: Output,
  value: object | Error,
  field: BoundField<AggregateStep>,
  path: Path | undefined,
): Iterable<void> {
  if (value instanceof Error) {
    out.copy(NULL);
    errors.add(path, field, value);
    return;
  }
  const texts: string[] = [];
  let characters = 0;
  let reserved = 0;
  let hasErrors = false;
  const noted = {
    add: () => {
      hasErrors = true;
    },
  };
  for (const text of textsOf(field.step.json(value, path, noted))) {
    const bytes = Buffer.byteLength(text);
    if (!work.reserve(bytes)) {
      work.refund(reserved);
      out.copy(NULL);
      errors.add(path, field, errors.workExceeded());
      return;
    }
    reserved += bytes;
    characters += text.length;
    if (characters <= MAX_KEPT_CHARACTERS) texts.push(text);
    // Most values are short: without a pause for each.
    if (text.length >= CHARACTERS_PER_TIME_SLICE) yield;
  }
  const isKept = characters <= MAX_KEPT_CHARACTERS && !hasErrors;
  for (const text of isKept ? texts : textsOf(field.step.json(value, path, errors))) {
    out.text(text);
    if (out.hasFilled) yield;
  }
}

/** Joins pieces to texts of about as many characters as are made between two pauses. */
function* textsOf(pieces: Iterable<string>): Iterable<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length >= CHARACTERS_PER_TIME_SLICE) {
      yield text;
      text = '';
    }
  }
  yield text;
}
