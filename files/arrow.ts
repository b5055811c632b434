import {
  type Data,
  type DataType,
  DateDay,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchWriter,
  Schema,
  Struct,
  Timestamp,
  TimeUnit,
  Utf8,
  type Vector,
} from 'apache-arrow';
import { type BatchWriter, type Column, columnsPerStep } from './record-batch.ts';

type TextColumn = Extract<Column, { type: 'text' }>;

/** The types of columns that have no texts. */
const types: Readonly<Record<Exclude<Column['type'], 'text'>, DataType>> = {
  int64: new Int64(),
  double: new Float64(),
  date: new DateDay(),
  'timestamp[ms]': new Timestamp(TimeUnit.MILLISECOND, 'UTC'),
  'timestamp[us]': new Timestamp(TimeUnit.MICROSECOND, 'UTC'),
  'timestamp[ns]': new Timestamp(TimeUnit.NANOSECOND, 'UTC'),
};

/**
 * Writes the file format of Apache Arrow: a record batch for each batch. The bodies are not compressed: the library writes
 * the compressed length of a buffer where readers expect the other one.
 */
export class ArrowBatches implements BatchWriter {
  readonly #writer = new CollectingWriter();
  readonly #schema: Schema;
  /** The texts of the columns with a dictionary, by the names of the columns. Written before the first batch. */
  readonly #dictionaries = new Map<string, Vector<Utf8>>();

  /** @param metadata the metadata of the schema */
  constructor(columns: readonly Column[], metadata: ReadonlyMap<string, string>) {
    const fields = columns.map((column) => new Field(column.name, this.#typeOf(column), column.nullable));
    this.#schema = new Schema(fields, new Map(metadata));
    this.#writer.reset(undefined, this.#schema);
  }

  *write(columns: readonly Column[], rows: number): Generator<void> {
    const children: Data[] = [];
    const count = columnsPerStep(rows);
    for (let start = 0; start < columns.length; start += count) {
      for (const [at, column] of columns.slice(start, start + count).entries())
        children.push(this.#dataOf(column, this.#schema.fields[start + at]?.type as DataType));
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

  #typeOf({ name, ...column }: Column): DataType {
    if (column.type !== 'text') return types[column.type];
    if (column.dictionary === undefined) return new Utf8();
    const { texts } = column.dictionary;
    const data = makeData({ type: new Utf8(), length: texts.length, nullCount: 0, ...textsOf(texts) });
    this.#dictionaries.set(name, makeVector(data));
    return new Dictionary(new Utf8(), new Int32(), this.#dictionaries.size);
  }

  #dataOf(column: Column, type: DataType): Data {
    const { length } = column.values;
    const { nullCount, nullBitmap } = nullsOf(column.values);
    const common = { length, nullCount, ...(nullCount > 0 && { nullBitmap }) };
    switch (column.type) {
      case 'text': {
        const dictionary = this.#dictionaries.get(column.name);
        if (dictionary === undefined || column.dictionary === undefined)
          return makeData({ type: type as Utf8, ...common, ...textsOf(column.values) });
        const data = placesIn(column.dictionary, column.values);
        return makeData({ type: type as Dictionary<Utf8, Int32>, ...common, data, dictionary });
      }
      case 'double':
        return makeData({ type: type as Float64, ...common, data: column.values });
      case 'date':
        return makeData({ type: type as DateDay, ...common, data: filled(new Int32Array(length), column.values) });
      default:
        return makeData({ type: type as Int64, ...common, data: filled(new BigInt64Array(length), column.values) });
    }
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

/** A loop is much faster than `from`. */
function filled<Into extends Int32Array | BigInt64Array>(into: Into, values: readonly (Into[number] | null)[]): Into {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (value !== null && value !== undefined) into[index] = value;
  }
  return into;
}

/** The place of each text in a dictionary. */
function placesIn(dictionary: NonNullable<TextColumn['dictionary']>, values: readonly (string | null)[]): Int32Array {
  const places = new Int32Array(values.length);
  let last: string | null = null;
  let place = 0;
  for (let index = 0; index < values.length; index += 1) {
    const text = values[index] as string | null;
    // Most rows repeat the text of the row before.
    if (text !== null && text !== last) {
      last = text;
      place = dictionary.placeOf(text);
    }
    places[index] = text === null ? 0 : place;
  }
  return places;
}

/** A bit for each value that is neither null nor NaN. */
function nullsOf(values: ArrayLike<unknown>): { nullCount: number; nullBitmap: Uint8Array } {
  const nullBitmap = new Uint8Array((values.length + 7) >> 3);
  let nullCount = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (value === null || Number.isNaN(value)) nullCount += 1;
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
