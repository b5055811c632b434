const BLOCK_BITS = 14;
const BLOCK = 1 << BLOCK_BITS;
const MASK = BLOCK - 1;

/**
 * A list of 32-bit integers. It grows in blocks, so that adding an integer never takes long. The first block is an array:
 * a small response needs no memory outside of V8's heap, which is expensive.
 */
export class IntList {
  readonly #first: number[] = [];
  readonly #blocks: Int32Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** About the bytes of memory that it takes. */
  get memoryBytes(): number {
    return this.#first.length * 8 + this.#blocks.length * BLOCK * Int32Array.BYTES_PER_ELEMENT;
  }

  get(index: number): number {
    if (index < BLOCK) return this.#first[index] as number;
    return (this.#blocks[(index >>> BLOCK_BITS) - 1] as Int32Array)[index & MASK] as number;
  }

  push(value: number): void {
    const index = this.#length;
    this.#length = index + 1;
    if (index < BLOCK) {
      this.#first.push(value);
      return;
    }
    if ((index & MASK) === 0) this.#blocks.push(new Int32Array(BLOCK));
    (this.#blocks[(index >>> BLOCK_BITS) - 1] as Int32Array)[index & MASK] = value;
  }
}
