import { BYTES_AT_ONCE, ByMetric, checkNames, DONE, MetricsWriter, writeNumber, writeUsual } from '../by-metric.ts';
import { type Bytes, NULL } from '../bytes.ts';
import { FieldError } from '../errors.ts';
import type { Field, FieldType, Making, Origin, Selected } from '../field.ts';
import { Figures } from '../figures.ts';
import { type Point, RowPoints } from '../points.ts';
import { KeptValues } from '../quantiles.ts';
import type { Rows } from '../rows.ts';
import {
  type Cell,
  countColumn,
  dateColumn,
  doubleCell,
  doubleColumn,
  quantileColumns,
  type TableColumn,
  type TakeRow,
  textColumn,
} from '../table.ts';

/**
 * `statistics(metrics: [String!]) { name count nullCount sum mean standardDeviation first last minimum maximum quantiles(of: [Float!]!) }`;
 * the four behind the deviation have `{ value valueDate assetId }`.
 */
export const statistics: FieldType = {
  check: checkNames,
  columns: (select) => select.flatMap(columnsOf),
  make: (making) => new Statistics(making),
};

/** A figure that is a number: its column, and what reads it. */
interface NumberFigure {
  readonly column: TableColumn;
  read(of: Figures, rowCount: number): number | null;
}

const numberOf = (field: string, column = field): NumberFigure => ({
  column: doubleColumn(column),
  read: (of) => of.number(field),
});

const numberFigures: Readonly<Record<string, NumberFigure>> = {
  count: { column: countColumn('count'), read: (of) => of.count },
  nullCount: { column: countColumn('null_count'), read: (of, rowCount) => rowCount - of.count },
  sum: numberOf('sum'),
  mean: numberOf('mean'),
  standardDeviation: numberOf('standardDeviation', 'standard_deviation'),
};

/** The columns of a figure; a point has those of its fields. */
function columnsOf({ field, args, select }: Selected): readonly TableColumn[] {
  if (field === 'name') return [textColumn('metric')];
  if (field === 'quantiles') return quantileColumns(args.of);
  const known = numberFigures[field];
  if (known !== undefined) return [known.column];
  return select.map((part) => (part.field === 'value' ? doubleColumn(field) : dateColumn(`${field}_date`, true)));
}

/** All rows are of group 0, which is at position 0. */
const ONE_GROUP = Int32Array.of(0);

class Statistics implements Field {
  readonly #making: Making;
  readonly #metrics: ByMetric<Figures>;
  readonly #points: RowPoints;
  /** Undefined if nobody needs them. */
  readonly #kept: KeptValues<Figures> | undefined;
  readonly #writer: MetricsWriter<Figures>;
  #rowCount = 0;
  /** The metric whose row comes next, and whether its values are being sorted. */
  #tableMetric = 0;
  #isSorting = false;

  constructor(making: Making) {
    const { selected, memory } = making;
    const { select } = selected;
    this.#making = making;
    const needed = new Set(select.map(({ field }) => field));
    this.#metrics = new ByMetric(making, (name) => new Figures(name, needed));
    this.#points = new RowPoints(making);
    const hasQuantiles = select.some(({ field, invalid }) => field === 'quantiles' && invalid === undefined);
    this.#kept = hasQuantiles ? new KeptValues(memory) : undefined;
    this.#writer = new MetricsWriter(selected, (...all) => this.#writeFigure(...all));
  }

  begin(origin: Origin): void {
    if (!this.#making.isOfAll) this.#kept?.clear();
    this.#metrics.begin();
    this.#points.begin(origin);
  }

  add(rows: Rows): void {
    if (!this.#metrics.check(rows)) return;
    this.#points.add(rows);
    for (const { of, slot } of this.#metrics.slots(rows.template)) {
      if (slot < 0) continue;
      const values = rows.values(slot);
      if (of.add(values, this.#points)) this.#kept?.add(of, values, undefined, 0, rows.count);
    }
  }

  write(out: Bytes, rowCount: number): boolean {
    this.#metrics.end();
    this.#rowCount = rowCount;
    return this.#writer.write(out, this.#metrics.all);
  }

  writeTable(take: TakeRow, rowCount: number): boolean {
    this.#metrics.end();
    this.#rowCount = rowCount;
    const { all } = this.#metrics;
    for (let bytes = 0; this.#tableMetric < all.length; this.#tableMetric += 1) {
      const of = all[this.#tableMetric] as Figures;
      if (bytes > BYTES_AT_ONCE || this.#sort(of)) return true;
      bytes += take(this.#making.selected.select.flatMap((selected) => this.#cellsOf(of, selected)));
    }
    this.#tableMetric = 0;
    return false;
  }

  /** Sorts the next values. Returns whether more are left. */
  #sort(of: Figures): boolean {
    const kept = this.#kept;
    if (kept === undefined) return false;
    if (!this.#isSorting) kept.begin(of, ONE_GROUP, Int32Array.of(of.count));
    this.#isSorting = kept.work();
    return this.#isSorting;
  }

  #cellsOf(of: Figures, { field, args, select }: Selected): readonly Cell[] {
    if (field === 'name') return [of.name];
    if (field === 'quantiles') {
      const quantiles = this.#kept?.quantiles;
      if (quantiles instanceof FieldError) throw quantiles;
      return (args.of as readonly number[]).map((quantile) => doubleCell(quantiles?.of(0, quantile) ?? null));
    }
    const known = numberFigures[field];
    if (known !== undefined) {
      const value = known.read(of, this.#rowCount);
      return [known.column.type === 'int64' ? BigInt(value as number) : doubleCell(value)];
    }
    const found = of.pointOf(field);
    if (found?.unreadable !== undefined) throw new FieldError('unreadableDate', found.unreadable.row);
    const point = found?.point;
    return select.map((part) =>
      part.field === 'value' ? doubleCell(point?.value ?? null) : JSON.parse(point?.valueDate ?? 'null'),
    );
  }

  #writeFigure(out: Bytes, of: Figures, selected: Selected, from: number, metric: number): number {
    const { field } = selected;
    if (writeUsual(out, selected, of.name)) return DONE;
    if (field === 'quantiles') return this.#writeQuantiles(out, of, selected, from, metric);
    const known = numberFigures[field];
    const found = of.pointOf(field);
    if (known !== undefined || found === undefined) writeNumber(out, known?.read(of, this.#rowCount) ?? null);
    else if (found.unreadable === undefined) writePoint(out, found.point, selected);
    else {
      const { row, entry } = found.unreadable;
      this.#fail(out, new FieldError('unreadableDate', row), selected, metric, entry);
    }
    return DONE;
  }

  /** @param from 0 for a metric whose values are not sorted yet */
  #writeQuantiles(out: Bytes, of: Figures, selected: Selected, from: number, metric: number): number {
    const { invalid, args } = selected;
    const kept = this.#kept;
    if (invalid === undefined && kept !== undefined) {
      if (from === 0) kept.begin(of, ONE_GROUP, Int32Array.of(of.count));
      if (kept.work()) return 1;
    }
    const quantiles = invalid ?? (kept as KeptValues<Figures>).quantiles;
    if (quantiles instanceof FieldError) this.#fail(out, quantiles, selected, metric);
    else out.text(JSON.stringify((args.of as readonly number[]).map((quantile) => quantiles.of(0, quantile))));
    return DONE;
  }

  #fail(out: Bytes, error: FieldError, { key, origin }: Selected, metric: number, entry?: number): void {
    const { errors, isOfAll } = this.#making;
    out.literal(NULL);
    errors.addFailure([metric, key], error, { entry: isOfAll ? entry : undefined, origin });
  }
}

function writePoint(out: Bytes, point: Point | undefined, { select, end }: Selected): void {
  if (point === undefined) {
    out.literal(NULL);
    return;
  }
  for (const { field, args, prefix } of select) {
    out.literal(prefix);
    if (field === 'constant') out.text(String(args.json));
    else if (field === 'value') writeNumber(out, point.value);
    else out.text(field === 'valueDate' ? point.valueDate : JSON.stringify(point.origin.assetId));
  }
  out.literal(end);
}
