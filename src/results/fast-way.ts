import type { ByteWriter } from './byte-writer.ts';
import { Decline } from './decline.ts';
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
import { namesIn, type RowIndex, type Rows } from './row-index.ts';
import { type Copy, compileRow, type RowProgram } from './row-program.ts';
import type { RowShape } from './row-shape.ts';

const NULL = Buffer.from('null');
const EMPTY_OBJECT = Buffer.from('{}');
const CLOSE_OBJECT = Buffer.from('}');
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** So many rows are gone over between two stops. */
const STRETCH_ROWS = 4096;

/** Writes a part of an answer; stops again and again, so that what is written can be taken, and others get their turn. */
export type Writing = (out: ByteWriter) => Iterable<void>;

/**
 * A page of series, written straight from the bytes of the REST answer.
 *
 * @throws Decline where the plain way would do anything but copy, rename and leave out
 */
export function writeConnection(
  page: Page,
  plan: ObjectPlan<ConnectionStep>,
  cursorAt: (index: number) => string,
): Writing {
  for (const { step } of plan.fields) {
    if (step.kind !== 'nodes' && step.kind !== 'edges') continue;
    const node = step.kind === 'nodes' ? step.node : nodeOf(step.edge);
    for (let index = page.start; index < page.end; index += 1) check(entryAt(page, index), node);
  }
  return (out) => new FastWay(out).connection(page, plan, cursorAt);
}

/** One series, likewise. */
export function writeSeries(entry: SeriesEntry, plan: ObjectPlan<SeriesStep>): Writing {
  check(entry, plan);
  return (out) => new FastWay(out).series(entry, plan);
}

/**
 * Writes the GraphQL answer of results, in one pass over each asset's rows and without an object for any value.
 * Everything was looked at before, so that nothing can go wrong here.
 */
class FastWay {
  readonly #out: ByteWriter;
  /** Of each plan the programs by the shapes of the rows. */
  readonly #programs = new Map<ObjectPlan<RowStep>, Map<RowShape, RowProgram>>();

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  connection(page: Page, plan: ObjectPlan<ConnectionStep>, cursorAt: (index: number) => string): Iterable<void> {
    return this.#object(plan, (step) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'page':
          return this.#out.text(step.json(page));
        case 'nodes':
          return this.#list(page, (entry) => this.series(entry, step.node));
        case 'edges':
          return this.#list(page, (entry, index) => this.#edge(entry, step.edge, () => cursorAt(index)));
      }
    });
  }

  series(entry: SeriesEntry, plan: ObjectPlan<SeriesStep>): Iterable<void> {
    return this.#object(plan, (step) => {
      if (step.kind === 'constant') return this.#out.copy(step.json);
      if (step.kind === 'entry') return this.#out.text(step.json(entry));
      const rows = rowsOf(entry);
      if (rows === null) return this.#out.copy(NULL);
      switch (step.kind) {
        case 'resultCount':
          return this.#out.text(String(rows.count));
        case 'metricNames':
          return this.#join(namesIn(rows), (name) => this.#out.text(JSON.stringify(name)));
        case 'results':
          return this.#results(rows, step);
        case 'columns':
          return this.#columns(rows, step);
      }
    });
  }

  *#object<Step>(plan: ObjectPlan<Step>, write: (step: Step) => Iterable<void> | void): Iterable<void> {
    for (const { prefix, step } of plan.fields) {
      this.#out.copy(prefix);
      const writing = write(step);
      if (writing !== undefined) yield* writing;
    }
    this.#out.copy(plan.fields.length === 0 ? EMPTY_OBJECT : CLOSE_OBJECT);
  }

  *#list(page: Page, write: (entry: SeriesEntry, index: number) => Iterable<void>): Iterable<void> {
    this.#out.byte(OPEN_LIST);
    for (let index = page.start; index < page.end; index += 1) {
      if (index > page.start) this.#out.byte(COMMA);
      yield* write(entryAt(page, index), index);
      yield;
    }
    this.#out.byte(CLOSE_LIST);
  }

  #edge(entry: SeriesEntry, plan: ObjectPlan<EdgeStep>, cursor: () => string): Iterable<void> {
    return this.#object(plan, (step) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'cursor':
          return this.#out.text(JSON.stringify(cursor()));
        case 'node':
          return this.series(entry, step.node);
      }
    });
  }

  *#results(rows: Rows, { first, offset, row: plan }: SeriesStep & { kind: 'results' }): Iterable<void> {
    const out = this.#out;
    const { index } = rows;
    const end = Math.min(rows.count, offset + first);
    const programs = this.#programsOf(plan);
    let cell = rows.firstCell;
    let shape: RowShape | undefined;
    let program: RowProgram | undefined;
    out.byte(OPEN_LIST);
    for (let row = 0; row < end; row += 1) {
      const current = index.shapeAt(cell);
      if (row >= offset) {
        if (row > offset) out.byte(COMMA);
        if (program === undefined || current !== shape) {
          shape = current;
          program = programs.get(current) ?? compileRow(current, plan);
          programs.set(current, program);
        }
        this.#row(index, cell, current, program);
      }
      cell = index.nextCell(cell, current);
      if (out.hasFilled || row % STRETCH_ROWS === STRETCH_ROWS - 1) yield;
    }
    out.byte(CLOSE_LIST);
  }

  #row(index: RowIndex, cell: number, shape: RowShape, { copies, after, toEnd }: RowProgram): void {
    const out = this.#out;
    for (let part = 0; part < copies.length; part += 1) {
      const { before, fromHole, toHole } = copies[part] as Copy;
      out.copy(before);
      const isLast = part === copies.length - 1;
      const end = toEnd && isLast ? index.rowEnd(cell, shape) : index.endOf(cell, toHole);
      out.copy(index.bytes, index.startOf(cell, shape, fromHole), end);
    }
    if (!toEnd) out.copy(after);
  }

  *#columns(rows: Rows, { metrics, columns }: SeriesStep & { kind: 'columns' }): Iterable<void> {
    const names = metrics ?? namesIn(rows);
    yield* this.#object<ColumnsStep>(columns, (step) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'rowCount':
          return this.#out.text(String(rows.count));
        case 'valueDates':
          return this.#column(rows, (shape) => shape.date);
        case 'metrics':
          return this.#join(names, (name) => this.#metricColumn(rows, name, step.column));
      }
    });
  }

  #metricColumn(rows: Rows, name: string, plan: ObjectPlan<MetricStep>): Iterable<void> {
    return this.#object(plan, (step) => {
      switch (step.kind) {
        case 'constant':
          return this.#out.copy(step.json);
        case 'name':
          return this.#out.text(JSON.stringify(name));
        case 'value':
          return this.#column(rows, (shape) => shape.metricsByName.get(name)?.value);
      }
    });
  }

  /** The same hole of every row; null where a row has none. */
  *#column({ index, firstCell, count }: Rows, holeOf: (shape: RowShape) => number | undefined): Iterable<void> {
    const out = this.#out;
    const { bytes, view } = index;
    let cell = firstCell;
    let shape: RowShape | undefined;
    let hole: number | undefined;
    out.byte(OPEN_LIST);
    for (let row = 0; row < count; row += 1) {
      if (row > 0) out.byte(COMMA);
      const current = index.shapeAt(cell);
      if (current !== shape) {
        shape = current;
        hole = holeOf(current);
      }
      if (hole === undefined) out.copy(NULL);
      else out.copyWords(bytes, view, index.startOf(cell, current, hole), index.endOf(cell, hole));
      cell = index.nextCell(cell, current);
      if (out.hasFilled || row % STRETCH_ROWS === STRETCH_ROWS - 1) yield;
    }
    out.byte(CLOSE_LIST);
  }

  *#join<T>(items: readonly T[], write: (item: T) => Iterable<void> | void): Iterable<void> {
    this.#out.byte(OPEN_LIST);
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#out.byte(COMMA);
      const writing = write(item);
      if (writing !== undefined) yield* writing;
    }
    this.#out.byte(CLOSE_LIST);
  }

  #programsOf(plan: ObjectPlan<RowStep>): Map<RowShape, RowProgram> {
    const known = this.#programs.get(plan) ?? new Map<RowShape, RowProgram>();
    this.#programs.set(plan, known);
    return known;
  }
}

/** Looks whether everything that a plan wants of an entry can be copied. */
function check(entry: SeriesEntry, { fields }: ObjectPlan<SeriesStep>): void {
  const isSound = entry.entry.isSound === true && entry.latest.isSound === true;
  for (const { step } of fields) {
    if (step.kind === 'entry') {
      if (!isSound) step.json(entry);
    } else if (step.kind !== 'constant') {
      rowsOf(entry);
    }
  }
}

/** The rows of an entry; null where the service sent none. Looks at `results` only where that decodes nothing. */
function rowsOf({ entry }: SeriesEntry): Rows | null {
  const { slice } = entry;
  if (slice === undefined || (slice === null && entry.results instanceof Error)) throw Decline.wrongType;
  if (slice === null) return null;
  if (slice.rows instanceof Decline) throw slice.rows;
  return slice.rows;
}

function entryAt({ datasetId, entries, latest }: Page, index: number): SeriesEntry {
  const entry = entries.at(index);
  if (entry === undefined) throw new RangeError('A page ends with its entries.');
  return { datasetId, entry, latest: latest.get(entry.assetId) ?? entry };
}

/** What a plan wants of the node of each edge. */
function nodeOf({ fields }: ObjectPlan<EdgeStep>): ObjectPlan<SeriesStep> {
  return { fields: fields.flatMap(({ step }) => (step.kind === 'node' ? step.node.fields : [])) };
}
