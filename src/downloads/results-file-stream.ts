import type { FieldType } from '../../engine/index.ts';
import { ArrivingBody } from '../core/arriving-body.ts';
import { PooledBuffer } from '../core/buffer-pool.ts';
import { nextSlice } from '../core/event-loop-yielder.ts';
import { BodyMemory } from '../rest/admission/body-memory.ts';
import type { OperationMemory } from '../rest/admission/operation-memory.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import type { DatasetMetadata } from '../rest/contract/wire.ts';
import { filterBody } from '../rest/contract/wire.ts';
import { FILE_BODY_BYTES } from '../rest/transport/exchange.ts';
import { EntryStream, type TableColumn, type TableWriter } from '../results/results.ts';
import { type AggregateLimits, type AggregateSources, aggregateSink } from './aggregate-file.ts';
import { ArrowBatches } from './arrow.ts';
import { BatchTable } from './batch-table.ts';
import type { DateType } from './file-dates.ts';
import { ParquetBatches } from './parquet.ts';
import { readResults } from './read-results.ts';
import { arrivingResults, heldResults, noResults, type ResultsBody } from './results-body.ts';
import type { ResultsFile } from './results-file.ts';
import { RowsSurvey } from './rows-survey.ts';
import { csv, csvForSpreadsheets, ndjson } from './text-format.ts';
import { type TextRowsOptions, textRows } from './text-rows.ts';
import { TextTable } from './text-table.ts';
import { TypedRows, type TypedRowsOptions } from './typed-rows.ts';
import { wideColumns } from './wide-columns.ts';

/** Where a file gets its data. Each is asked once at most, and rejects with a RestError. */
export interface FileSources {
  /** The results while they arrive (REST specification, section 4.3). They belong to the caller. */
  stream(): Promise<ArrivingBody>;
  /** The results as a whole. They belong to the caller. */
  whole(): Promise<PooledBuffer>;
  /** The whole results are not what the service must send. */
  invalidBody(body: PooledBuffer): void;
  /** The metadata (section 4.1). */
  metadata(): Promise<DatasetMetadata>;
  /** The most bytes of an asset. */
  readonly maxAssetBytes: number;
  /** Its memory of the budget. */
  readonly memory: OperationMemory;
  /** The errors of too many metrics, periods or values. */
  readonly limits: AggregateLimits;
}

/** The bytes of memory for what is written, and is not sent: chunks of text, or a batch of rows with what is made of it. */
const WRITING_BYTES = {
  csv: 1 << 20,
  csv_spreadsheet: 1 << 20,
  ndjson: 1 << 20,
  parquet: 8 << 20,
  arrow: 8 << 20,
} as const;

/** The most columns of metrics of a `wide` file. The values of a row, and the start of each column, are written in one step. */
const MAX_WIDE_COLUMNS = { csv_spreadsheet: 10_000, csv: 10_000, ndjson: 10_000, parquet: 1000, arrow: 1000 } as const;

/** The formats of text. A file of another format has types, which depend on all results. */
const textFormats = { csv, csv_spreadsheet: csvForSpreadsheets, ndjson } as const;

type TextFormatName = keyof typeof textFormats;

function isText(format: ResultsFile['format']): format is TextFormatName {
  return Object.hasOwn(textFormats, format);
}

/**
 * Writes results as a file, on demand. Most files of text are written while the results arrive, and hardly anything of them is held.
 * The columns of a `wide` file of all metrics, and the types of rows in a file with types, depend on all results: they are held, read
 * once for what the file has to know, and once more. Of what is computed, a file with types holds the table.
 *
 * A piece belongs to the caller until it asks for the next one.
 *
 * @throws RestError if the results cannot be had, or are not what the service must send, and an error of the limits. Then the
 *   file must not look complete
 */
export async function* writeResultsFile(
  datasetId: string,
  file: ResultsFile,
  sources: FileSources,
): AsyncGenerator<Buffer, void> {
  const held = { kept: new BodyMemory(sources.memory, 0), table: new BodyMemory(sources.memory, 0) };
  try {
    await sources.memory.reserve(WRITING_BYTES[file.format] + FILE_BODY_BYTES);
    // Errors of the metadata come before the results are asked for.
    const metadata = isText(file.format) ? undefined : fileMetadata(datasetId, file, await sources.metadata());
    if (file.contents.of === 'rows') yield* writeRows(file, metadata, sources);
    else yield* writeComputed(file, metadata, { ...sources, ...held });
  } finally {
    held.kept.release();
    held.table.release();
  }
}

/** Where a file gets its data, and the memory of what it makes of them. */
interface HeldSources extends FileSources, AggregateSources {
  /** The memory of a table that is written at the end. */
  readonly table: BodyMemory;
}

/** What a file with types says about itself. Undefined for a file of text. */
type Metadata = ReadonlyMap<string, string> | undefined;

async function* writeRows(file: ResultsFile, metadata: Metadata, sources: FileSources): AsyncGenerator<Buffer, void> {
  const { format, contents, metrics } = file;
  const layout = contents.of === 'rows' ? contents.layout : 'long';
  const names = metrics && new Set(metrics);
  const isReadTwice = metadata !== undefined || hasAllColumns(file);
  const survey = new RowsSurvey({
    ...{ metrics: hasAllColumns(file), types: metadata !== undefined, texts: format === 'arrow' },
    values: { layout, metrics: names },
  });
  const body = await bodyOf(file, isReadTwice, sources);
  try {
    if (isReadTwice) {
      for await (const _ of readResults(body, survey, sources.memory));
      checkColumns(survey, format);
    }
    const columns = layout === 'wide' ? wideColumns(metrics ?? survey.metrics) : undefined;
    const rows = { columns, metrics: columns === undefined ? names : undefined };
    const { type, finish } =
      metadata === undefined ? textWriter(file, rows) : typedWriter(file, { ...rows, survey }, metadata);
    yield* readResults(body, type, sources.memory);
    for (const buffers of finish()) {
      yield* buffers;
      await nextSlice();
    }
  } catch (error) {
    if (error instanceof RestError && error.failure === 'invalidResponse') body.reject();
    throw error;
  } finally {
    body.release();
  }
}

async function bodyOf(file: ResultsFile, isHeld: boolean, sources: FileSources): Promise<ResultsBody> {
  if (file.filter.assetIds?.length === 0) return noResults;
  if (!isHeld) return arrivingResults(await sources.stream());
  const body = await sources.whole().catch((error) => {
    throw withAdvice(error, file);
  });
  return heldResults(body, () => sources.invalidBody(body));
}

/** What writes rows, and what follows them. */
interface RowsWriter {
  readonly type: FieldType;
  /** In steps that do not block other requests for long. */
  readonly finish: () => Iterable<readonly Buffer[]>;
}

function textWriter({ format }: ResultsFile, rows: Omit<TextRowsOptions, 'format'>): RowsWriter {
  const text = textFormats[format as TextFormatName];
  return { type: textRows({ ...rows, format: text }), finish: () => [[Buffer.from(text.lineBreak)]] };
}

function typedWriter(
  { format }: ResultsFile,
  rows: Omit<TypedRowsOptions, 'createWriter'>,
  metadata: ReadonlyMap<string, string>,
): RowsWriter {
  const { dates, invalidValues } = rows.survey;
  const about = new Map([
    ...metadata,
    ['value_date_type', kindOf(dates.type)],
    ['invalid_values', String(invalidValues)],
  ]);
  const Batches = format === 'parquet' ? ParquetBatches : ArrowBatches;
  const type = new TypedRows({ ...rows, createWriter: (columns) => new Batches(columns, about) });
  return { type, finish: () => type.finish() };
}

async function* writeComputed(
  { format, filter, contents, metrics }: ResultsFile,
  metadata: Metadata,
  sources: HeldSources,
): AsyncGenerator<Buffer, void> {
  if (contents.of === 'rows') return;
  const { memory, maxAssetBytes } = sources;
  const index = new BodyMemory(memory, 0);
  const limits = { reserve: (bytes: number) => index.growBy(bytes), release: () => index.release(), maxAssetBytes };
  const createTable = (columns: readonly TableColumn[]): TableWriter => {
    if (metadata === undefined) return new TextTable(textFormats[format as TextFormatName], columns);
    const Batches = format === 'parquet' ? ParquetBatches : ArrowBatches;
    return new BatchTable(
      columns,
      (all) => new Batches(all, metadata),
      (bytes) => sources.table.growBy(bytes),
    );
  };
  const body =
    filter.assetIds?.length === 0 ? ArrivingBody.complete(PooledBuffer.of(Buffer.from('{}'))) : await sources.stream();
  try {
    const sink = aggregateSink(contents, metrics, createTable, sources);
    for await (const buffers of new EntryStream(body, sink, limits).chunks()) yield* buffers;
  } finally {
    body.release();
  }
}
/** An error, which says how to get the file nevertheless if its results are too large to be held. */
function withAdvice(error: unknown, file: ResultsFile): unknown {
  if (!(error instanceof RestError) || error.failure !== 'responseTooLarge' || error.limit === undefined) return error;
  const { operation, failure, status, cause, limit } = error;
  const ways = [...(isText(file.format) ? [] : ['CSV or NDJSON']), ...(hasAllColumns(file) ? ['the layout LONG'] : [])];
  return new RestError(operation, failure, {
    status,
    cause,
    limit: { ...limit, advice: `use ${ways.join(' in ')}, or a filter` },
  });
}

/** @throws RestError `responseTooLarge` */
function checkColumns({ metrics }: RowsSurvey, format: ResultsFile['format']): void {
  const value = MAX_WIDE_COLUMNS[format];
  if (metrics.size <= value) return;
  const limit = { name: 'the maximum of columns', value, advice: 'use the layout LONG' };
  throw new RestError('getDatasetResults', 'responseTooLarge', { status: 200, limit });
}

/** Whether a file has a column for each metric of the results. */
function hasAllColumns({ contents, metrics }: ResultsFile): boolean {
  return contents.of === 'rows' && contents.layout === 'wide' && metrics === undefined;
}

/** The type of dates, as the metadata of a file says it. */
function kindOf(type: DateType): string {
  return type === 'text' || type === 'date' ? type : 'timestamp';
}

/** What a file says about itself. */
function fileMetadata(
  datasetId: string,
  { filter, contents, metrics }: ResultsFile,
  { name, attributionText, attributionFile }: DatasetMetadata,
): ReadonlyMap<string, string> {
  const known = {
    dataset_id: datasetId,
    dataset_name: name,
    attribution_text: attributionText,
    attribution_file: attributionFile,
    of: contents.of,
    layout: contents.of === 'rows' ? contents.layout : undefined,
    every: contents.of === 'periods' ? contents.every.toLowerCase() : undefined,
    metrics: metrics && JSON.stringify(metrics),
    filter: filterBody(filter),
    created: new Date().toISOString(),
  };
  return new Map(Object.entries(known).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
