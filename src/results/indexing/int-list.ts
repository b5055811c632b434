const CHUNK_BITS = 14;
const CHUNK = 1 << CHUNK_BITS;
const MASK = CHUNK - 1;

/**
 * Integers of 32 bits, in chunks, so that it never takes long to add one. The first ones are in an array: a small answer
 * so needs no memory outside of V8's heap, which is dear.
 */
export class IntList {
  readonly #first: number[] = [];
  readonly #chunks: Int32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get(index: number): number {
    if (index < CHUNK) return this.#first[index] as number;
    return (this.#chunks[(index >>> CHUNK_BITS) - 1] as Int32Array)[index & MASK] as number;
  }

  push(value: number): void {
    const index = this.#length;
    this.#length = index + 1;
    if (index < CHUNK) {
      this.#first.push(value);
      return;
    }
    if ((index & MASK) === 0) this.#chunks.push(new Int32Array(CHUNK));
    (this.#chunks[(index >>> CHUNK_BITS) - 1] as Int32Array)[index & MASK] = value;
  }
}
