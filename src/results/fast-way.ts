import type { RowsSlice } from './answer-index.ts';
import { ByteWriter } from './byte-writer.ts';
import { Decline } from './decline.ts';
import type { Pacer } from './pacer.ts';
import type {
  ColumnsStep,
  ConnectionStep,
  EdgeStep,
  MetricStep,
  ObjectPlan,
  Page,
  RowStep,
  SeriesEntry,
  SeriesStep,
} from './plan.ts';
import { ABSENT, EXOTIC, type RowReader, rowReader as row, WRONG } from './rows.ts';
import { Scanner } from './scanner.ts';

/** What a row counts at least when it is decided whether to pause: copying it takes time too. */
const ROW_BYTES = 64;

/** What an entry counts besides its rows. */
const ENTRY_BYTES = 1024;

const json = (text: string) => Buffer.from(text);
const NULL = json('null');
const EMPTY_OBJECT = json('{}');
const COMMA = json(',');
const OPEN_LIST = json('[');
const CLOSE_LIST = json(']');
const CLOSE_OBJECT = json('}');

/**
 * Writes the GraphQL answer of results straight from the bytes of the REST answer, in one pass over each asset's rows
 * and without an object for any value.
 *
 * Everything here throws Decline where the plain way would do anything but copy, rename and leave out.
 */
export class FastWay {
  readonly #out = new ByteWriter();
  readonly #pacer: Pacer;
  readonly #grid = new Grid();

  constructor(pacer: Pacer) {
    this.#pacer = pacer;
  }

  /** A page of series, as pieces of JSON. */
  async connection(
    page: Page,
    plan: ObjectPlan<ConnectionStep>,
    cursorAt: (index: number) => string,
  ): Promise<Buffer[]> {
    await this.#object(plan, (step) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'page':
          return this.#out.text(step.json(page));
        case 'nodes':
          return this.#list(page, (entry) => this.#series(entry, step.node));
        case 'edges':
          return this.#list(page, (entry, index) => this.#edge(entry, step.edge, () => cursorAt(index)));
      }
    });
    return this.#out.finish();
  }

  /** One series, as pieces of JSON. */
  async series(entry: SeriesEntry, plan: ObjectPlan<SeriesStep>): Promise<Buffer[]> {
    await this.#series(entry, plan);
    return this.#out.finish();
  }

  async #object<Step>(plan: ObjectPlan<Step>, write: (step: Step) => void | Promise<void>): Promise<void> {
    for (const { prefix, step } of plan.fields) {
      this.#out.copy(prefix);
      const writing = write(step);
      if (writing !== undefined) await writing;
    }
    this.#out.copy(plan.fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  async #list(page: Page, write: (entry: SeriesEntry, index: number) => Promise<void>): Promise<void> {
    const { datasetId, entries, latest, start, end } = page;
    this.#out.copy(OPEN_LIST);
    for (let index = start; index < end; index += 1) {
      const entry = entries[index];
      if (entry === undefined) throw Decline.selection;
      if (index > start) this.#out.copy(COMMA);
      await write({ datasetId, entry, latest: latest.get(entry.assetId) ?? entry }, index);
      if (this.#pacer.worked(ENTRY_BYTES)) await this.#pacer.pause();
    }
    this.#out.copy(CLOSE_LIST);
  }

  #edge(entry: SeriesEntry, plan: ObjectPlan<EdgeStep>, cursor: () => string): Promise<void> {
    return this.#object(plan, (step) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'cursor':
          return this.#out.text(JSON.stringify(cursor()));
        case 'node':
          return this.#series(entry, step.node);
      }
    });
  }

  #series(entry: SeriesEntry, plan: ObjectPlan<SeriesStep>): Promise<void> {
    return this.#object(plan, (step) => {
      if (step.kind === 'constant') return this.#out.copy(step.json);
      if (step.kind === 'entry') {
        const text = step.json(entry);
        if (text === undefined) throw Decline.wrongType;
        return this.#out.text(text);
      }
      const rows = rowsOf(entry);
      if (rows === null) return this.#out.copy(NULL);
      switch (step.kind) {
        case 'resultCount':
          return this.#out.text(String(rows.rowCount));
        case 'metricNames':
          return this.#metricNames(rows);
        case 'results':
          return this.#results(rows, step);
        case 'columns':
          return this.#columns(rows, step);
      }
    });
  }

  async #results(rows: RowsSlice, { first, offset, row: plan }: SeriesStep & { kind: 'results' }): Promise<void> {
    const out = this.#out;
    const { bytes, places, firstRow, rowCount } = rows;
    const whole = plan.fields.every(
      ({ step }) => step.kind !== 'value' && (step.kind !== 'metrics' || isVerbatim(step)),
    );
    out.copy(OPEN_LIST);
    await this.#eachRow(rows, offset, Math.min(rowCount, offset + first), (scanner, index) => {
      if (index > offset) out.copy(COMMA);
      if (!whole || !row.recall(places, firstRow + index)) row.read(scanner);
      this.#writeRow(bytes, row, plan);
    });
    out.copy(CLOSE_LIST);
  }

  /** Visits the rows from `start` up to, but without, `end`, each with a scanner at its beginning. */
  async #eachRow(
    { bytes, places, firstRow }: RowsSlice,
    start: number,
    end: number,
    visit: (scanner: Scanner, index: number) => void,
  ): Promise<void> {
    const pacer = this.#pacer;
    const scanner = new Scanner(bytes);
    for (let index = start; index < end; index += 1) {
      const at = places.startOf(firstRow + index);
      scanner.at = at;
      visit(scanner, index);
      if (pacer.worked(Math.max(scanner.at - at, ROW_BYTES))) await pacer.pause();
    }
  }

  #writeRow(bytes: Buffer, row: RowReader, { fields }: ObjectPlan<RowStep>): void {
    const out = this.#out;
    for (let index = 0; index < fields.length; index += 1) {
      const { prefix, step } = fields[index] as (typeof fields)[number];
      out.copy(prefix);
      if (step.kind === 'valueDate') this.#value(bytes, row.dateStart, row.dateEnd);
      else if (step.kind === 'metrics') this.#writeMetrics(bytes, row, step);
      else if (step.kind === 'value') this.#writeMetricValue(bytes, row, step.metric);
      else out.copy(step.json);
    }
    out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  #writeMetrics(bytes: Buffer, row: RowReader, step: MetricsStep): void {
    const { names, metric } = step;
    const out = this.#out;
    if (!hasMetrics(row)) {
      out.copy(NULL);
      return;
    }
    if (names !== undefined && row.escapedMetricName) throw Decline.escapedMetricName;
    const { metricCount, metrics } = row;
    const { fields } = metric;
    if (isVerbatim(step) && row.listStart >= 0) {
      out.copy(bytes, row.listStart, row.listEnd);
      return;
    }
    out.copy(OPEN_LIST);
    let written = 0;
    for (let place = 0; place < metricCount * 4; place += 4) {
      if (names !== undefined && !names.some((name) => isNamed(bytes, metrics, place, name))) continue;
      if (written > 0) out.copy(COMMA);
      written += 1;
      for (let index = 0; index < fields.length; index += 1) {
        const { prefix, step } = fields[index] as (typeof fields)[number];
        out.copy(prefix);
        if (step.kind === 'constant') out.copy(step.json);
        else {
          const from = step.kind === 'name' ? place : place + 2;
          this.#value(bytes, metrics[from] as number, metrics[from + 1] as number);
        }
      }
      out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
    }
    out.copy(CLOSE_LIST);
  }

  #writeMetricValue(bytes: Buffer, row: RowReader, name: Buffer): void {
    if (!hasMetrics(row)) {
      this.#out.copy(NULL);
      return;
    }
    if (row.escapedMetricName) throw Decline.escapedMetricName;
    const { metricCount, metrics } = row;
    for (let place = 0; place < metricCount * 4; place += 4) {
      if (!isNamed(bytes, metrics, place, name)) continue;
      this.#value(bytes, metrics[place + 2] as number, metrics[place + 3] as number);
      return;
    }
    this.#out.copy(NULL);
  }

  /** A value as it stands in the bytes. */
  #value(bytes: Buffer, start: number, end: number): void {
    if (start >= 0) this.#out.copy(bytes, start, end);
    else if (start === ABSENT) this.#out.copy(NULL);
    else throw start === EXOTIC ? Decline.exoticNumber : Decline.wrongType;
  }

  async #metricNames(rows: RowsSlice): Promise<void> {
    const names = new Names(rows.bytes);
    await this.#eachRow(rows, 0, rows.rowCount, (scanner) => {
      row.read(scanner);
      if (row.metricCount === WRONG) return;
      if (row.escapedMetricName) throw Decline.escapedMetricName;
      for (let metric = 0; metric < row.metricCount; metric += 1) names.at(row, metric, true);
    });
    this.#join(names.known, (name) => this.#out.copy(name));
  }

  async #columns(rows: RowsSlice, { metrics, columns }: SeriesStep & { kind: 'columns' }): Promise<void> {
    const { bytes, places, firstRow, rowCount } = rows;
    const names = new Names(bytes, metrics);
    const grid = this.#grid;
    grid.start(rowCount, names.known.length);
    await this.#eachRow(rows, 0, rowCount, (scanner, index) => {
      if (!row.readList(places, firstRow + index, scanner)) row.read(scanner);
      if (row.metricCount === WRONG) throw Decline.wrongType;
      if (row.escapedMetricName) throw Decline.escapedMetricName;
      for (let metric = 0; metric < row.metricCount; metric += 1) {
        const name = names.at(row, metric, metrics === undefined);
        if (name < 0) continue;
        if (name === grid.columns) grid.addColumn();
        grid.set(name, index, row.metrics[metric * 4 + 2] as number, row.metrics[metric * 4 + 3] as number);
      }
    });
    await this.#object<ColumnsStep>(columns, (step) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'rowCount':
          return this.#out.text(String(rowCount));
        case 'valueDates':
          return this.#dates(rows);
        case 'metrics':
          return this.#join(names.known, (name, index) => this.#column(bytes, name, index, step.column));
      }
    });
  }

  #column(bytes: Buffer, name: Buffer, index: number, { fields }: ObjectPlan<MetricStep>): void {
    for (const { prefix, step } of fields) {
      this.#out.copy(prefix);
      if (step.kind === 'constant') this.#out.copy(step.json);
      else if (step.kind === 'name') this.#out.copy(name);
      else this.#values(bytes, index);
    }
    this.#out.copy(fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  #values(bytes: Buffer, column: number): void {
    const { places, rowCount } = this.#grid;
    this.#out.copy(OPEN_LIST);
    for (let index = 0; index < rowCount; index += 1) {
      if (index > 0) this.#out.copy(COMMA);
      const place = (column * rowCount + index) * 2;
      this.#value(bytes, places[place] as number, places[place + 1] as number);
    }
    this.#out.copy(CLOSE_LIST);
  }

  #dates({ bytes, places, firstRow, rowCount }: RowsSlice): void {
    this.#out.copy(OPEN_LIST);
    for (let index = 0; index < rowCount; index += 1) {
      if (index > 0) this.#out.copy(COMMA);
      this.#value(bytes, places.dateStartOf(firstRow + index), places.dateEndOf(firstRow + index));
    }
    this.#out.copy(CLOSE_LIST);
  }

  #join<T>(items: readonly T[], write: (item: T, index: number) => void): void {
    this.#out.copy(OPEN_LIST);
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#out.copy(COMMA);
      write(item, index);
    }
    this.#out.copy(CLOSE_LIST);
  }
}

type MetricsStep = RowStep & { readonly kind: 'metrics' };

/** Whether a list of metrics of the usual form is what the plan wants of it, to the byte. */
function isVerbatim({ names, metric }: MetricsStep): boolean {
  return names === undefined && metric.verbatim === true;
}

/** The values of the columns of one series, as places in the bytes; its memory serves for one series after another. */
class Grid {
  /** Of each value two places: from and to. One column stands behind the other. */
  places = new Int32Array(0);
  rowCount = 0;
  columns = 0;
  /** Of each column the row that was set last. */
  readonly #last: number[] = [];

  /** Begins with another series: so many columns, and no value in them. */
  start(rowCount: number, columns: number): void {
    this.rowCount = rowCount;
    this.columns = 0;
    while (this.columns < columns) this.addColumn();
  }

  addColumn(): void {
    const { columns, rowCount } = this;
    const end = (columns + 1) * rowCount * 2;
    if (end > this.places.length) {
      const larger = new Int32Array(Math.max(end, this.places.length * 2));
      larger.set(this.places);
      this.places = larger;
    }
    this.places.fill(ABSENT, columns * rowCount * 2, end);
    this.#last[columns] = -1;
    this.columns += 1;
  }

  /** Sets a value. Of a metric repeated within a row the first wins. */
  set(column: number, index: number, start: number, end: number): void {
    if (this.#last[column] === index) return;
    this.#last[column] = index;
    const place = (column * this.rowCount + index) * 2;
    this.places[place] = start;
    this.places[place + 1] = end;
  }
}

/** Up to this many names are compared one by one. */
const FEW_NAMES = 16;

/** The distinct names of metrics, as JSON texts, in the order given or of their first appearance. */
class Names {
  readonly known: Buffer[] = [];
  readonly #bytes: Buffer;
  readonly #indexes = new Map<string, number>();

  constructor(bytes: Buffer, known: readonly Buffer[] = []) {
    this.#bytes = bytes;
    for (const name of known) this.#add(name);
  }

  /** The index of a metric's name; -1 for one that has none, or that is neither known nor to be added. */
  at(row: RowReader, metric: number, add: boolean): number {
    const { metrics } = row;
    const place = metric * 4;
    const start = metrics[place] as number;
    if (start < 0) return -1;
    // Most rows hold the same metrics in the same order.
    const likely = this.known[metric];
    if (likely !== undefined && isNamed(this.#bytes, metrics, place, likely)) return metric;
    const end = metrics[place + 1] as number;
    const index =
      this.known.length <= FEW_NAMES
        ? this.known.findIndex((name) => isNamed(this.#bytes, metrics, place, name))
        : (this.#indexes.get(this.#bytes.toString('latin1', start, end)) ?? -1);
    return index >= 0 || !add ? index : this.#add(this.#bytes.subarray(start, end));
  }

  #add(name: Buffer): number {
    const index = this.known.push(name) - 1;
    this.#indexes.set(name.toString('latin1'), index);
    return index;
  }
}

/** The rows of an entry; null where the service sent none. Looks at `results` only where that decodes nothing. */
function rowsOf({ entry }: SeriesEntry): RowsSlice | null {
  const { slice } = entry;
  if (slice === undefined || (slice === null && entry.results instanceof Error)) throw Decline.wrongType;
  return slice;
}

/** Whether a row has a list of metrics, be it empty. */
function hasMetrics(row: RowReader): boolean {
  if (row.metricCount === WRONG) throw Decline.wrongType;
  return row.metricCount >= 0;
}

function isNamed(bytes: Buffer, metrics: Int32Array, place: number, name: Buffer): boolean {
  const start = metrics[place] as number;
  if (start < 0 || (metrics[place + 1] as number) - start !== name.length) return false;
  for (let offset = 0; offset < name.length; offset += 1) {
    if (bytes[start + offset] !== name[offset]) return false;
  }
  return true;
}
