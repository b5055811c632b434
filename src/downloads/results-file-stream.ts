import { ArrivingBody } from '../core/arriving-body.ts';
import { PooledBuffer } from '../core/buffer-pool.ts';
import { BodyMemory } from '../rest/admission/body-memory.ts';
import type { OperationMemory } from '../rest/admission/operation-memory.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import type { DatasetMetadata } from '../rest/contract/wire.ts';
import { filterBody } from '../rest/contract/wire.ts';
import { FILE_BODY_BYTES } from '../rest/transport/exchange.ts';
import {
  csv,
  csvForSpreadsheets,
  type DateType,
  EntryStream,
  MetricFilter,
  ndjson,
  ResponseSurvey,
  type ResultsFile,
  type RowSink,
  type SeriesSink,
  type TableColumn,
  type TableWriter,
  TextSink,
  TextTable,
  type WideColumn,
  wideColumns,
} from '../results/results.ts';
import { type AggregateLimits, type AggregateSources, aggregateSink } from './aggregate-file.ts';
import { ArrowBatches } from './arrow.ts';
import { BatchTable } from './batch-table.ts';
import { ParquetBatches } from './parquet.ts';
import { BatchSink } from './record-batch.ts';

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
 * Writes results as a file, on demand. Most files of text are written while the results arrive, and no more than one asset is held.
 * The columns of a `wide` file of all metrics, and the types of rows in a file with types, depend on all results: they are held, read
 * once for what the file has to know, and once more. Of what is computed, a file with types holds the table.
 *
 * @throws RestError if the results cannot be had, or are not what the service must send, and an error of the limits. Then the
 *   file must not look complete
 */
export async function* writeResultsFile(
  datasetId: string,
  file: ResultsFile,
  sources: FileSources,
): AsyncGenerator<readonly Buffer[], void> {
  const held = { kept: new BodyMemory(sources.memory, 0), table: new BodyMemory(sources.memory, 0) };
  try {
    yield* fileChunks(datasetId, file, { ...sources, ...held });
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

async function* fileChunks(
  datasetId: string,
  file: ResultsFile,
  sources: HeldSources,
): AsyncGenerator<readonly Buffer[], void> {
  const { memory, maxAssetBytes } = sources;
  const index = new BodyMemory(memory, 0);
  const limits = { reserve: (bytes: number) => index.growBy(bytes), release: () => index.release(), maxAssetBytes };
  const write = (body: ArrivingBody, sink: RowSink | SeriesSink) => new EntryStream(body, sink, limits).chunks();
  const { filter, format, contents, metrics } = file;
  await memory.reserve(WRITING_BYTES[format] + FILE_BODY_BYTES);
  // Errors of the metadata come before the results are asked for.
  const createSink = await sinkFactory(datasetId, file, sources);
  const needsNames = hasAllColumns(file);
  const survey = new ResponseSurvey({
    metrics: needsNames,
    dates: !isText(format),
    texts: format === 'arrow',
    values:
      isText(format) || contents.of !== 'rows'
        ? undefined
        : { layout: contents.layout, metrics: metrics && new Set(metrics) },
  });
  if (filter.assetIds?.length === 0) {
    yield* write(noResults(), createSink(survey));
  } else if (contents.of !== 'rows' || (isText(format) && !needsNames)) {
    const body = await sources.stream();
    try {
      yield* write(body, createSink(survey));
    } finally {
      body.release();
    }
  } else {
    const body = await sources.whole().catch((error) => {
      throw withAdvice(error, file);
    });
    try {
      for await (const _ of write(ArrivingBody.complete(body), survey));
      checkColumns(survey, format);
      yield* write(ArrivingBody.complete(body), createSink(survey));
    } catch (error) {
      if (error instanceof RestError && error.failure === 'invalidResponse') sources.invalidBody(body);
      throw error;
    } finally {
      body.release();
    }
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
function checkColumns({ metrics }: ResponseSurvey, format: ResultsFile['format']): void {
  const value = MAX_WIDE_COLUMNS[format];
  if (metrics.size <= value) return;
  const limit = { name: 'the maximum of columns', value, advice: 'use the layout LONG' };
  throw new RestError('getDatasetResults', 'responseTooLarge', { status: 200, limit });
}

/** Whether a file has a column for each metric of the results. */
function hasAllColumns({ contents, metrics }: ResultsFile): boolean {
  return contents.of === 'rows' && contents.layout === 'wide' && metrics === undefined;
}

/** Creates the sink of a file. @param survey what the file has to know */
type SinkFactory = (survey: ResponseSurvey) => RowSink | SeriesSink;

/** What writes a format: rows, or a table. */
interface FormatWriters {
  rows(columns: readonly WideColumn[] | undefined, survey: ResponseSurvey): RowSink;
  table(columns: readonly TableColumn[]): TableWriter;
}

async function sinkFactory(datasetId: string, file: ResultsFile, sources: HeldSources): Promise<SinkFactory> {
  const writers = await writersOf(datasetId, file, sources);
  const { contents, metrics } = file;
  if (contents.of !== 'rows') return () => aggregateSink(contents, metrics, writers.table, sources);
  return (survey) => {
    const columns = contents.layout === 'wide' ? wideColumns(metrics ?? survey.metrics) : undefined;
    const sink = writers.rows(columns, survey);
    return columns === undefined && metrics !== undefined ? new MetricFilter(sink, metrics) : sink;
  };
}

async function writersOf(datasetId: string, file: ResultsFile, sources: HeldSources): Promise<FormatWriters> {
  const { format } = file;
  if (isText(format)) {
    const text = textFormats[format];
    return { rows: (columns) => new TextSink(text, columns), table: (columns) => new TextTable(text, columns) };
  }
  const Batches = format === 'parquet' ? ParquetBatches : ArrowBatches;
  const metadata = fileMetadata(datasetId, file, await sources.metadata());
  return {
    rows: (wide, { dates, texts, invalidValues }) => {
      const about = new Map([
        ...metadata,
        ['value_date_type', kindOf(dates.type)],
        ['invalid_values', String(invalidValues)],
      ]);
      return new BatchSink((all) => new Batches(all, about), { wide, dates: dates.type, texts });
    },
    table: (columns) =>
      new BatchTable(
        columns,
        (all) => new Batches(all, metadata),
        (bytes) => sources.table.growBy(bytes),
      ),
  };
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

function noResults(): ArrivingBody {
  return ArrivingBody.complete(PooledBuffer.of(Buffer.from('{}')));
}
