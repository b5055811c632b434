import type { BailoutReason } from './bailout.ts';

/** How often the fast path was taken, and how often it bailed out for each reason. */
export interface FastPathCounts {
  readonly hits: number;
  readonly bailouts: Readonly<Partial<Record<BailoutReason, number>>>;
}

/** Counts hits and bailouts of the fast path. */
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
  read(): FastPathCounts {
    return { hits: this.#hits, bailouts: Object.fromEntries(this.#bailouts) };
  }
}
