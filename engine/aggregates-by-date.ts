import {
  BYTES_AT_ONCE,
  ByMetric,
  DONE,
  type MetricLimit,
  MetricsWriter,
  ObjectWriter,
  writeUsual,
} from './by-metric.ts';
import { type Bytes, NULL } from './bytes.ts';
import { FieldError } from './errors.ts';
import type { Field, Making, Selected } from './field.ts';
import { GroupFigures } from './group-figures.ts';
import { writeNumbers, writeTexts } from './lists.ts';
import { CollectedValues, quantileCells } from './quantiles.ts';
import { MAX_ROWS, type RowBatch } from './row-batch.ts';
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
} from './table.ts';

/** The most entries of the lists of all metrics together. */
export const MAX_ENTRIES = 100_000;
/** The work of adding a value, if there are deviations. */
const UNITS_PER_DEVIATION = 6;

/** The columns of the lists. */
const columns: Readonly<Record<string, TableColumn>> = {
  dates: dateColumn('date', false),
  name: textColumn('metric'),
  counts: countColumn('count'),
  sums: doubleColumn('sum'),
  means: doubleColumn('mean'),
  standardDeviations: doubleColumn('standard_deviation'),
  minimums: doubleColumn('minimum'),
  maximums: doubleColumn('maximum'),
};

/** The columns of a table with a row for each metric and date. */
export function columnsByDate(select: readonly Selected[]): readonly TableColumn[] {
  return select.flatMap((selected) => {
    if (selected.field === 'metrics') return columnsByDate(selected.select);
    return selected.field === 'quantiles'
      ? quantileColumns(selected.args.of)
      : (columns[selected.field] as TableColumn);
  });
}

/** Puts rows into groups, which are counted from 0 in the order of their first row. */
export interface Groups {
  /** The number of groups so far, and of entries of the lists: also of periods without rows. */
  readonly size: number;
  readonly count: number;
  /** How many metrics there may be. */
  readonly limit: MetricLimit;
  /** The rows of an entry begin. */
  begin(): void;
  /**
   * Finds the groups of rows. Returns why it cannot.
   *
   * @param into is given the group of each row; -1 for a row that belongs to none
   * @param most how many entries lists may have because of their metrics
   */
  assign(rows: RowBatch, into: Int32Array, most: number): FieldError | undefined;
  /** Computes the next part of the group of each entry: -1 for one without rows. Undefined if more is left. */
  order(): Int32Array | undefined;
  /** The date of an entry. */
  dateAt(index: number, group: number): string;
}

/** A metric has a number among those of the field. */
const metricOf = (name: string) => ({
  name,
  index: 0,
  begin(index: number) {
    this.index = index;
  },
});
type Metric = ReturnType<typeof metricOf>;

/**
 * `{ dates metrics { name counts sums means minimums maximums standardDeviations quantiles(of: [Float!]!) } }`: each list has an entry for
 * each date. Lists that nobody selects are not computed.
 */
export class AggregatesByDate implements Field {
  readonly #making: Making;
  readonly #groups: Groups;
  readonly #metrics: ByMetric<Metric>;
  /** Undefined if nobody needs them. */
  readonly #figures: GroupFigures | undefined;
  readonly #collected: CollectedValues<Metric> | undefined;
  readonly #unitsPerValue: number;
  readonly #rowGroups = new Int32Array(MAX_ROWS);
  readonly #writer: ObjectWriter;
  readonly #writersOfMetrics: ReadonlyMap<Selected, MetricsWriter<Metric>>;
  /** The group of each entry, once all rows are taken. */
  #order: Int32Array | undefined;
  /** The metric and the entry whose row of the table comes next. */
  #tableMetric = 0;
  #tableEntry = 0;

  constructor(making: Making, groups: Groups) {
    const { selected, memory } = making;
    this.#making = making;
    this.#groups = groups;
    this.#metrics = new ByMetric(making, metricOf, groups.limit);
    const lists = selected.select.flatMap(({ select }) => select.filter(({ invalid }) => invalid === undefined));
    const has = (name: string) => lists.some(({ field }) => field === name);
    const hasDeviations = has('standardDeviations');
    const needsFigures = lists.some(({ field }) => field !== 'name' && field !== 'constant');
    this.#figures = needsFigures ? new GroupFigures(memory, hasDeviations) : undefined;
    this.#collected = has('quantiles') ? new CollectedValues(memory) : undefined;
    this.#unitsPerValue = hasDeviations ? UNITS_PER_DEVIATION : 1;
    this.#writer = new ObjectWriter(selected);
    const writerOf = (metrics: Selected): [Selected, MetricsWriter<Metric>] => [
      metrics,
      new MetricsWriter(metrics, (out, of, each, from) => this.#writeOfMetric(metrics.key, out, of, each, from)),
    ];
    this.#writersOfMetrics = new Map(selected.select.map(writerOf));
  }

  begin(): void {
    this.#metrics.begin();
    this.#groups.begin();
    if (this.#making.isOfAll) return;
    this.#figures?.clear();
    this.#collected?.clear();
    this.#order = undefined;
  }

  add(rows: RowBatch): void {
    const metrics = this.#metrics;
    if (!metrics.check(rows)) return;
    const slots = metrics.slots(rows.template);
    const { length } = metrics.all;
    const rowGroups = this.#rowGroups;
    const error = this.#groups.assign(rows, rowGroups, Math.floor(MAX_ENTRIES / length));
    if (error !== undefined) {
      metrics.fail(error);
      return;
    }
    const figures = this.#figures;
    if (figures === undefined) return;
    const { count } = rows;
    figures.fit(length, this.#groups.size);
    this.#making.memory.count(slots.length * count * this.#unitsPerValue);
    for (const { of, slot } of slots) {
      if (slot < 0) continue;
      const values = rows.values(slot);
      figures.add(of.index, values, rowGroups, count);
      this.#collected?.add(of, values, rowGroups, 0, count);
    }
  }

  write(out: Bytes): boolean {
    if (this.#order === undefined) {
      this.#metrics.end();
      this.#order = this.#groups.order();
      if (this.#order === undefined) return true;
    }
    const order = this.#order;
    return this.#writer.write(out, (selected, from) => {
      if (selected.field === 'constant') writeUsual(out, selected, '');
      else if (selected.field === 'dates')
        return writeTexts(out, order.length, from, (index) => this.#groups.dateAt(index, order[index] as number));
      else if (this.#writersOfMetrics.get(selected)?.write(out, this.#metrics.all) === true) return from + 1;
      return DONE;
    });
  }

  writeTable(take: TakeRow): boolean {
    if (this.#order === undefined) {
      this.#metrics.end();
      this.#order = this.#groups.order();
      if (this.#order === undefined) return true;
    }
    const { all } = this.#metrics;
    const { select } = this.#making.selected;
    for (let bytes = 0; this.#tableMetric < all.length; this.#tableMetric += 1) {
      const metric = all[this.#tableMetric] as Metric;
      if (this.#sort(metric)) return true;
      for (; this.#tableEntry < this.#order.length; this.#tableEntry += 1) {
        if (bytes > BYTES_AT_ONCE) return true;
        const row: Cell[] = [];
        this.#addCells(row, select, metric, this.#tableEntry);
        bytes += take(row);
      }
      this.#tableEntry = 0;
    }
    this.#tableMetric = 0;
    return false;
  }

  /** Sorts the next values of a metric. Returns whether more are left. */
  #sort(metric: Metric): boolean {
    return this.#collected?.sort(metric, () => this.#groupsOf(metric)) ?? false;
  }

  #addCells(row: Cell[], select: readonly Selected[], metric: Metric, entry: number): void {
    const group = this.#order?.[entry] as number;
    for (const selected of select) {
      const { field, args } = selected;
      if (field === 'metrics') this.#addCells(row, selected.select, metric, entry);
      else if (field === 'dates') row.push(this.#groups.dateAt(entry, group));
      else if (field === 'name') row.push(metric.name);
      else if (field === 'quantiles') row.push(...quantileCells(this.#collected, entry, args.of));
      else {
        const figure = (this.#figures as GroupFigures).figureOf(field, metric.index, group);
        row.push(field === 'counts' ? BigInt(figure) : doubleCell(figure));
      }
    }
  }

  #writeOfMetric(key: string, out: Bytes, metric: Metric, selected: Selected, from: number): number {
    if (writeUsual(out, selected, metric.name)) return DONE;
    if (selected.field === 'quantiles') return this.#writeQuantiles(key, out, metric, selected, from);
    const figures = this.#figures as GroupFigures;
    const order = this.#order as Int32Array;
    return writeNumbers(out, order.length, from, (entry) =>
      figures.figureOf(selected.field, metric.index, order[entry] as number),
    );
  }

  /** @param from at most 1 before the values are sorted. From then on entries are counted, and the end of each list */
  #writeQuantiles(key: string, out: Bytes, metric: Metric, selected: Selected, from: number): number {
    const { invalid, args, origin } = selected;
    if (invalid === undefined && this.#sort(metric)) return 1;
    const quantiles = invalid ?? (this.#collected as CollectedValues<Metric>).quantiles;
    if (quantiles instanceof FieldError) {
      out.literal(NULL);
      this.#making.errors.addFailure([key, metric.index, selected.key], quantiles, { origin });
      return DONE;
    }
    const of = args.of as readonly number[];
    const { length } = this.#order as Int32Array;
    const at = Math.max(from - 1, 0);
    let entry = at % (length + 1);
    const end = out.position + BYTES_AT_ONCE;
    if (at === 0) out.text('[');
    for (let list = Math.floor(at / (length + 1)); list < of.length; list += 1) {
      if (out.position > end) return 1 + list * (length + 1);
      if (entry === 0 && list > 0) out.text(',');
      const quantile = of[list] as number;
      const next = writeNumbers(out, length, entry, (index) => quantiles.of(index, quantile) ?? Number.NaN);
      if (next !== DONE) return 1 + list * (length + 1) + next;
      entry = 0;
    }
    out.text(']');
    return DONE;
  }

  /** The position of each group, and the number of values at each position. */
  #groupsOf(metric: Metric): readonly [Int32Array, Int32Array] {
    const order = this.#order as Int32Array;
    const figures = this.#figures as GroupFigures;
    const positions = new Int32Array(this.#groups.size);
    for (const [position, group] of order.entries()) if (group >= 0) positions[group] = position;
    return [positions, order.map((group) => figures.countOf(metric.index, group))];
  }
}
