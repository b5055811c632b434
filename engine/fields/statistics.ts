import {
  BYTES_AT_ONCE,
  ByMetric,
  checkNames,
  DONE,
  MetricsWriter,
  usualLimit,
  writeNumber,
  writeUsual,
} from '../by-metric.ts';
import { type Bytes, NULL } from '../bytes.ts';
import { FieldError } from '../errors.ts';
import type { Field, FieldType, Making, Origin, Selected } from '../field.ts';
import { GroupFigures } from '../group-figures.ts';
import { MetricPoints } from '../metric-points.ts';
import { type Point, RowPoints } from '../points.ts';
import { CollectedValues, quantileCells } from '../quantiles.ts';
import { MAX_ROWS, type RowBatch } from '../row-batch.ts';
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

/** The columns of figures that are numbers. */
const numberColumns: Readonly<Record<string, TableColumn>> = {
  count: countColumn('count'),
  nullCount: countColumn('null_count'),
  sum: doubleColumn('sum'),
  mean: doubleColumn('mean'),
  standardDeviation: doubleColumn('standard_deviation'),
};

/** The columns of a figure; a point has those of its fields. */
function columnsOf({ field, args, select }: Selected): readonly TableColumn[] {
  if (field === 'name') return [textColumn('metric')];
  if (field === 'quantiles') return quantileColumns(args.of);
  const known = numberColumns[field];
  if (known !== undefined) return [known];
  return select.map((part) => (part.field === 'value' ? doubleColumn(field) : dateColumn(`${field}_date`, true)));
}

/** All rows are of group 0, which is at position 0. */
const oneGroup = new Int32Array(MAX_ROWS);

class Statistics implements Field {
  readonly #making: Making;
  readonly #metrics: ByMetric<MetricPoints>;
  readonly #points: RowPoints;
  readonly #figures: GroupFigures;
  /** Undefined if nobody needs them. */
  readonly #collected: CollectedValues<MetricPoints> | undefined;
  readonly #writer: MetricsWriter<MetricPoints>;
  #rowCount = 0;
  /** The metric whose row comes next. */
  #tableMetric = 0;

  constructor(making: Making) {
    const { selected, memory } = making;
    const { select } = selected;
    this.#making = making;
    const needed = new Set(select.map(({ field }) => field));
    this.#metrics = new ByMetric(making, (name) => new MetricPoints(name, needed), usualLimit('Statistics'));
    this.#points = new RowPoints(making);
    this.#figures = new GroupFigures(memory, needed.has('standardDeviation'));
    const hasQuantiles = select.some(({ field, invalid }) => field === 'quantiles' && invalid === undefined);
    this.#collected = hasQuantiles ? new CollectedValues(memory) : undefined;
    this.#writer = new MetricsWriter(selected, (out, of, each, _, metric) => this.#writeFigure(out, of, each, metric));
  }

  begin(origin: Origin): void {
    if (!this.#making.isOfAll) {
      this.#collected?.clear();
      this.#figures.clear();
    }
    this.#metrics.begin();
    this.#points.begin(origin);
  }

  add(rows: RowBatch): void {
    if (!this.#metrics.check(rows)) return;
    this.#points.add(rows);
    const slots = this.#metrics.slots(rows.template);
    const { count } = rows;
    const figures = this.#figures;
    this.#making.memory.count(slots.length * count);
    figures.fit(this.#metrics.all.length, 1);
    for (const { of, slot } of slots) {
      if (slot < 0) continue;
      const values = rows.values(slot);
      if (!figures.add(of.index, values, oneGroup, count)) continue;
      of.add(values, this.#points);
      this.#collected?.add(of, values, undefined, 0, count);
    }
  }

  write(out: Bytes, rowCount: number): boolean {
    this.#end(rowCount);
    return this.#writer.write(out, this.#metrics.all);
  }

  writeTable(take: TakeRow, rowCount: number): boolean {
    this.#end(rowCount);
    const { all } = this.#metrics;
    for (let bytes = 0; this.#tableMetric < all.length; this.#tableMetric += 1) {
      const of = all[this.#tableMetric] as MetricPoints;
      if (bytes > BYTES_AT_ONCE || this.#sort(of)) return true;
      bytes += take(this.#making.selected.select.flatMap((selected) => this.#cellsOf(of, selected)));
    }
    this.#tableMetric = 0;
    return false;
  }

  #end(rowCount: number): void {
    this.#metrics.end();
    // There may be no rows.
    this.#figures.fit(this.#metrics.all.length, 1);
    this.#rowCount = rowCount;
  }

  /** Sorts the next values of a metric. Returns whether more are left. */
  #sort(of: MetricPoints): boolean {
    return this.#collected?.sort(of, () => [oneGroup, Int32Array.of(this.#numberOf(of, 'count'))]) ?? false;
  }

  /** A figure that is a number. NaN if it has none; infinite or NaN beyond the range of doubles. */
  #numberOf({ index }: MetricPoints, figure: string): number {
    const count = this.#figures.countOf(index, 0);
    if (figure === 'count') return count;
    return figure === 'nullCount' ? this.#rowCount - count : this.#figures.figureOf(`${figure}s`, index, 0);
  }

  #cellsOf(of: MetricPoints, { field, args, select }: Selected): readonly Cell[] {
    if (field === 'name') return [of.name];
    if (field === 'quantiles') return quantileCells(this.#collected, 0, args.of);
    const known = numberColumns[field];
    if (known !== undefined) {
      const value = this.#numberOf(of, field);
      return [known.type === 'int64' ? BigInt(value) : doubleCell(value)];
    }
    const found = of.pointOf(field);
    if (found?.unreadable !== undefined) throw new FieldError('unreadableDate', found.unreadable.row);
    const point = found?.point;
    return select.map((part) =>
      part.field === 'value' ? doubleCell(point?.value ?? null) : JSON.parse(point?.valueDate ?? 'null'),
    );
  }

  #writeFigure(out: Bytes, of: MetricPoints, selected: Selected, metric: number): number {
    const { field } = selected;
    if (writeUsual(out, selected, of.name)) return DONE;
    if (field === 'quantiles') return this.#writeQuantiles(out, of, selected, metric);
    const found = of.pointOf(field);
    if (found === undefined) writeNumber(out, this.#numberOf(of, field));
    else if (found.unreadable === undefined) writePoint(out, found.point, selected);
    else {
      const { row, entry } = found.unreadable;
      this.#fail(out, new FieldError('unreadableDate', row), selected, metric, entry);
    }
    return DONE;
  }

  #writeQuantiles(out: Bytes, of: MetricPoints, selected: Selected, metric: number): number {
    const { invalid, args } = selected;
    if (invalid === undefined && this.#sort(of)) return 1;
    const quantiles = invalid ?? (this.#collected as CollectedValues<MetricPoints>).quantiles;
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
