import type { BailoutReason } from './bailout.ts';

/** Counts what the fast path has answered, and how often and why it has left something to the generic path. */
export class FastPathCounter {
  #hits = 0;
  readonly #bailouts = new Map<BailoutReason, number>();

  hit(): void {
    this.#hits += 1;
  }

  bailout(reason: BailoutReason): void {
    this.#bailouts.set(reason, (this.#bailouts.get(reason) ?? 0) + 1);
  }

  /** The counts so far. */
  read(): { hits: number; bailouts: Readonly<Partial<Record<BailoutReason, number>>> } {
    return { hits: this.#hits, bailouts: Object.fromEntries(this.#bailouts) };
  }
}
