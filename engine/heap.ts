import { Growing, newIntegers } from './growing.ts';
import type { Memory } from './memory.ts';

/** Sorting a thing counts as computing so many values. */
const UNITS_PER_ITEM = 20;

/** Numbered things, of which the one that comes before all others is taken first. */
export class Heap {
  readonly #items: Growing<Int32Array>;
  readonly #memory: Memory;
  readonly #isBefore: (one: number, other: number) => boolean;

  constructor(memory: Memory, isBefore: (one: number, other: number) => boolean) {
    this.#items = new Growing(memory, newIntegers);
    this.#memory = memory;
    this.#isBefore = isBefore;
  }

  get length(): number {
    return this.#items.length;
  }

  /** So many things will be added, if all of them are known. Returns how many. */
  begin(length: number): number {
    this.#memory.count(UNITS_PER_ITEM * length);
    return this.#items.begin(length);
  }

  add(item: number): void {
    let at = this.#items.length;
    const list = this.#items.resize(at + 1);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(item, list[parent] as number)) break;
      list[at] = list[parent] as number;
      at = parent;
    }
    list[at] = item;
  }

  /** There is at least one. */
  take(): number {
    const { list } = this.#items;
    const first = list[0] as number;
    this.#items.length -= 1;
    const { length } = this.#items;
    const last = list[length] as number;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && this.#isBefore(list[child + 1] as number, list[child] as number)) child += 1;
      if (!this.#isBefore(list[child] as number, last)) break;
      list[at] = list[child] as number;
      at = child;
    }
    list[at] = last;
    return first;
  }
}
