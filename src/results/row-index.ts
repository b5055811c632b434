import { free, takeBuffer } from '../rest/memory.ts';
import { Decline } from './decline.ts';
import { RowReader } from './row-reader.ts';
import { RowShape, shapeKey } from './row-shape.ts';
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
  /** What is in it, null entries left out; or why the fast way cannot tell. */
  readonly rows: Rows | Decline;
}

/** How many shapes are kept, and how many bytes they may take. */
const MOST_SHAPES = 1024;
const MOST_SHAPE_BYTES = 1 << 20;
/** How many shapes are tried before a row is read name by name. */
const TRIED_SHAPES = 4;

/** Enough for a small answer. */
const FEW_CELLS = 1024;

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
  /** The number of cells in use. */
  length = 0;
  /** The shape of the row that was added last. */
  last: RowShape | undefined;
  readonly #shapesByKey = new Map<string, RowShape>();
  #shapeBytes = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /**
   * Reads a row, which starts at the scanner's place with its brace.
   *
   * @returns why the fast way cannot tell what is in it; undefined when it is noted
   */
  add(scanner: Scanner): Decline | undefined {
    const start = scanner.at;
    let shape = this.#match(scanner);
    if (shape === undefined) {
      reader.read(scanner);
      if (reader.declined !== undefined) return reader.declined;
      shape = this.#shapeOfReader();
      if (shape === undefined) return Decline.manyShapes;
      this.#makeRoom(shape, start);
      this.cells.set(reader.ends, this.length + ROW_CELLS);
    }
    this.cells[this.length] = shape.index;
    this.cells[this.length + 1] = start;
    this.length += ROW_CELLS + shape.kinds.length;
    if (this.last !== undefined) this.last.next = shape;
    this.last = shape;
    return undefined;
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
    this.#makeRoom(shape, scanner.at);
    return shape.match(scanner, this.cells, this.length + ROW_CELLS);
  }

  #shapeOfReader(): RowShape | undefined {
    const key = shapeKey(this.bytes, reader);
    const known = this.#shapesByKey.get(key);
    if (known !== undefined) return known;
    if (this.shapes.length === MOST_SHAPES || this.#shapeBytes + key.length > MOST_SHAPE_BYTES) return undefined;
    const shape = new RowShape(this.shapes.length, this.bytes, reader);
    this.shapes.push(shape);
    this.#shapesByKey.set(key, shape);
    this.#shapeBytes += key.length;
    return shape;
  }

  /** Grows the cells to about what the whole answer will need, going by what it has needed up to this byte. */
  #makeRoom(shape: RowShape, at: number): void {
    const needed = this.length + ROW_CELLS + shape.kinds.length;
    if (needed <= this.cells.length) return;
    const likely = Math.ceil(needed * (this.bytes.length / at) * 1.05);
    const before = this.memory;
    this.memory = takeBuffer(Math.max(likely, needed + FEW_CELLS) * Int32Array.BYTES_PER_ELEMENT);
    const { buffer, byteOffset, byteLength } = this.memory;
    const larger = new Int32Array(buffer, byteOffset, byteLength / Int32Array.BYTES_PER_ELEMENT);
    larger.set(this.cells);
    this.cells = larger;
    free(before);
  }
}

/** The distinct names of the metrics of rows, in the order of their first appearance. */
export function namesIn({ shapes }: Rows): string[] {
  const names = new Set<string>();
  for (const { metrics } of shapes) {
    for (const { name } of metrics ?? []) if (name !== null) names.add(name);
  }
  return [...names];
}
