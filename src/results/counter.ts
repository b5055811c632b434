import type { DeclineReason } from './decline.ts';

/** Counts what the fast way has answered, and how often and why it has left something to the plain way. */
export class FastWayCounter {
  #taken = 0;
  readonly #declined = new Map<DeclineReason, number>();

  taken(): void {
    this.#taken += 1;
  }

  declined(reason: DeclineReason): void {
    this.#declined.set(reason, (this.#declined.get(reason) ?? 0) + 1);
  }

  /** The counts so far. */
  read(): { taken: number; declined: Readonly<Partial<Record<DeclineReason, number>>> } {
    return { taken: this.#taken, declined: Object.fromEntries(this.#declined) };
  }
}
