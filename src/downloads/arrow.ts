import {
  type Data,
  type DataType,
  Field,
  Float64,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchWriter,
  Schema,
  Struct,
  Utf8,
} from 'apache-arrow';
import { type BatchWriter, type Column, columnsPerStep } from './record-batch.ts';

/**
 * Writes the file format of Apache Arrow: a record batch for each batch. The bodies are not compressed: the library writes
 * the compressed length of a buffer where readers expect the other one.
 */
export class ArrowBatches implements BatchWriter {
  readonly #writer = new CollectingWriter();
  readonly #schema: Schema;

  /** @param metadata the metadata of the schema */
  constructor(columns: readonly Column[], metadata: ReadonlyMap<string, string>) {
    const fields = columns.map(({ name, type, nullable }) => new Field(name, typeOf(type), nullable));
    this.#schema = new Schema(fields, new Map(metadata));
    this.#writer.reset(undefined, this.#schema);
  }

  *write(columns: readonly Column[], rows: number): Generator<void> {
    const children: Data[] = [];
    const count = columnsPerStep(rows);
    for (let start = 0; start < columns.length; start += count) {
      children.push(...columns.slice(start, start + count).map(dataOf));
      yield;
    }
    const data = makeData({ type: new Struct(this.#schema.fields), length: rows, nullCount: 0, children });
    this.#writer.write(new RecordBatch(this.#schema, data));
  }

  finish(): void {
    this.#writer.finish();
  }

  take(): Buffer[] {
    return this.#writer.taken.splice(0);
  }
}

/** Writes a schema as a message. */
const schemaWriter = RecordBatchWriter.prototype as unknown as {
  _writeSchema(this: RecordBatchWriter, schema: Schema): unknown;
};

/** Collects what the library would put into a queue of its own. */
class CollectingWriter extends RecordBatchFileWriter {
  readonly taken: Buffer[] = [];

  /** Writes the schema at the beginning too. The library leaves it out there, where some readers need it. */
  protected override _writeSchema(schema: Schema): this {
    super._writeSchema(schema);
    return schemaWriter._writeSchema.call(this, schema) as this;
  }

  protected override _write(chunk: Uint8Array): this {
    if (chunk.byteLength > 0) {
      this.taken.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      this._position += chunk.byteLength;
    }
    return this;
  }
}

function typeOf(type: Column['type']): DataType {
  if (type === 'text') return new Utf8();
  return type === 'int64' ? new Int64() : new Float64();
}

function dataOf(column: Column): Data {
  const { length } = column.values;
  const { nullCount, nullBitmap } = nullsOf(column.values);
  const common = { length, nullCount, ...(nullCount > 0 && { nullBitmap }) };
  if (column.type === 'text') return makeData({ type: new Utf8(), ...common, ...textsOf(column.values) });
  // A loop is much faster than `from`.
  if (column.type === 'int64') {
    const data = new BigInt64Array(length);
    for (let index = 0; index < length; index += 1) data[index] = column.values[index] ?? 0n;
    return makeData({ type: new Int64(), ...common, data });
  }
  const data = new Float64Array(length);
  for (let index = 0; index < length; index += 1) data[index] = column.values[index] ?? 0;
  return makeData({ type: new Float64(), ...common, data });
}

/** A bit for each value that is not null. */
function nullsOf(values: readonly unknown[]): { nullCount: number; nullBitmap: Uint8Array } {
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  let nullCount = 0;
  for (let index = 0; index < values.length; index += 1) {
    if (values[index] === null) nullCount += 1;
    else nullBitmap[index >> 3] = (nullBitmap[index >> 3] as number) | (1 << (index & 7));
  }
  return { nullCount, nullBitmap };
}

/** All texts after one another, and where each of them begins. */
function textsOf(values: readonly (string | null)[]): { valueOffsets: Int32Array; data: Uint8Array } {
  const valueOffsets = new Int32Array(values.length + 1);
  // Most texts are repeated in many rows.
  const encoded = new Map<string, Buffer>();
  let length = 0;
  const texts = values.map((value, index) => {
    const text = value === null ? undefined : (encoded.get(value) ?? Buffer.from(value));
    if (value !== null && text !== undefined) {
      encoded.set(value, text);
      length += text.length;
    }
    valueOffsets[index + 1] = length;
    return text;
  });
  const data = Buffer.allocUnsafe(length);
  for (let start = 0, end = 0; start < texts.length; start = end) {
    const text = texts[start];
    while (end < texts.length && texts[end] === text) end += 1;
    if (text !== undefined && text.length > 0) data.fill(text, valueOffsets[start], valueOffsets[end]);
  }
  return { valueOffsets, data };
}
