import {
  ByMetric,
  checkCount,
  checkNames,
  DONE,
  MetricsWriter,
  ObjectWriter,
  usualLimit,
  writeUsual,
} from '../by-metric.ts';
import { Bytes, literal } from '../bytes.ts';
import type { ErrorKind } from '../errors.ts';
import type { Field, FieldType, Making, Selected } from '../field.ts';
import { Loops } from '../loops.ts';
import type { Memory } from '../memory.ts';
import { ReducedColumn } from '../reduced-column.ts';
import { Reduction } from '../reduction.ts';
import type { RowBatch } from '../row-batch.ts';
import type { RowError } from '../row-parser.ts';

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
  readonly row: number;
  readonly part: RowError['part'];
  readonly kind: ErrorKind;
  /** Undefined for all metrics. */
  readonly column: Column | ReducedColumn | undefined;
}

/** The bytes of a wrong value, about. */
const BYTES_PER_WRONG = 64;

class Columns implements Field {
  readonly #making: Making;
  /** With `points`. */
  readonly #reduction: Reduction | undefined;
  readonly #dates: Column | ReducedColumn | undefined;
  readonly #metrics: ByMetric<Column | ReducedColumn>;
  readonly #writer: ObjectWriter;
  /** Of each selected list of metrics. */
  readonly #metricsWriters: ReadonlyMap<Selected, MetricsWriter<Column | ReducedColumn>>;
  readonly #wrong: Wrong[] = [];
  /** The places of their rows among those that are written. -1 for a row that is not. */
  readonly #places = new Map<number, number>();
  /** The bytes of memory that they take. */
  #held = 0;
  readonly #reporting: Loops;
  /** The number of rows that are written. */
  #count = 0;

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
    const lists = selected.select.filter(({ field }) => field === 'metrics');
    const values = lists.flatMap(({ select }) => select);
    const isWrittenOnce = countOf(values, 'values') === 1;
    this.#metrics = new ByMetric(making, (name) => newColumn(name, isWrittenOnce), usualLimit('Columns'));
    this.#reporting = new Loops([
      [() => (this.#wrong.length > 0 ? this.#count : 0), (place) => this.#notePlace(place)],
      [() => this.#wrong.length, (index) => this.#report(this.#wrong[index] as Wrong)],
    ]);
    this.#writer = new ObjectWriter(selected);
    this.#metricsWriters = new Map(lists.map((list) => [list, this.#writerOf(list)]));
  }

  begin(): void {
    this.#reduction?.begin();
    this.#dates?.begin(0);
    this.#metrics.begin();
    this.#reporting.begin();
    this.#making.memory.hold(-this.#held);
    this.#held = 0;
    this.#wrong.length = 0;
    this.#places.clear();
  }

  add(rows: RowBatch): void {
    this.#reduction?.add(rows);
    this.#dates?.add(rows, rows.template.date);
    for (const { of, slot } of this.#metrics.slots(rows.template)) of.add(rows, slot);
    for (const { part, metric, kind } of rows.errors) {
      const { metrics } = rows.template;
      const column = part === 'value' ? this.#metrics.of(metrics?.[metric]?.name ?? '') : undefined;
      // Of metrics with the same name the first one counts.
      if (part === 'value' && (column === undefined || !rows.template.isFirst(metric))) continue;
      this.#making.memory.holdForField(BYTES_PER_WRONG);
      this.#held += BYTES_PER_WRONG;
      this.#wrong.push({ row: rows.first, part, kind, column });
      this.#places.set(rows.first, -1);
    }
  }

  write(out: Bytes, rowCount: number): boolean {
    if (this.#reduction?.choose(this.#metrics.all as ReducedColumn[]) === true) return true;
    this.#count = this.#reduction?.count ?? rowCount;
    if (this.#reporting.run()) return true;
    return this.#writer.write(out, (selected, from) => this.#writeField(out, selected, from));
  }

  #writeField(out: Bytes, selected: Selected, from: number): number {
    const { field, args } = selected;
    if (field === 'metrics') return this.#metricsWriters.get(selected)?.write(out, this.#metrics.all) ? 1 : DONE;
    if (field === 'valueDates') return this.#dates?.write(out, this.#count, from) ?? DONE;
    out.text(field === 'constant' ? String(args.json) : String(this.#count));
    return DONE;
  }

  #writerOf(list: Selected): MetricsWriter<Column | ReducedColumn> {
    return new MetricsWriter(list, (out, column, selected, from) =>
      writeUsual(out, selected, column.name) ? DONE : column.write(out, this.#count, from),
    );
  }

  #notePlace(place: number): void {
    const row = this.#reduction?.rowAt(place) ?? place;
    if (this.#places.has(row)) this.#places.set(row, place);
  }

  /** Reports a wrong value, if its row is written. */
  #report({ row, part, kind, column }: Wrong): void {
    const { errors, selected } = this.#making;
    const place = this.#places.get(row) ?? -1;
    if (place < 0) return;
    for (const { key, field, origin, select } of selected.select) {
      if (field === 'valueDates' && (part === 'valueDate' || part === 'row'))
        errors.add([key, place], kind, { origin });
      if (field !== 'metrics' || part === 'valueDate' || part === 'name') continue;
      const columns = column === undefined ? this.#metrics.all : [column];
      for (const of of select) {
        if (of.field !== 'values') continue;
        // All that are not kept are counted at once.
        const added = errors.isFull ? 0 : columns.length;
        for (const { index } of columns.slice(0, added))
          errors.add([key, index, of.key, place], kind, { origin: of.origin });
        errors.omitted += columns.length - added;
      }
    }
  }
}

function countOf(select: readonly Selected[], field: string): number {
  return select.filter((selected) => selected.field === field).length;
}

/** So many rows get a null at once. */
const NULLS = 1024;
const BYTES_PER_NULL = ',null'.length;
const nulls = literal(',null'.repeat(NULLS));

/** The values of a slot, behind the bracket of a list. */
class Column {
  readonly name: string;
  index = 0;
  readonly #values: Bytes;
  readonly #isWrittenOnce: boolean;
  #rows = 0;

  constructor(name: string, memory: Memory, isWrittenOnce: boolean) {
    this.name = name;
    this.#isWrittenOnce = isWrittenOnce;
    this.#values = new Bytes(memory, 64);
  }

  begin(index: number): void {
    this.index = index;
    this.#rows = 0;
    this.#values.rewind(0);
  }

  release(): void {
    this.#values.release();
  }

  add(rows: RowBatch, slot: number): void {
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
    if (this.#rows >= rows) return;
    const { bytes, view } = nulls;
    const isFirst = this.#rows === 0;
    for (let left = rows - this.#rows; left > 0; left -= NULLS)
      this.#values.copy(bytes, view, 0, Math.min(left, NULLS) * BYTES_PER_NULL);
    if (isFirst) this.#values.replaceFirst(OPEN_LIST);
    this.#rows = rows;
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
