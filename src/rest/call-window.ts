/** How long calls are counted, in milliseconds, and in how many parts that time is forgotten. */
const COUNTED_MS = 10_000;
const SLOTS = 10;
const SLOT_MS = COUNTED_MS / SLOTS;

/** How many calls there were, and how many of them failed. */
export interface Counts {
  calls: number;
  failed: number;
}

/** Whose call it is. */
export interface CallOwner {
  /** The GraphQL operation; any value that is the same for all its calls and no others. */
  readonly operation: number;
  /** The same for all calls with the same token, from which it cannot be read. */
  readonly token: string;
}

interface Slot {
  readonly startedAt: number;
  readonly all: Counts;
  readonly byOperation: Map<number, Counts & { readonly token: string }>;
}

/** The calls of the last ten seconds, by operation and by token. */
export class CallWindow {
  readonly #slots: Slot[] = [];

  /** Counts a call. */
  add({ operation, token }: CallOwner, hasFailed: boolean): void {
    const slot = this.#current();
    const counts = slot.byOperation.get(operation) ?? { calls: 0, failed: 0, token };
    slot.byOperation.set(operation, counts);
    for (const each of [slot.all, counts]) {
      each.calls += 1;
      if (hasFailed) each.failed += 1;
    }
  }

  /** Forgets all. */
  clear(): void {
    this.#slots.length = 0;
  }

  /** All calls together. */
  total(): Counts {
    this.#current();
    return sum(this.#slots.map(({ all }) => all));
  }

  /** The calls of each operation, or of each token. */
  by<Kind extends keyof CallOwner>(kind: Kind): Map<CallOwner[Kind], Counts> {
    this.#current();
    const groups = new Map<CallOwner[Kind], Counts>();
    for (const { byOperation } of this.#slots) {
      for (const [operation, counts] of byOperation) {
        const key = { operation, token: counts.token }[kind];
        groups.set(key, sum([groups.get(key) ?? { calls: 0, failed: 0 }, counts]));
      }
    }
    return groups;
  }

  #current(): Slot {
    const now = performance.now();
    while (this.#slots[0] !== undefined && now - this.#slots[0].startedAt >= COUNTED_MS) this.#slots.shift();
    const last = this.#slots.at(-1);
    if (last !== undefined && now - last.startedAt < SLOT_MS) return last;
    const slot: Slot = { startedAt: now, all: { calls: 0, failed: 0 }, byOperation: new Map() };
    this.#slots.push(slot);
    return slot;
  }
}

/** Several counts in one. */
export function sum(all: Iterable<Counts>): Counts {
  const total = { calls: 0, failed: 0 };
  for (const { calls, failed } of all) {
    total.calls += calls;
    total.failed += failed;
  }
  return total;
}
