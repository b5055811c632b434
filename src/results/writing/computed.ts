import type { Reserve } from '../../scanner/steps.ts';

/**
 * What was computed last for a response, so that fields with the same value share it, and its memory. The next value takes its
 * place, also in memory: that of the largest one stays reserved until the operation ends.
 */
export class Computed {
  readonly #reserve: Reserve;
  #last: { readonly source: object; readonly key: string; readonly value: object } | undefined;
  #reserved = 0;
  #used = 0;

  constructor(reserve: Reserve) {
    this.#reserve = reserve;
  }

  /** The last value, if it was computed from these rows under this key. */
  find(source: object, key: string): object | undefined {
    const last = this.#last;
    return last?.source === source && last.key === key ? last.value : undefined;
  }

  /** Drops the last value. */
  clear(): void {
    this.#last = undefined;
    this.#used = 0;
  }

  keep(source: object, key: string, value: object): void {
    this.#last = { source, key, value };
  }

  /** Takes memory for the next value. Returns what has to be waited for. Rejects if there is none. */
  take(bytes: number): Promise<void> | undefined {
    this.#used += bytes;
    const missing = this.#used - this.#reserved;
    if (missing <= 0) return undefined;
    const reserving = this.#reserve(missing);
    const hold = () => {
      this.#reserved += missing;
    };
    if (reserving === undefined) hold();
    return reserving?.then(hold);
  }
}
