import { type Attributes, AttributeWriter, isAttribute } from './attributes.ts';
import { type Bytes, NOTHING, NULL } from './bytes.ts';
import { constantWriter } from './constant.ts';
import { Errors, FieldError } from './errors.ts';
import type { Field, Making, Origin, Selected } from './field.ts';
import type { Held } from './held.ts';
import type { Memory } from './memory.ts';
import type { Page } from './page.ts';
import type { RowBatch } from './row-batch.ts';
import { BodyError } from './scanner.ts';
import type { SelectedValue, Selection } from './selection.ts';
import type { Workspace } from './workspace.ts';

/** What the list of rows is. */
export type ListKind = 'absent' | 'list' | 'wrongType';

/** A value of the entry that is read. */
interface Part extends SelectedValue {
  /** How it is written, if it is not made of rows. */
  readonly write: ((out: Bytes, entry: Written, errors: Errors) => void) | undefined;
  readonly field: Field | undefined;
  readonly errors: Errors;
  failure: FieldError | undefined;
  /** The entry in which it has failed. */
  failedAt: number;
  /** Where its value begins, while it is written in parts. */
  start: number | undefined;
}

/** What is written of an entry. */
interface Written {
  readonly attributes: Attributes;
  /** Those of the asset: of its highest version. */
  readonly ofAsset: Attributes;
  /** Its index in the list. */
  readonly index: number;
}

/** The entry that rows belong to. */
interface EntryOrigin extends Origin {
  assetId: string;
}

/**
 * One entry after another: takes its attributes and rows, and writes it. Until then none of it is written, so all may become null. Its
 * fields take rows, and are written, with `step`, part by part: a reader may pause between two, because they may be many.
 */
export class Entry {
  readonly attributes: Attributes;
  readonly #held: Held | undefined;
  #ofAsset: Attributes;
  list: ListKind = 'absent';
  /** How many lists of rows the entry has. */
  #lists = 0;
  /** The number of rows of all entries. */
  rowsOfAll = 0;
  /** Whether it is written. */
  #isWritten = false;
  #rowCount = 0;
  #origin: EntryOrigin;
  readonly #memory: Memory;
  #out: Bytes;
  readonly #errors: Errors;
  /** The ends of the values of all entries. */
  readonly ends: number[] = [];
  readonly #parts: readonly Part[];
  /** Those that are made of rows: of this entry, and of all entries. */
  readonly #fields: readonly Part[];
  #ofAll: readonly Part[];
  #takers: readonly Part[];
  readonly #selection: Selection;
  readonly #context: unknown;
  /** The parts that have something to do, and the next of them. If it is to take rows, these are they; else it is to be written. */
  #busy: readonly Part[] = [];
  #next = 0;
  #rows: RowBatch | undefined;
  /** Whether the next part has begun to take them. */
  #isAdded = false;
  /** The index of the entry in the page. */
  #index = 0;
  /** Whether what is computed from all takes the rows of the entry, and the index of the last one of which it does. */
  #isTaken = false;
  #lastTaken = 0;

  constructor(selection: Selection, { memory, attributes }: Workspace, out: Bytes, errors: Errors, page: Page) {
    this.#held = page.held;
    this.#memory = memory;
    this.#out = out;
    this.#errors = errors;
    this.attributes = attributes;
    this.#ofAsset = this.attributes;
    this.#origin = this.#originOf(0);
    this.#selection = selection;
    this.#context = page.context;
    const { ofEntry } = selection;
    this.#parts = ofEntry.length === 0 ? [emptyPart()] : this.#partsOf(ofEntry, false);
    this.#fields = this.#parts.filter(({ field }) => field !== undefined);
    this.#ofAll = this.#partsOf(selection.ofAll, true);
    this.#takers = [...this.#fields, ...this.#ofAll];
  }

  /** Whether rows are needed at all. */
  get needsRows(): boolean {
    return this.#ofAll.length > 0 || (this.#isWritten && this.#fields.length > 0);
  }

  /** An entry begins. @param entry its index in the list. @param isWritten whether it is in the page */
  begin(entry: number, isWritten: boolean): void {
    this.#isWritten = isWritten;
    this.#origin = this.#originOf(entry);
    this.attributes.begin();
    this.list = 'absent';
    this.#lists = 0;
    this.#isTaken = false;
    this.#beginFields();
  }

  /** If the list is repeated, the last one counts. What is computed from all entries has taken the first one already. */
  beginRows(list: ListKind): void {
    this.#lists += 1;
    if (this.list !== 'absent') this.#failOfAll('wrongType');
    this.list = list;
    this.#beginFields();
    if (list === 'wrongType') this.#failOfAll('wrongType');
    this.#isTaken = list === 'list' && !this.attributes.isWithoutId;
    if (!this.#isTaken) return;
    // What a field says now is of the rows before.
    for (const part of this.#ofAll) this.#attempt(part, (field) => field.begin(this.#origin));
    this.#lastTaken = this.#origin.entry;
  }

  #beginFields(): void {
    this.#rowCount = 0;
    if (!this.#isWritten) return;
    for (const part of this.#fields) {
      part.errors.clear();
      part.failure = part.selected.invalid;
      this.#attempt(part, (field) => {
        // Beyond the limit nothing is begun.
        this.#memory.count(0);
        field.begin(this.#origin);
      });
    }
  }

  /** The entries so far do not count for what is computed from all. */
  forgetAll(): void {
    this.#ofAll = this.#partsOf(this.#selection.ofAll, true);
    this.#takers = [...this.#fields, ...this.#ofAll];
    this.rowsOfAll = 0;
  }

  #partsOf(values: readonly SelectedValue[], isOfAll: boolean): readonly Part[] {
    const out = this.#selection.isPlain ? this.#out : undefined;
    return values.map((value) => partOf(value, { memory: this.#memory, out, isOfAll }, this.#context));
  }

  #failOfAll(kind: FieldError['kind']): void {
    for (const part of this.#ofAll) if (part.write === undefined) part.failure ??= new FieldError(kind);
  }

  /** Another entry of the same asset and version has a list: its rows come behind those of the first one. */
  goOnWithRows(list: ListKind): void {
    if (list === 'absent') return;
    if (this.list === 'absent' || list === 'wrongType') this.beginRows(list);
  }

  /** The fields have to take these rows. */
  add(rows: RowBatch): void {
    if (this.list !== 'list') return;
    this.#rowCount += rows.count;
    this.#rows = rows;
    if (this.#isTaken) this.rowsOfAll += rows.count;
    this.#busy = this.#isWritten ? (this.#isTaken ? this.#takers : this.#fields) : this.#isTaken ? this.#ofAll : [];
    this.#next = 0;
  }

  /** The entry does not count, because it has no id. */
  drop(): void {
    // The id could have come behind the rows.
    if (this.#isTaken) this.#failOfAll('wrongType');
  }

  /** The entry, which has an id, has to be written. @param index that in the page */
  end(index: number): void {
    if (this.list === 'list' && !this.#isTaken) this.#failOfAll('wrongType');
    this.#origin.assetId = this.#takers.length > 0 ? this.attributes.assetId : '';
    if (!this.#isWritten) return;
    if (this.#memory.isExceeded) throw new BodyError('workExceeded');
    this.#ofAsset = this.#attributesOfAsset();
    if (index > 0 && !this.#selection.isPlain) this.#out.text(',');
    this.#index = index;
    // A plain value cannot say that an attribute of it has an error, and what was written of other rows stays.
    const kind = this.#lists > 1 ? 'wrongType' : this.attributes.errorOfLeading;
    if (this.#selection.isPlain && kind !== undefined) this.#errors.add([index], kind);
    this.#write(this.#parts);
  }

  /** Gives memory back that others can use again. */
  release(): void {
    for (const { field } of this.#takers) field?.release?.();
  }

  #originOf(entry: number): EntryOrigin {
    return { entry, assetId: '', attribute: (name) => this.attributes.value(name) };
  }

  #attributesOfAsset(): Attributes {
    const held = this.#held;
    return (held?.isRepeated === true ? held.attributesOf(this.attributes.assetId) : undefined) ?? this.attributes;
  }

  /** All entries are read: what is computed from them has to be written. @param list what their list is */
  endAll(out: Bytes, list: ListKind): void {
    this.#isWritten = false;
    this.#out = out;
    this.list = list;
    this.#write(this.#ofAll);
  }

  #write(parts: readonly Part[]): void {
    this.#rows = undefined;
    this.#busy = parts;
    this.#next = 0;
  }

  /** Whether a part has something to do. Until all have done it, the bytes of the rows must stay. */
  get isBusy(): boolean {
    return this.#next < this.#busy.length;
  }

  /** Whether a value is written in parts, so that it may still become null. */
  get isWriting(): boolean {
    return (
      !this.#selection.isPlain && this.#rows === undefined && this.isBusy && this.#busy[this.#next]?.start !== undefined
    );
  }

  /** Lets the next part do it. Returns about how many bytes it has read or written; infinity if it took long. */
  step(): number {
    const rows = this.#rows;
    const part = this.#busy[this.#next] as Part;
    if (rows === undefined) return this.#writeNext(part);
    const before = this.#memory.work;
    let hasMore = false;
    this.#attempt(part, (field) => {
      // Each row that a field takes counts; what it makes of them does so too.
      this.#memory.count(this.#isAdded ? 0 : rows.count);
      if (!this.#isAdded) field.add(rows);
      hasMore = field.addMore?.(rows) ?? false;
    });
    this.#isAdded = hasMore;
    if (hasMore) return Number.POSITIVE_INFINITY;
    this.#next += 1;
    return rows.bytesOfAll + this.#memory.work - before;
  }

  #writeNext(part: Part): number {
    const out = this.#out;
    const before = out.position;
    if (part.start === undefined) {
      out.literal(part.prefix);
      this.#memory.add(part.prefix.bytes.length);
      part.start = out.position;
    }
    // A part takes about a millisecond, whatever it writes: then the clock is read.
    if (this.#hasMore(part)) return Number.POSITIVE_INFINITY;
    this.#finish(part, part.start);
    part.start = undefined;
    this.#next += 1;
    if (!this.#isWritten) this.ends.push(out.position);
    else if (!this.isBusy) {
      const { end } = this.#selection;
      out.literal(end);
      this.#memory.add(end.bytes.length);
    }
    return out.position - before;
  }

  /** Lets a field do something, unless it has failed. A failure makes it null. */
  #attempt(part: Part, act: (field: Field) => void): void {
    if (part.field === undefined || part.failure !== undefined) return;
    try {
      act(part.field);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      part.failure = error;
      part.failedAt = this.#lastTaken;
    }
  }

  /** Writes a part of a value. Returns whether more is left. */
  #hasMore(part: Part): boolean {
    const { write, errors } = part;
    const isOfAll = !this.#isWritten;
    if (write !== undefined) {
      const [before, counted] = [this.#out.position, this.#memory.work];
      write(this.#out, { attributes: this.attributes, ofAsset: this.#ofAsset, index: this.#origin.entry }, errors);
      this.#memory.add(this.#out.position - before - (this.#memory.work - counted));
    } else if (this.list === 'list') {
      let hasMore = false;
      const rowCount = isOfAll ? this.rowsOfAll : this.#rowCount;
      const out = this.#out;
      this.#attempt(part, (field) => {
        // Beyond the limit nothing is written.
        this.#memory.count(0);
        const before = out.position - out.adopted;
        hasMore = field.write(out, rowCount);
        this.#memory.count(out.position - out.adopted - before);
      });
      return hasMore;
    } else if (part.failure === undefined) {
      this.#memory.add(NULL.bytes.length);
      if (!this.#selection.isPlain) this.#out.literal(NULL);
      if (this.list === 'wrongType') part.failure = new FieldError('wrongType');
    }
    return false;
  }

  #finish(part: Part, start: number): void {
    const out = this.#out;
    const { selected, failure, errors, path } = part;
    if (failure !== undefined) {
      this.#memory.add(NULL.bytes.length);
      // Of a plain value a part may have been sent. It ends there.
      if (!this.#selection.isPlain) {
        out.rewind(start);
        out.literal(NULL);
      }
      const entry = this.#isWritten || failure.row === undefined ? undefined : part.failedAt;
      errors.clear();
      errors.addFailure([], failure, { entry, origin: selected.origin });
    }
    if (errors.list.length > 0) this.#errors.addAll(errors, this.#isWritten ? [this.#index, ...path] : path);
  }
}

function partOf(value: SelectedValue, making: Omit<Making, 'selected' | 'errors'>, context: unknown): Part {
  const { selected } = value;
  const errors = new Errors();
  const write = writerOf(selected, making.memory, context);
  const { invalid } = selected;
  const isMade = write === undefined && invalid === undefined;
  const field = isMade ? selected.type?.make({ ...making, selected, errors }) : undefined;
  return {
    ...value,
    write,
    field: field ?? (write === undefined ? nothing : undefined),
    errors,
    failure: invalid,
    failedAt: 0,
    start: undefined,
  };
}

/** Of an entry of which nothing is selected. */
const emptyPart = (): Part => ({
  ...{ selected: {} as Selected, path: [], prefix: NOTHING, write: () => undefined, field: undefined },
  ...{ errors: new Errors(), failure: undefined, failedAt: 0, start: undefined },
});

/** In the place of a field with invalid arguments. */
const nothing: Field = { begin() {}, add() {}, write: () => false };

function writerOf(selected: Selected, memory: Memory, context: unknown): Part['write'] {
  const { field, args } = selected;
  if (field === 'constant') {
    const write = constantWriter(selected, context, []);
    return (out, _, errors) => {
      errors.clear();
      write(out, errors);
    };
  }
  if (field === 'cursor') {
    const cursorOf = args.text as (index: number, assetId: string, context: unknown) => string;
    return (out, { attributes, index }) => out.text(JSON.stringify(cursorOf(index, attributes.assetId, context)));
  }
  if (!isAttribute(field)) return undefined;
  const writer = new AttributeWriter(selected, memory, context);
  return (out, { attributes, ofAsset }, errors) => {
    errors.clear();
    writer.write(out, field === 'version' ? attributes : ofAsset, errors);
  };
}
