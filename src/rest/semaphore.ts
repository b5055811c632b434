/** A permit that is taken, or waited for. */
export interface Permit {
  /** Gives the permit up, or stops waiting for it. To be called once. */
  release(): void;
  /** Says whether the call in it waits for something that only other calls can bring. */
  stall(isStalled: boolean): void;
}

/** Who calls. Calls of the same one share what one may have. */
export interface Owner {
  /** Whether it holds memory, which it gives back only when its calls have ended. */
  readonly isHolder: boolean;
}

/** A call that needs a permit. */
export interface Call {
  readonly owner: Owner;
  /** Whether its answer may be so large that it has to wait for memory. */
  readonly mayStall: boolean;
  /** Is called when there is a permit: at once, or later. */
  readonly start: () => void;
  /** Is called when too many wait: at once, or later. */
  readonly refuse: () => void;
}

/** A call in the queue, or with a permit. */
interface Guest extends Call {
  state: 'waiting' | 'admitted' | 'gone';
}

/** One in so many permits is kept from calls that may stall, and from those of one owner. */
const KEPT_SHARE = 4;
/** And from calls that may stall but whose owner holds memory, one in so many. */
const KEPT_FROM_HOLDERS = 8;

/**
 * A number of permits, and a queue of a bounded length before them. Owners are served in turn, and of each its calls in the
 * order of their coming, so that nobody waits behind all the calls of another. No owner has more than three quarters of the
 * permits; nor have all calls together that may stall, so that the small ones always find some.
 *
 * It is this queue and not the connection pool's own, because from that one nothing can be taken out again, and it has no
 * bound.
 */
export class Semaphore {
  readonly #most: number;
  readonly #maxWaiting: number;
  /** Whose calls wait, in the order of their turns. */
  readonly #waiting = new Map<Owner, Guest[]>();
  readonly #takenBy = new Map<Owner, number>();
  #waitingCalls = 0;
  #taken = 0;
  /** Of these those whose calls may stall, and those whose calls do. */
  #mayStall = 0;
  #stalled = 0;

  constructor(most: number, maxWaiting: number) {
    this.#most = most;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether such a call would have to wait. */
  wouldWait(call: Pick<Call, 'owner' | 'mayStall'>): boolean {
    return !this.#hasPermitFor(call);
  }

  /** Whether an owner waits for a permit, and nothing moves in any that is taken. */
  isStalled(owner: Owner): boolean {
    return this.#stalled === this.#taken && this.#waiting.has(owner);
  }

  /** Takes a permit, or waits for one. Where too many wait, the last call of whoever has most of them is refused. */
  take(call: Call): Permit {
    const guest: Guest = { ...call, state: 'waiting' };
    if (this.#hasPermitFor(guest)) {
      this.#start(guest);
    } else {
      const calls = this.#waiting.get(guest.owner) ?? [];
      this.#waiting.set(guest.owner, calls);
      calls.push(guest);
      this.#waitingCalls += 1;
      if (this.#waitingCalls > this.#maxWaiting) this.#refuseOne(guest.owner);
    }
    return {
      release: () => this.#release(guest),
      stall: (isStalled) => {
        this.#stalled += isStalled ? 1 : -1;
      },
    };
  }

  #hasPermitFor({ owner, mayStall }: Pick<Call, 'owner' | 'mayStall'>): boolean {
    if (this.#taken >= this.#most) return false;
    const share = this.#most - Math.floor(this.#most / KEPT_SHARE);
    if ((this.#takenBy.get(owner) ?? 0) >= share) return false;
    if (!mayStall) return true;
    return this.#mayStall < (owner.isHolder ? this.#most - Math.floor(this.#most / KEPT_FROM_HOLDERS) : share);
  }

  #start(guest: Guest): void {
    const { owner, mayStall } = guest;
    guest.state = 'admitted';
    this.#taken += 1;
    this.#takenBy.set(owner, (this.#takenBy.get(owner) ?? 0) + 1);
    if (mayStall) this.#mayStall += 1;
    guest.start();
  }

  #release(guest: Guest): void {
    const { owner, mayStall, state } = guest;
    if (state === 'waiting') this.#dequeue(guest);
    guest.state = 'gone';
    if (state !== 'admitted') return;
    this.#taken -= 1;
    if (mayStall) this.#mayStall -= 1;
    const taken = (this.#takenBy.get(owner) ?? 0) - 1;
    if (taken > 0) this.#takenBy.set(owner, taken);
    else this.#takenBy.delete(owner);
    this.#serve();
  }

  /** Starts the calls that there are permits for, one of each owner in turn. */
  #serve(): void {
    for (const [owner, calls] of this.#waiting) {
      if (this.#taken >= this.#most) return;
      const next = calls.find((call) => this.#hasPermitFor(call));
      if (next === undefined) continue;
      this.#dequeue(next);
      // Behind the others, where this loop comes to it again.
      if (this.#waiting.delete(owner)) this.#waiting.set(owner, calls);
      this.#start(next);
    }
  }

  #dequeue(guest: Guest): void {
    const calls = this.#waiting.get(guest.owner) ?? [];
    calls.splice(calls.indexOf(guest), 1);
    this.#waitingCalls -= 1;
    if (calls.length === 0) this.#waiting.delete(guest.owner);
  }

  #refuseOne(newcomer: Owner): void {
    let loser = newcomer;
    const waitingOf = (owner: Owner) => this.#waiting.get(owner)?.length ?? 0;
    for (const owner of this.#waiting.keys()) if (waitingOf(owner) > waitingOf(loser)) loser = owner;
    const last = this.#waiting.get(loser)?.at(-1);
    if (last === undefined) return;
    this.#dequeue(last);
    last.state = 'gone';
    last.refuse();
  }
}
