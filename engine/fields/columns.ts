import { ByMetric, checkCount, checkNames, DONE, MetricsWriter, writeUsual } from '../by-metric.ts';
import { Bytes, NULL } from '../bytes.ts';
import type { ErrorKind } from '../errors.ts';
import type { Field, FieldType, Making, Selected } from '../field.ts';
import type { Memory } from '../memory.ts';
import type { RowError } from '../row-parser.ts';
import type { Rows } from '../rows.ts';

const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** `columns(metrics: [String!], points: Int) { rowCount valueDates metrics { name values } }` */
export const columns: FieldType = {
  check: (args) => checkNames(args) ?? checkCount(args, 'points'),
  make: (making) => new Columns(making),
};

/** A value that is null because of an error. */
interface Wrong {
  readonly row: number;
  readonly part: RowError['part'];
  readonly kind: ErrorKind;
  /** Undefined for all metrics. */
  readonly name: string | undefined;
}

class Columns implements Field {
  readonly #making: Making;
  readonly #dates: Column | undefined;
  readonly #metrics: ByMetric<Column>;
  /** What writes each of the selected fields, after its prefix. Returns whether more is left. */
  readonly #writers: readonly ((out: Bytes, rowCount: number) => boolean)[];
  readonly #wrong: Wrong[] = [];
  /** The selected field that is written, and whether it was begun. */
  #next = 0;
  #isBegun = false;

  constructor(making: Making) {
    const { memory, selected } = making;
    this.#making = making;
    const dates = countOf(selected.select, 'valueDates');
    this.#dates = dates > 0 ? new Column('', memory, dates === 1) : undefined;
    const ofMetrics = selected.select.filter(({ field }) => field === 'metrics').flatMap(({ select }) => select);
    const isWrittenOnce = countOf(ofMetrics, 'values') === 1;
    this.#metrics = new ByMetric(making, (name) => new Column(name, memory, isWrittenOnce));
    this.#writers = selected.select.map((each) => this.#writerOf(each));
  }

  begin(): void {
    this.#dates?.begin();
    this.#metrics.begin();
    this.#wrong.length = 0;
    this.#next = 0;
  }

  add(rows: Rows): void {
    this.#dates?.add(rows, rows.template.date);
    for (const { of, slot } of this.#metrics.slots(rows.template)) of.add(rows, slot);
    for (const { part, metric, kind } of rows.errors) {
      const { metrics } = rows.template;
      const name = metrics?.[metric]?.name ?? undefined;
      // Of metrics with the same name the first one counts.
      const counts = part !== 'value' || metrics?.findIndex((other) => other.name === name) === metric;
      if (counts) this.#wrong.push({ row: rows.first, part, kind, name });
    }
  }

  write(out: Bytes, rowCount: number): boolean {
    const { select, end } = this.#making.selected;
    if (this.#next === 0 && !this.#isBegun) this.#report();
    for (; this.#next < select.length; this.#next += 1) {
      if (!this.#isBegun) out.literal((select[this.#next] as Selected).prefix);
      this.#isBegun = (this.#writers[this.#next] as (out: Bytes, rowCount: number) => boolean)(out, rowCount);
      if (this.#isBegun) return true;
    }
    this.#next = 0;
    out.literal(end);
    return false;
  }

  #writerOf(selected: Selected): (out: Bytes, rowCount: number) => boolean {
    const { field, args } = selected;
    if (field !== 'metrics')
      return (out, rowCount) => {
        if (field === 'constant') out.text(String(args.json));
        else if (field === 'rowCount') out.text(String(rowCount));
        else this.#dates?.write(out, rowCount);
        return false;
      };
    let rows = 0;
    const writer = new MetricsWriter<Column>(selected, (out, column, each) => {
      if (!writeUsual(out, each, column.name)) column.write(out, rows);
      return DONE;
    });
    return (out, rowCount) => {
      rows = rowCount;
      return writer.write(out, this.#metrics.all);
    };
  }

  #report(): void {
    const { errors, selected } = this.#making;
    for (const { row, part, kind, name } of this.#wrong)
      for (const { key, field, origin, select } of selected.select) {
        if (field === 'valueDates' && (part === 'valueDate' || part === 'row'))
          errors.add([key, row], kind, { origin });
        if (field !== 'metrics' || part === 'valueDate' || part === 'name') continue;
        for (const [index, column] of this.#metrics.all.entries())
          for (const of of select)
            if (of.field === 'values' && (part !== 'value' || column.name === name))
              errors.add([key, index, of.key, row], kind, { origin: of.origin });
      }
  }
}

function countOf(select: readonly Selected[], field: string): number {
  return select.filter((selected) => selected.field === field).length;
}

/** The values of a slot, behind the bracket of a list. */
class Column {
  readonly name: string;
  readonly #values: Bytes;
  readonly #isWrittenOnce: boolean;
  #rows = 0;

  constructor(name: string, memory: Memory, isWrittenOnce: boolean) {
    this.name = name;
    this.#isWrittenOnce = isWrittenOnce;
    this.#values = new Bytes(memory, 64);
  }

  begin(): void {
    this.#rows = 0;
    this.#values.rewind(0);
  }

  add(rows: Rows, slot: number): void {
    this.#fill(rows.first);
    if (slot < 0) return;
    const values = this.#values;
    const { bytes, view, count } = rows;
    values.makeRoom(rows.roomFor(slot) + count);
    const before = values.length;
    for (let row = 0; row < count; row += 1) {
      values.putByte(row + this.#rows === 0 ? OPEN_LIST : COMMA);
      values.put(bytes, view, rows.startOf(row, slot), rows.endOf(row, slot));
    }
    values.count(values.length - before);
    this.#rows += count;
  }

  /** Writes nulls for rows without the value. */
  #fill(rows: number): void {
    for (; this.#rows < rows; this.#rows += 1) {
      this.#values.byte(this.#rows === 0 ? OPEN_LIST : COMMA);
      this.#values.literal(NULL);
    }
  }

  write(out: Bytes, rowCount: number): void {
    this.#fill(rowCount);
    if (rowCount === 0) out.byte(OPEN_LIST);
    if (this.#isWrittenOnce) out.adopt(this.#values);
    else out.append(this.#values);
    out.byte(CLOSE_LIST);
  }
}
