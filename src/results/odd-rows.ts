/** Counts the odd rows of results, each time that they are read to be written. */
export class OddRowCounter {
  count = 0;
  readonly #total: OddRowCounter | undefined;

  /** @param total counts them too */
  constructor(total?: OddRowCounter) {
    this.#total = total;
  }

  add(rows: number): void {
    this.count += rows;
    this.#total?.add(rows);
  }
}
