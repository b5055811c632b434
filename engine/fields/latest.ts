import { Bytes, literal, NULL } from '../bytes.ts';
import { FieldError } from '../errors.ts';
import type { Field, FieldType, Making } from '../field.ts';
import { JoinedRow } from '../joined-row.ts';
import { type RowBatch, RowReader } from '../row-batch.ts';
import type { RowError } from '../row-parser.ts';
import { RowWriter } from '../row-writer.ts';
import { PADDING } from '../scanner.ts';

/** The work of a metric of rows that are joined. */
const UNITS_PER_JOINED_METRIC = 40;

const padding = literal('\0'.repeat(PADDING));

/** `latest { valueDate value(metric: String!) metrics(metrics: [String!]) { name value } }` */
export const latest: FieldType = { make: (making) => new Latest(making) };

class Latest implements Field {
  readonly #making: Making;
  readonly #writer: RowWriter;
  readonly #written: Bytes;
  /** The first row of the latest date, the errors of its values, and all rows of that date if they are several. Without any date it is the last row. */
  readonly #latest: Bytes;
  #errors: readonly RowError[] = [];
  #joined: JoinedRow | undefined;
  #time = Number.NEGATIVE_INFINITY;
  #nanoseconds = 0;
  /** Reads what was kept. */
  readonly #reader: RowReader;
  #isWriting = false;

  constructor(making: Making) {
    const { selected, memory } = making;
    this.#making = making;
    this.#writer = new RowWriter(selected, '');
    this.#written = new Bytes(memory, 512);
    this.#latest = new Bytes(memory, 512);
    this.#reader = new RowReader(memory);
  }

  begin(): void {
    this.#isWriting = false;
    this.#forget();
    this.#time = Number.NEGATIVE_INFINITY;
    this.#nanoseconds = 0;
  }

  add(rows: RowBatch): void {
    if (rows.isLost) throw new FieldError('tooLargeRow', rows.first);
    if (rows.errors.some(({ part }) => part === 'valueDate')) throw new FieldError('wrongDate', rows.first);
    const { count } = rows;
    const times = rows.times();
    const nanoseconds = rows.nanoseconds();
    let time = this.#time;
    let rest = this.#nanoseconds;
    let first = -1;
    for (let row = 0; row < count; row += 1) {
      const at = times[row] as number;
      if (at > time || (at === time && (nanoseconds?.[row] ?? 0) > rest)) {
        time = at;
        rest = nanoseconds?.[row] ?? 0;
        first = row;
      } else if (Number.isNaN(at) && rows.hasDate(row)) throw new FieldError('unreadableDate', rows.first + row);
    }
    this.#time = time;
    this.#nanoseconds = rest;
    if (first >= 0) this.#keep(rows, first);
    else if (time === Number.NEGATIVE_INFINITY) this.#keep(rows, count - 1);
    for (let row = first + 1; row < count; row += 1)
      if (times[row] === time && (nanoseconds?.[row] ?? 0) === rest) this.#join(rows, row);
  }

  write(out: Bytes): boolean {
    if (this.#latest.position === 0) {
      out.literal(NULL);
      return false;
    }
    if (!this.#isWriting) this.#beginWriting();
    this.#isWriting = this.#writer.writeMore();
    if (this.#isWriting) return true;
    this.#writer.report(this.#making.errors, this.#reader.rows, 0, 1, () => []);
    out.adopt(this.#written);
    return false;
  }

  #beginWriting(): void {
    const joined = this.#joined;
    if (joined !== undefined) {
      const { json, errors } = joined;
      this.#forget();
      this.#errors = errors;
      this.#latest.text(`${json}${padding.text}`);
    }
    this.#written.rewind(0);
    this.#writer.begin(this.#written, this.#read(), 0, 1);
  }

  #forget(): void {
    this.#joined?.release();
    this.#joined = undefined;
    this.#latest.rewind(0);
  }

  #keep(rows: RowBatch, row: number): void {
    this.#forget();
    const [start, end] = [rows.rowStart(row), rows.rowEnd(row)];
    // All of it is one piece.
    this.#latest.makeRoom(end - start + PADDING);
    this.#latest.put(rows.bytes, rows.view, start, end);
    this.#latest.put(padding.bytes, padding.view, 0, PADDING);
    this.#errors = rows.errors;
  }

  /** The row that was kept. */
  #read(): RowBatch {
    this.#reader.readCanonical(this.#latest, this.#errors);
    return this.#reader.rows;
  }

  #join(rows: RowBatch, row: number): void {
    if (this.#joined === undefined) {
      const kept = this.#read();
      this.#joined = new JoinedRow(this.#making.memory, kept.dateJson(0));
      this.#joined.add(kept, 0);
    }
    this.#making.memory.count(UNITS_PER_JOINED_METRIC * (rows.template.metrics?.length ?? 0));
    this.#joined.add(rows, row);
  }
}
