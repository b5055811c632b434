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

/** The calls of a second. Of each owner only the failures are kept: there are few as long as the service answers. */
interface Slot extends Counts {
  readonly startedAt: number;
  /** Whose the first call was, and whether all others were of the same one. */
  readonly first: CallOwner;
  isOneOperation: boolean;
  isOneToken: boolean;
  readonly failedByOperation: Map<CallOwner['operation'], number>;
  readonly failedByToken: Map<CallOwner['token'], number>;
}

/** The calls of the last ten seconds. */
export class CallWindow {
  readonly #slots: Slot[] = [];

  /** Counts a call. */
  add(owner: CallOwner, hasFailed: boolean): void {
    const slot = this.#current(owner);
    slot.calls += 1;
    slot.isOneOperation &&= slot.first.operation === owner.operation;
    slot.isOneToken &&= slot.first.token === owner.token;
    if (!hasFailed) return;
    slot.failed += 1;
    slot.failedByOperation.set(owner.operation, (slot.failedByOperation.get(owner.operation) ?? 0) + 1);
    slot.failedByToken.set(owner.token, (slot.failedByToken.get(owner.token) ?? 0) + 1);
  }

  /** Forgets all. */
  clear(): void {
    this.#slots.length = 0;
  }

  /** All calls together. */
  total(): Counts {
    const total = { calls: 0, failed: 0 };
    for (const { calls, failed } of this.#slots) {
      total.calls += calls;
      total.failed += failed;
    }
    return total;
  }

  /** The operation that made all calls; undefined where several did. */
  get onlyOperation(): CallOwner['operation'] | undefined {
    const [{ first } = {}] = this.#slots;
    const isOnly = this.#slots.every((slot) => slot.isOneOperation && slot.first.operation === first?.operation);
    return isOnly ? first?.operation : undefined;
  }

  /** The token with which all calls were made; undefined where there were several. */
  get onlyToken(): CallOwner['token'] | undefined {
    const [{ first } = {}] = this.#slots;
    const isOnly = this.#slots.every((slot) => slot.isOneToken && slot.first.token === first?.token);
    return isOnly ? first?.token : undefined;
  }

  /** The most failures that calls of one operation had. */
  maxFailedOfOperation(): number {
    return maxIn(this.#slots.map(({ failedByOperation }) => failedByOperation));
  }

  /** The most failures that calls with one token had. */
  maxFailedOfToken(): number {
    return maxIn(this.#slots.map(({ failedByToken }) => failedByToken));
  }

  #current(first: CallOwner): Slot {
    const now = performance.now();
    while (this.#slots[0] !== undefined && now - this.#slots[0].startedAt >= COUNTED_MS) this.#slots.shift();
    const last = this.#slots.at(-1);
    if (last !== undefined && now - last.startedAt < SLOT_MS) return last;
    const slot: Slot = {
      startedAt: now,
      first,
      isOneOperation: true,
      isOneToken: true,
      calls: 0,
      failed: 0,
      failedByOperation: new Map(),
      failedByToken: new Map(),
    };
    this.#slots.push(slot);
    return slot;
  }
}

function maxIn<Owner>(slots: readonly ReadonlyMap<Owner, number>[]): number {
  const sums = new Map<Owner, number>();
  let most = 0;
  for (const slot of slots) {
    for (const [owner, failed] of slot) {
      const sum = (sums.get(owner) ?? 0) + failed;
      sums.set(owner, sum);
      most = Math.max(most, sum);
    }
  }
  return most;
}
