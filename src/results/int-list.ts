const CHUNK_BITS = 14;
const CHUNK = 1 << CHUNK_BITS;
const MASK = CHUNK - 1;

/** Integers of 32 bits, in chunks, so that it never takes long to add one: only the first chunk is ever copied. */
export class IntList {
  readonly #chunks: Int32Array[];
  #length = 0;

  /** @param few for how many there is room at first; a power of two. V8 has memory at hand for 16 and less */
  constructor(few: number) {
    this.#chunks = [new Int32Array(few)];
  }

  get length(): number {
    return this.#length;
  }

  get(index: number): number {
    return (this.#chunks[index >>> CHUNK_BITS] as Int32Array)[index & MASK] as number;
  }

  push(value: number): void {
    const index = this.#length;
    const number = index >>> CHUNK_BITS;
    let chunk = this.#chunks[number];
    if (chunk === undefined || (index & MASK) >= chunk.length) {
      chunk = enlarged(chunk);
      this.#chunks[number] = chunk;
    }
    chunk[index & MASK] = value;
    this.#length = index + 1;
  }
}

function enlarged(chunk: Int32Array | undefined): Int32Array {
  if (chunk === undefined) return new Int32Array(CHUNK);
  const larger = new Int32Array(Math.min(CHUNK, chunk.length * 4));
  larger.set(chunk);
  return larger;
}
