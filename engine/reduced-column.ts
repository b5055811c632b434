import { DONE } from './by-metric.ts';
import { Bytes, NULL, type Piece } from './bytes.ts';
import { Growing } from './growing.ts';
import type { Memory } from './memory.ts';
import { numberAt } from './number.ts';
import type { Numbers } from './picture.ts';
import type { Reduction } from './reduction.ts';
import type { RowBatch } from './row-batch.ts';

/** So many bytes and values are written at once, about. */
const BYTES_AT_ONCE = 1 << 15;
const VALUES_AT_ONCE = 4096;

/** The values of a slot in all rows, of which those of chosen rows are written. */
export class ReducedColumn implements Numbers {
  readonly name: string;
  index = 0;
  readonly #reduction: Reduction;
  /** The values, one behind the other, and where that of each row ends. A row without the value has no bytes. */
  readonly #values: Bytes;
  readonly #ends: Growing<Uint32Array>;
  /** The pieces of the values, if one was read, and the one that was read last. */
  #pieces: readonly Piece[] = [];
  #piece = 0;

  constructor(name: string, reduction: Reduction, memory: Memory) {
    this.name = name;
    this.#reduction = reduction;
    this.#values = new Bytes(memory, 64);
    this.#ends = new Growing(memory, (length) => new Uint32Array(length));
  }

  begin(index: number): void {
    this.index = index;
    this.#values.rewind(0);
    this.#ends.length = 0;
    this.#pieces = [];
    this.#piece = 0;
  }

  release(): void {
    this.#values.release();
    this.#ends.release();
  }

  add(rows: RowBatch, slot: number): void {
    if (slot < 0) return;
    const { bytes, view, first, count } = rows;
    const values = this.#values;
    const before = this.#ends.length;
    const ends = this.#ends.resize(first + count).fill(values.position, before, first);
    values.makeRoom(rows.roomFor(slot));
    const { position } = values;
    for (let row = 0; row < count; row += 1) {
      values.put(bytes, view, rows.startOf(row, slot), rows.endOf(row, slot));
      ends[first + row] = values.position;
    }
    values.count(values.position - position);
  }

  get rows(): number {
    return this.#ends.length;
  }

  numberOf(row: number): number {
    const piece = this.#pieceOf(row);
    if (piece === undefined) return Number.NaN;
    return numberAt(piece.bytes, piece.view, this.#endOf(row - 1) - piece.start, this.#endOf(row) - piece.start);
  }

  /** Writes a list of the values of the chosen rows, from one of them on. Returns the next one; `DONE` if there is none. */
  write(out: Bytes, count: number, from: number): number {
    const last = Math.min(count, from + VALUES_AT_ONCE);
    const end = out.position + BYTES_AT_ONCE;
    if (from === 0) out.text('[');
    let place = from;
    for (; place < last && out.position < end; place += 1) {
      const row = this.#reduction.rowAt(place);
      const piece = this.#pieceOf(row);
      if (place > 0) out.text(',');
      if (piece === undefined) out.literal(NULL);
      else out.copy(piece.bytes, piece.view, this.#endOf(row - 1) - piece.start, this.#endOf(row) - piece.start);
    }
    if (place < count) return place;
    out.text(']');
    return DONE;
  }

  #endOf(row: number): number {
    return row < 0 ? 0 : (this.#ends.list[row] as number);
  }

  /** The piece that has the value of a row. Undefined if there is none. */
  #pieceOf(row: number): Piece | undefined {
    const start = this.#endOf(row - 1);
    if (row >= this.#ends.length || start === this.#endOf(row)) return undefined;
    if (this.#pieces.length === 0) this.#pieces = this.#values.pieces();
    while (start < (this.#pieces[this.#piece] as Piece).start) this.#piece -= 1;
    while (start >= (this.#pieces[this.#piece] as Piece).end) this.#piece += 1;
    return this.#pieces[this.#piece];
  }
}
