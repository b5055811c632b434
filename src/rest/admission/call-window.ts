/** The length of the window in milliseconds, and the number of slots that it consists of. */
export const WINDOW_MS = 10_000;
const SLOTS = 10;
const SLOT_MS = WINDOW_MS / SLOTS;

/** The number of calls, and how many of them failed. */
export interface Counts {
  calls: number;
  failed: number;
}

/** Whose call it is. */
export interface CallOwner {
  /** Identifies the GraphQL operation. */
  readonly id: symbol;
  /** Identifies the token without revealing it. */
  readonly token: string;
}

/** The calls of one second. Only failures are counted by owner: there are few while the service is up. */
interface Slot extends Counts {
  readonly startedAt: number;
  /** The owner of the first call, and whether all other calls have the same one. */
  readonly first: CallOwner;
  isOneOperation: boolean;
  isOneToken: boolean;
  readonly failedByOperation: Map<CallOwner['id'], number>;
  readonly failedByToken: Map<CallOwner['token'], number>;
}

/** Counts the calls of the last ten seconds. */
export class CallWindow {
  readonly #slots: Slot[] = [];

  add(owner: CallOwner, hasFailed: boolean): void {
    const slot = this.#current(owner);
    slot.calls += 1;
    slot.isOneOperation &&= slot.first.id === owner.id;
    slot.isOneToken &&= slot.first.token === owner.token;
    if (!hasFailed) return;
    slot.failed += 1;
    slot.failedByOperation.set(owner.id, (slot.failedByOperation.get(owner.id) ?? 0) + 1);
    slot.failedByToken.set(owner.token, (slot.failedByToken.get(owner.token) ?? 0) + 1);
  }

  clear(): void {
    this.#slots.length = 0;
  }

  /** The counts of all calls. */
  total(): Counts {
    const total = { calls: 0, failed: 0 };
    for (const { calls, failed } of this.#slots) {
      total.calls += calls;
      total.failed += failed;
    }
    return total;
  }

  /** The operation of all calls; undefined if there are several. */
  get onlyOperation(): CallOwner['id'] | undefined {
    const [{ first } = {}] = this.#slots;
    const isOnly = this.#slots.every((slot) => slot.isOneOperation && slot.first.id === first?.id);
    return isOnly ? first?.id : undefined;
  }

  /** The token of all calls; undefined if there are several. */
  get onlyToken(): CallOwner['token'] | undefined {
    const [{ first } = {}] = this.#slots;
    const isOnly = this.#slots.every((slot) => slot.isOneToken && slot.first.token === first?.token);
    return isOnly ? first?.token : undefined;
  }

  /** The maximum number of failures of one operation. */
  maxFailedOfOperation(): number {
    return maxIn(this.#slots.map(({ failedByOperation }) => failedByOperation));
  }

  /** The maximum number of failures with one token. */
  maxFailedOfToken(): number {
    return maxIn(this.#slots.map(({ failedByToken }) => failedByToken));
  }

  #current(first: CallOwner): Slot {
    const now = performance.now();
    while (this.#slots[0] !== undefined && now - this.#slots[0].startedAt >= WINDOW_MS) this.#slots.shift();
    const last = this.#slots.at(-1);
    if (last !== undefined && now - last.startedAt < SLOT_MS) return last;
    const slot: Slot = {
      startedAt: now,
      first: { id: first.id, token: first.token },
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
  let max = 0;
  for (const slot of slots) {
    for (const [owner, failed] of slot) {
      const sum = (sums.get(owner) ?? 0) + failed;
      sums.set(owner, sum);
      max = Math.max(max, sum);
    }
  }
  return max;
}
