import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { RestError } from '../src/rest/contract/rest-error.ts';
import { type BatchWriter, type Column, columnsPerStep } from './record-batch.ts';

type RowGroup = ParquetWriter['row_groups'][number];

/** The most columns of all row groups: the library holds what the end of the file says of each, about a kilobyte. */
const MAX_COLUMN_CHUNKS = 1 << 17;

type ColumnSource = Parameters<ParquetWriter['write']>[0]['columnData'][number];

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** Writes Apache Parquet: a row group for each batch, compressed with Zstandard. */
export class ParquetBatches implements BatchWriter {
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  #columnChunks = 0;

  /** @param metadata the key-value metadata of the file */
  constructor(columns: readonly Column[], metadata: ReadonlyMap<string, string>) {
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(schemaOf)],
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      kvMetadata: Array.from(metadata, ([key, value]) => ({ key, value })),
      createdBy: 'dataset-subgraph',
    });
  }

  *write(columns: readonly Column[], rows: number): Generator<void> {
    this.#columnChunks += columns.length;
    if (this.#columnChunks > MAX_COLUMN_CHUNKS)
      throw new RestError('getDatasetResults', 'responseTooLarge', { status: 200 });
    const { row_groups: groups, num_rows: before } = this.#writer;
    const first = groups.length;
    const count = columnsPerStep(rows);
    for (let start = 0; start < columns.length; start += count) {
      const columnData = columns.slice(start, start + count).map(sourceOf);
      // One page for each column: to split it, the library would look at every value.
      void this.#writer.write({ columnData, rowGroupSize: rows, pageSize: 0 });
      yield;
    }
    // The library has made a row group of the columns of each step.
    const parts = groups.splice(first);
    const sum = (size: (part: RowGroup) => bigint | undefined) =>
      parts.reduce((all, part) => all + (size(part) ?? 0n), 0n);
    groups.push({
      columns: parts.flatMap((part) => part.columns),
      num_rows: BigInt(rows),
      total_byte_size: sum((part) => part.total_byte_size),
      total_compressed_size: sum((part) => part.total_compressed_size),
    });
    this.#writer.num_rows = before + BigInt(rows);
  }

  finish(): void {
    void this.#writer.finish();
  }

  take(): Buffer[] {
    const bytes = Buffer.from(this.#bytes.getBytes());
    // The offset goes on: it is that in the file.
    this.#bytes.index = 0;
    return bytes.length === 0 ? [] : [bytes];
  }
}

/** How the types of columns are stored, and what they mean. */
const elements: Readonly<Record<Column['type'], Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  int64: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  'timestamp[ms]': { ...timestampIn('MILLIS'), converted_type: 'TIMESTAMP_MILLIS' },
  'timestamp[us]': { ...timestampIn('MICROS'), converted_type: 'TIMESTAMP_MICROS' },
  'timestamp[ns]': timestampIn('NANOS'),
};

function timestampIn(unit: 'MILLIS' | 'MICROS' | 'NANOS'): Omit<SchemaElement, 'name'> {
  return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit } };
}

function schemaOf({ name, type, nullable }: Column): SchemaElement {
  return { name, ...elements[type], repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED' };
}

/**
 * How the values of types are encoded. The library takes much time for statistics and dictionaries. Only dates have
 * statistics, by which readers skip row groups. Only texts and doubles have a dictionary, where it halves their size:
 * Zstandard compresses dates better without one.
 */
const encodings: Readonly<Record<Column['type'], Pick<ColumnSource, 'encoding' | 'statistics'>>> = {
  text: { statistics: false },
  int64: { statistics: false, encoding: 'PLAIN' },
  double: { statistics: false },
  date: { encoding: 'PLAIN' },
  'timestamp[ms]': { encoding: 'PLAIN' },
  'timestamp[us]': { encoding: 'PLAIN' },
  'timestamp[ns]': { encoding: 'PLAIN' },
};

function sourceOf({ name, type, values }: Column): ColumnSource {
  const hasNulls = values instanceof Float64Array && values.includes(Number.NaN);
  return { name, data: hasNulls ? withNulls(values) : values, ...encodings[type] };
}

/** Nulls instead of NaN. A loop is much faster than `from`. */
function withNulls(values: Float64Array): (number | null)[] {
  const all = new Array<number | null>(values.length).fill(null);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    if (!Number.isNaN(value)) all[index] = value;
  }
  return all;
}
