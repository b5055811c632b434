import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { RestError } from '../rest/errors.ts';
import type { BatchWriter, Column } from './record-batch.ts';

/** The most columns of all row groups: the library holds what the end of the file says of each, about a kilobyte. */
const MAX_COLUMN_CHUNKS = 1 << 17;

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

  write(columns: readonly Column[], rows: number): void {
    this.#columnChunks += columns.length;
    if (this.#columnChunks > MAX_COLUMN_CHUNKS)
      throw new RestError('getDatasetResults', 'responseTooLarge', { status: 200 });
    const columnData = columns.map(({ name, values }) => ({ name, data: values }));
    void this.#writer.write({ columnData, rowGroupSize: rows });
  }

  finish(): void {
    void this.#writer.finish();
  }

  take(): Buffer[] {
    const bytes = Buffer.from(this.#bytes.getBytes());
    // The offset goes on: it is the place in the file.
    this.#bytes.index = 0;
    return bytes.length === 0 ? [] : [bytes];
  }
}

function schemaOf({ name, type, nullable }: Column): SchemaElement {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  if (type === 'text') return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type };
  return { name, type: type === 'int64' ? 'INT64' : 'DOUBLE', repetition_type };
}
