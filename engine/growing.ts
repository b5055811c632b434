import type { Memory } from './memory.ts';

type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** A list of numbers in memory that grows, and is used for one series after another. */
export class Growing<List extends Numbers> {
  /** Behind the last number, and where none was set, it has any numbers. */
  list: List;
  length = 0;
  readonly #memory: Memory;
  readonly #make: (length: number) => List;

  constructor(memory: Memory, make: (length: number) => List) {
    this.#memory = memory;
    this.#make = make;
    this.list = make(0);
  }

  /** Makes it as long as this. @throws FieldError */
  resize(length: number): List {
    if (length > this.list.length) {
      const capacity = Math.max(length, 2 * this.list.length, 16);
      this.#memory.holdForField(capacity * this.list.BYTES_PER_ELEMENT);
      const larger = this.#make(capacity);
      larger.set(this.list);
      this.#memory.hold(-this.list.byteLength);
      this.list = larger;
    }
    this.length = length;
    return this.list;
  }

  /** Gives all memory back. */
  release(): void {
    this.#memory.hold(-this.list.byteLength);
    this.list = this.#make(0);
    this.length = 0;
  }

  /** So many numbers will be added. Returns how many. @throws FieldError */
  begin(length: number): number {
    this.resize(length);
    this.length = 0;
    return length;
  }

  add(number: number): void {
    this.resize(this.length + 1)[this.length - 1] = number;
  }
}

export const newDoubles = (length: number): Float64Array => new Float64Array(length);
export const newIntegers = (length: number): Int32Array => new Int32Array(length);
