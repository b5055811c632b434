/** The bytes of dates of the usual form, which are 20, as numbers: a NaN equals nothing, and both zeros are no text. */
export class UsualDates {
  readonly #heads: Float64Array;
  readonly #middles: Float64Array;
  readonly #tails: Int32Array;

  constructor(rows: number) {
    this.#heads = new Float64Array(rows).fill(Number.NaN);
    this.#middles = new Float64Array(rows);
    this.#tails = new Int32Array(rows);
  }

  forget(first: number, end: number): void {
    this.#heads.fill(Number.NaN, first, end);
  }

  /** Notes the bytes of a row's date. Returns whether they are the same as before. */
  replace(row: number, view: DataView, start: number): boolean {
    const head = view.getFloat64(start, true);
    const middle = view.getFloat64(start + 8, true);
    const tail = view.getInt32(start + 16, true);
    if (head === this.#heads[row] && middle === this.#middles[row] && tail === this.#tails[row]) return true;
    this.#heads[row] = head;
    this.#middles[row] = middle;
    this.#tails[row] = tail;
    return false;
  }
}
