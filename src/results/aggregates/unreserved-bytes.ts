/** Bytes of memory that are in use, and are not reserved yet. */
export class UnreservedBytes {
  #bytes = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Those since this was asked last. They have to be reserved now. */
  take(): number {
    const bytes = this.#bytes;
    this.#bytes = 0;
    return bytes;
  }
}
