import type { AskedOfResults, Bytes, FieldType } from '../engine/index.ts';
import type { Body } from '../src/core/body.ts';
import type { PooledBuffer } from '../src/core/buffer-pool.ts';
import { nextSlice } from '../src/core/event-loop.ts';
import type { ComputedContents, FileLayout, ResultsFile } from '../src/graphql/results-file.ts';
import { GrowingMemory } from '../src/rest/admission/growing-memory.ts';
import type { OperationMemory } from '../src/rest/admission/operation-memory.ts';
import { RestError } from '../src/rest/contract/rest-error.ts';
import type { DatasetMetadata } from '../src/rest/contract/wire.ts';
import { filterBody } from '../src/rest/contract/wire.ts';
import { FILE_BODY_BYTES } from '../src/rest/transport/call-kind.ts';
import { ArrowBatches } from './arrow.ts';
import { BatchTable } from './batch-table.ts';
import { askedBy, type CreateTable } from './computed-table.ts';
import type { DateType } from './file-dates.ts';
import { ParquetBatches } from './parquet.ts';
import { type ErrorOfLimit, READER_BYTES, readResults } from './read-results.ts';
import { heldResults, noResults, type ResultsBody, streamedResults } from './results-body.ts';
import { RowsSurvey } from './rows-survey.ts';
import { csv, csvForSpreadsheets, ndjson } from './text-format.ts';
import { type TextRowsOptions, textRows } from './text-rows.ts';
import { TextTable } from './text-table.ts';
import { TypedRows, type TypedRowsOptions } from './typed-rows.ts';
import { wideColumns } from './wide-columns.ts';

/** Where a file gets its data. Each is asked once at most, and rejects with a RestError. */
export interface FileSources {
  /** The results while they arrive (REST specification, section 4.3). They belong to the caller. */
  stream(): Promise<Body>;
  /** The results as a whole. They belong to the caller. */
  whole(): Promise<PooledBuffer>;
  /** The whole results are not what the service must send. */
  invalidBody(body: PooledBuffer): void;
  /** The metadata (section 4.1). */
  metadata(): Promise<DatasetMetadata>;
  /** Its memory of the budget. */
  readonly memory: OperationMemory;
  /** Makes the error of more than something that is computed may have. */
  readonly errorOfLimit: ErrorOfLimit;
}

/** The bytes of memory for what is read and written, and is not sent: also a batch of rows with what is made of it. */
const WRITING_BYTES = {
  csv: READER_BYTES,
  csv_spreadsheet: READER_BYTES,
  ndjson: READER_BYTES,
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
 * @throws RestError if the results cannot be had, or are not what the service must send, and the error of a limit. Then the
 *   file must not look complete
 */
export async function* writeResultsFile(
  datasetId: string,
  file: ResultsFile,
  sources: FileSources,
): AsyncGenerator<Buffer, void> {
  const held = new GrowingMemory(sources.memory);
  try {
    await sources.memory.reserve(WRITING_BYTES[file.format] + FILE_BODY_BYTES);
    // Errors of the metadata come before the results are asked for.
    const metadata = isText(file.format) ? undefined : fileMetadata(datasetId, file, await sources.metadata());
    const { contents } = file;
    if (contents.of === 'rows') yield* writeRows(file, contents.layout, metadata, { ...sources, held });
    else yield* writeComputed(file, contents, metadata, { ...sources, held });
  } finally {
    held.release();
  }
}

/** Where a file gets its data, and the memory of what it holds of them. */
interface HeldSources extends FileSources {
  readonly held: GrowingMemory;
}

/** What a file with types says about itself. Undefined for a file of text. */
type Metadata = ReadonlyMap<string, string> | undefined;

async function* writeRows(
  file: ResultsFile,
  layout: FileLayout,
  metadata: Metadata,
  sources: HeldSources,
): AsyncGenerator<Buffer, void> {
  const { format, metrics } = file;
  const names = metrics && new Set(metrics);
  const isReadTwice = metadata !== undefined || hasAllColumns(file);
  const survey = new RowsSurvey({
    ...{ metrics: hasAllColumns(file), types: metadata !== undefined, texts: format === 'arrow' },
    values: { layout, metrics: names },
  });
  const body = await bodyOf(file, isReadTwice, sources);
  try {
    if (isReadTwice) {
      for await (const _ of readResults(body, rowsOf(survey), sources));
      checkColumns(survey, format);
    }
    const columns = layout === 'wide' ? wideColumns(metrics ?? survey.metrics) : undefined;
    const rows = { columns, metrics: columns === undefined ? names : undefined };
    const { type, finish } =
      metadata === undefined ? textWriter(file, rows) : typedWriter(file, { ...rows, survey }, metadata);
    yield* readResults(body, rowsOf(type), sources);
    yield* inSteps(finish());
  } catch (error) {
    if (error instanceof RestError && error.failure === 'invalidResponse') body.reject();
    throw error;
  } finally {
    body.release();
  }
}

/** What a field that takes rows asks of the engine. */
const rowsOf = (type: FieldType): AskedOfResults => ({ entries: [{ key: 'rows', field: 'rows', type }] });

async function bodyOf(file: ResultsFile, isHeld: boolean, sources: FileSources): Promise<ResultsBody> {
  if (file.filter.assetIds?.length === 0) return noResults;
  if (!isHeld) return streamedResults(await sources.stream());
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
  file: ResultsFile,
  contents: ComputedContents,
  metadata: Metadata,
  sources: HeldSources,
): AsyncGenerator<Buffer, void> {
  const { format, metrics } = file;
  const createTable: CreateTable = (columns, { memory, out }) => {
    if (metadata === undefined) return new TextTable(out as Bytes, textFormats[format as TextFormatName], columns);
    const Batches = format === 'parquet' ? ParquetBatches : ArrowBatches;
    return new BatchTable(columns, (all) => new Batches(all, metadata), memory);
  };
  const { asked, table } = askedBy(contents, metrics, createTable);
  const body = await bodyOf(file, false, sources);
  try {
    yield* readResults(body, asked, sources);
    yield* inSteps(table.finish());
  } finally {
    body.release();
  }
}

async function* inSteps(steps: Iterable<readonly Buffer[]>): AsyncGenerator<Buffer, void> {
  for (const buffers of steps) {
    yield* buffers;
    await nextSlice();
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
