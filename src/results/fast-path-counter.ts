import type { BailoutReason } from './bailout.ts';

/** How often the fast path was taken, and how often it bailed out for each reason. */
export interface FastPathCounts {
  readonly hits: number;
  readonly bailouts: Readonly<Partial<Record<BailoutReason, number>>>;
}

/** Counts hits and bailouts of the fast path. */
export class FastPathCounter {
  readonly #total: FastPathCounter | undefined;
  #hits = 0;
  #bailouts: Partial<Record<BailoutReason, number>> | undefined;

  /** @param total counts everything too */
  constructor(total?: FastPathCounter) {
    this.#total = total;
  }

  hit(): void {
    this.#hits += 1;
    this.#total?.hit();
  }

  bailout(reason: BailoutReason): void {
    this.#bailouts ??= {};
    this.#bailouts[reason] = (this.#bailouts[reason] ?? 0) + 1;
    this.#total?.bailout(reason);
  }

  /** The counts so far. */
  read(): FastPathCounts {
    return { hits: this.#hits, bailouts: { ...this.#bailouts } };
  }
}
