import type { Reserve } from '../../scanner/steps.ts';

/**
 * What was computed last, so that fields with the same value share it, and its memory. The next value takes its place, also in
 * memory: that of the largest one stays reserved until the operation ends.
 */
export class Computed {
  #key: string | undefined;
  #value: object | undefined;
  #reserved = 0;
  #used = 0;

  /** The last value, if it is that of this key. */
  find(key: string): object | undefined {
    return key === this.#key ? this.#value : undefined;
  }

  /** Drops the last value. */
  clear(): void {
    this.#key = undefined;
    this.#value = undefined;
    this.#used = 0;
  }

  keep(key: string, value: object): void {
    this.#key = key;
    this.#value = value;
  }

  /** Takes memory for the next value. Returns what has to be waited for. */
  take(bytes: number, reserve: Reserve): Promise<void> | undefined {
    this.#used += bytes;
    const missing = this.#used - this.#reserved;
    if (missing <= 0) return undefined;
    this.#reserved += missing;
    return reserve(missing);
  }
}
