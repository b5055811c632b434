import { ByMetric, checkCount, checkNames, DONE, MetricsWriter, writeUsual } from '../by-metric.ts';
import { Bytes, NULL } from '../bytes.ts';
import type { ErrorKind } from '../errors.ts';
import type { Field, FieldType, Making, Selected } from '../field.ts';
import { Loops } from '../loops.ts';
import type { Memory } from '../memory.ts';
import { ReducedColumn } from '../reduced-column.ts';
import { Reduction } from '../reduction.ts';
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

/** A value of a row that is null because of an error. */
interface Wrong {
  readonly part: RowError['part'];
  readonly kind: ErrorKind;
  /** Undefined for all metrics. */
  readonly name: string | undefined;
}

/** The bytes of a wrong value, about. */
const BYTES_PER_WRONG = 64;

class Columns implements Field {
  readonly #making: Making;
  /** With `points`. */
  readonly #reduction: Reduction | undefined;
  readonly #dates: Column | ReducedColumn | undefined;
  readonly #metrics: ByMetric<Column | ReducedColumn>;
  /** What writes each of the selected fields, after its prefix. Returns whether more is left. */
  readonly #writers: readonly ((out: Bytes) => boolean)[];
  readonly #wrong = new Map<number, Wrong[]>();
  /** The bytes of memory that they take. */
  #held = 0;
  readonly #reporting: Loops;
  /** The number of rows that are written. */
  #count = 0;
  /** The selected field that is written, and whether it was begun. */
  #next = 0;
  #isBegun = false;

  constructor(making: Making) {
    const { memory, selected } = making;
    const { points } = selected.args;
    this.#making = making;
    const reduction = typeof points === 'number' ? new Reduction(points, memory) : undefined;
    this.#reduction = reduction;
    const newColumn = (name: string, isWrittenOnce: boolean) =>
      reduction ? new ReducedColumn(name, reduction, memory) : new Column(name, memory, isWrittenOnce);
    const dates = countOf(selected.select, 'valueDates');
    this.#dates = dates > 0 ? newColumn('', dates === 1) : undefined;
    const ofMetrics = selected.select.filter(({ field }) => field === 'metrics').flatMap(({ select }) => select);
    const isWrittenOnce = countOf(ofMetrics, 'values') === 1;
    this.#metrics = new ByMetric(making, (name) => newColumn(name, isWrittenOnce));
    this.#reporting = new Loops([[() => (this.#wrong.size > 0 ? this.#count : 0), (place) => this.#report(place)]]);
    this.#writers = selected.select.map((each) => this.#writerOf(each));
  }

  begin(): void {
    this.#reduction?.begin();
    this.#dates?.begin();
    this.#metrics.begin();
    this.#reporting.begin();
    this.#making.memory.hold(-this.#held);
    this.#held = 0;
    this.#wrong.clear();
    this.#next = 0;
  }

  add(rows: Rows): void {
    this.#reduction?.add(rows);
    this.#dates?.add(rows, rows.template.date);
    for (const { of, slot } of this.#metrics.slots(rows.template)) of.add(rows, slot);
    for (const { part, metric, kind } of rows.errors) {
      const { metrics } = rows.template;
      const name = metrics?.[metric]?.name ?? undefined;
      // Of metrics with the same name the first one counts.
      const counts = part !== 'value' || rows.template.isFirst(metric);
      if (!counts) continue;
      this.#making.memory.holdForField(BYTES_PER_WRONG);
      this.#held += BYTES_PER_WRONG;
      const others = this.#wrong.get(rows.first);
      if (others === undefined) this.#wrong.set(rows.first, [{ part, kind, name }]);
      else others.push({ part, kind, name });
    }
  }

  write(out: Bytes, rowCount: number): boolean {
    const { select, end } = this.#making.selected;
    if (this.#reduction?.choose(this.#metrics.all as ReducedColumn[]) === true) return true;
    this.#count = this.#reduction?.count ?? rowCount;
    if (this.#reporting.run()) return true;
    for (; this.#next < select.length; this.#next += 1) {
      if (!this.#isBegun) out.literal((select[this.#next] as Selected).prefix);
      this.#isBegun = (this.#writers[this.#next] as (out: Bytes) => boolean)(out);
      if (this.#isBegun) return true;
    }
    this.#next = 0;
    out.literal(end);
    return false;
  }

  #writerOf(selected: Selected): (out: Bytes) => boolean {
    const { field, args } = selected;
    if (field === 'metrics') {
      const writer = new MetricsWriter<Column | ReducedColumn>(selected, (out, column, each, from) =>
        writeUsual(out, each, column.name) ? DONE : column.write(out, this.#count, from),
      );
      return (out) => writer.write(out, this.#metrics.all);
    }
    if (field === 'valueDates') {
      let from = 0;
      return (out) => {
        const next = this.#dates?.write(out, this.#count, from) ?? DONE;
        from = Math.max(0, next);
        return next !== DONE;
      };
    }
    return (out) => {
      out.text(field === 'constant' ? String(args.json) : String(this.#count));
      return false;
    };
  }

  /** Reports the wrong values of the row at a place among those that are written. */
  #report(place: number): void {
    const { errors, selected } = this.#making;
    const row = this.#reduction?.rowAt(place) ?? place;
    for (const { part, kind, name } of this.#wrong.get(row) ?? [])
      for (const { key, field, origin, select } of selected.select) {
        if (field === 'valueDates' && (part === 'valueDate' || part === 'row'))
          errors.add([key, place], kind, { origin });
        if (field !== 'metrics' || part === 'valueDate' || part === 'name') continue;
        for (const [index, column] of this.#metrics.all.entries())
          for (const of of select)
            if (of.field === 'values' && (part !== 'value' || column.name === name))
              errors.add([key, index, of.key, place], kind, { origin: of.origin });
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

  write(out: Bytes, rowCount: number): number {
    this.#fill(rowCount);
    if (rowCount === 0) out.byte(OPEN_LIST);
    if (this.#isWrittenOnce) out.adopt(this.#values);
    else out.append(this.#values);
    out.byte(CLOSE_LIST);
    return DONE;
  }
}
