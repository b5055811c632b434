import { free, takeBuffer } from '../rest/memory.ts';
import { Decline } from './decline.ts';
import { clearSign } from './number.ts';
import { PAUSE, type Steps } from './paced-reader.ts';
import { RowReader } from './row-reader.ts';
import { negativeZeros, RowShape, shapeHash } from './row-shape.ts';
import type { Scanner } from './scanner.ts';

/** The rows of one asset among those of an answer. */
export interface Rows {
  readonly index: RowIndex;
  /** Where the first row stands in the index's cells. */
  readonly firstCell: number;
  readonly count: number;
  /** The shapes that the rows have, in the order of their first appearance. */
  readonly shapes: ReadonlySet<RowShape>;
}

/** Where the rows of one asset stand in an answer's bytes: an array, from its bracket on. */
export interface RowsSlice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** How many rows are in it: entries that are objects. */
  readonly count: number;
  /** What is in it; or why the fast way cannot tell. */
  readonly rows: Rows | Decline;
}

/** How many shapes are kept, how many holes each may have, and about how many bytes all of them may take. */
const MOST_SHAPES = 1024;
const MOST_HOLES = 8192;
const MOST_SHAPE_BYTES = 1 << 23;
/** What a hole takes besides the bytes before it. */
const HOLE_BYTES = 256;
/** How many shapes are tried before a row is read name by name. */
const TRIED_SHAPES = 4;

/** Enough for a small answer. */
const FEW_CELLS = 1024;
/** So many cells are copied in one go. */
const COPIED_CELLS = 1 << 18;

/** The cells of a row before those for its holes: its shape, and its first byte. */
const ROW_CELLS = 2;

/** A row is read and noted in one stretch, so that one reader serves for all. */
const reader = new RowReader();

/**
 * Where everything stands in the rows of an answer, so that they need not be read again: of each row its shape, its
 * first byte and the end of each of its holes.
 */
export class RowIndex {
  readonly bytes: Buffer;
  /** The same bytes, to be read by words. */
  readonly view: DataView;
  readonly shapes: RowShape[] = [];
  cells: Int32Array = new Int32Array(FEW_CELLS);
  /** What the cells stand in, where it is to be given back. */
  memory: Buffer = Buffer.alloc(0);
  /** The number of cells in use; a lower one forgets the rows behind it. */
  length = 0;
  /** The shape of the row that was added last. */
  last: RowShape | undefined;
  /** Why the row read last was not added: the fast way cannot tell what is in it. Undefined where it was added. */
  declined: Decline | undefined;
  /** Whether metrics have to be left out of the row read last. */
  dropped = false;
  /** The cells of the longest row. */
  #mostCells = ROW_CELLS;
  readonly #shapesByHash = new Map<number, RowShape[]>();
  #shapeBytes = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /**
   * Reads a row, which starts at the scanner's place with its brace, and adds it if it can.
   *
   * @returns false, with the scanner where it was, when there are too few cells; it will do when these have grown
   */
  add(scanner: Scanner): boolean {
    const start = scanner.at;
    if (!this.#hasRoom()) return false;
    if (negativeZeros.length > 0) negativeZeros.length = 0;
    const shape = this.#match(scanner) ?? this.#read(scanner);
    if (shape === undefined) return true;
    if (!this.#hasRoom()) {
      scanner.at = start;
      return false;
    }
    if (negativeZeros.length > 0) this.#clearSigns();
    this.declined = undefined;
    this.dropped = shape.dropped;
    this.cells[this.length] = shape.index;
    this.cells[this.length + 1] = start;
    this.length += ROW_CELLS + shape.kinds.length;
    if (this.last !== undefined && this.last !== shape) this.last.next = shape;
    this.last = shape;
    return true;
  }

  /**
   * Makes room for more rows. Yields how many bytes that takes, and then now and then while it copies.
   *
   * @param at how far the answer has been read: what it has needed so far tells about what it will need
   */
  *grow(at: number): Steps<void> {
    const needed = this.length + this.#mostCells;
    const likely = Math.ceil(needed * (this.bytes.length / at) * 1.05) + FEW_CELLS;
    const length = Math.max(needed, Math.min(likely, this.cells.length * 2));
    yield (length - this.cells.length) * Int32Array.BYTES_PER_ELEMENT;
    const before = this.memory;
    this.memory = takeBuffer(length * Int32Array.BYTES_PER_ELEMENT);
    const { buffer, byteOffset, byteLength } = this.memory;
    const larger = new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
    for (let from = 0; from < this.length; from += COPIED_CELLS) {
      larger.set(this.cells.subarray(from, Math.min(from + COPIED_CELLS, this.length)), from);
      if (from > 0) yield PAUSE;
    }
    this.cells = larger;
    free(before);
  }

  /** The shape of the row at a cell. */
  shapeAt(cell: number): RowShape {
    return this.shapes[this.cells[cell] as number] as RowShape;
  }

  /** The first byte of a hole of the row at a cell. */
  startOf(cell: number, shape: RowShape, hole: number): number {
    return (this.cells[cell + ROW_CELLS + hole - 1] as number) + (shape.lengths[hole] as number);
  }

  /** The byte behind a hole. */
  endOf(cell: number, hole: number): number {
    return this.cells[cell + ROW_CELLS + hole] as number;
  }

  /** The byte behind a row that has holes. */
  rowEnd(cell: number, { kinds, lengths }: RowShape): number {
    return this.endOf(cell, kinds.length - 1) + (lengths[kinds.length] as number);
  }

  /** The cell of the row that follows one of this shape. */
  nextCell(cell: number, shape: RowShape): number {
    return cell + ROW_CELLS + shape.kinds.length;
  }

  #hasRoom(): boolean {
    return this.cells.length - this.length >= this.#mostCells;
  }

  #match(scanner: Scanner): RowShape | undefined {
    const likely = this.last?.next;
    if (likely === undefined) return undefined;
    if (this.#matches(likely, scanner)) return likely;
    const { shapes } = this;
    for (let index = 0; index < shapes.length && index < TRIED_SHAPES; index += 1) {
      const shape = shapes[index] as RowShape;
      if (shape !== likely && this.#matches(shape, scanner)) return shape;
    }
    return undefined;
  }

  #matches(shape: RowShape, scanner: Scanner): boolean {
    const isMatch = shape.match(scanner, this.cells, this.length + ROW_CELLS);
    if (!isMatch && negativeZeros.length > 0) negativeZeros.length = 0;
    return isMatch;
  }

  /** Reads a row name by name. */
  #read(scanner: Scanner): RowShape | undefined {
    reader.read(scanner);
    this.dropped = reader.dropped;
    const shape = reader.declined === undefined ? this.#shapeOfReader() : undefined;
    this.declined = reader.declined ?? Decline.manyShapes;
    if (shape !== undefined && this.#hasRoom()) this.cells.set(reader.ends, this.length + ROW_CELLS);
    return shape;
  }

  #shapeOfReader(): RowShape | undefined {
    const hash = shapeHash(this.bytes, reader);
    const alike = this.#shapesByHash.get(hash) ?? [];
    const known = alike.find((shape) => shape.equals(this.bytes, reader));
    if (known !== undefined) return known;
    const bytes = literalBytes(reader) + HOLE_BYTES * reader.kinds.length;
    const isMuch = this.#shapeBytes + bytes > MOST_SHAPE_BYTES || reader.kinds.length > MOST_HOLES;
    if (isMuch || this.shapes.length === MOST_SHAPES) return undefined;
    const shape = new RowShape(this.shapes.length, this.bytes, reader);
    this.shapes.push(shape);
    this.#shapesByHash.set(hash, [...alike, shape]);
    this.#shapeBytes += bytes;
    this.#mostCells = Math.max(this.#mostCells, ROW_CELLS + shape.kinds.length);
    return shape;
  }

  #clearSigns(): void {
    for (const start of negativeZeros) clearSign(this.bytes, start);
    negativeZeros.length = 0;
  }
}

/** How many bytes of a row stand outside of its holes. */
function literalBytes({ start, end, starts, ends }: RowReader): number {
  return starts.reduce((bytes, from, hole) => bytes + from - (ends[hole] as number), end - start);
}

/** The distinct names of the metrics of rows, in the order of their first appearance. */
export function namesIn({ shapes }: Rows): string[] {
  const names = new Set<string>();
  for (const { metrics } of shapes) {
    for (const { name } of metrics ?? []) if (name !== null) names.add(name);
  }
  return [...names];
}
