import { totalmem } from 'node:os';
import { trimIdle } from '../../core/buffer-pool.ts';
import type { Usage } from '../../core/usage.ts';
import { type Operation, SMALL_BYTES } from './operation.ts';

/** The minimum default of MEMORY_BUDGET, in bytes. */
const MIN_DEFAULT_BYTES = 64 * 2 ** 20;

/** Small requests may exceed the budget by this share, but at most by this many bytes. */
const ALLOWANCE_SHARE = 1 / 8;
const MAX_ALLOWANCE = 16 * 2 ** 20;

/** What grows shares this part of the budget. Beyond it only one grows, the one with the lock. */
const GROWING_SHARE = 1 / 8;

/** Reading ahead of slow clients leaves this part of the budget free. */
const SPARED_SHARE = 1 / 4;

/** The default of MEMORY_BUDGET: half of the memory that the process may use. */
export function defaultMemoryBudget(): number {
  const constrained = process.constrainedMemory();
  const usable = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.max(MIN_DEFAULT_BYTES, Math.floor(usable / 2));
}

/** What memory is held for: responses and what is built from them, what is read ahead of slow clients, or files of results. */
export type MemoryUse = 'responses' | 'read_ahead' | 'files';

/** What grows without a known end: a body of unknown length, or what is made of a file. */
export interface Growing {
  /** The bytes that it has got while it grew. Only `Memory` changes it. */
  grown: number;
}

/** A request of an operation for memory. */
export interface MemoryRequest {
  readonly operation: Operation;
  readonly use: MemoryUse;
  readonly bytes: number;
  /**
   * What grows; the bytes that it prefers; and those that it takes rather than wait for something that waits, too, if they are fewer.
   * Undefined: exactly `bytes`.
   */
  readonly growth: { readonly of: Growing; readonly upTo: number; readonly least?: number } | undefined;
}

/** A request that waits. */
export interface WaitingRequest extends MemoryRequest {
  /** Is called with the granted bytes, or with 0 when it is refused, because all memory is held by operations that wait. */
  readonly settle: (bytes: number) => void;
}

/**
 * A counting semaphore of bytes: those of all REST responses in the process, and of what is built from them. A request that does
 * not fit waits. Operations that hold memory come first, because only they can release some; then those of the token that holds
 * least, so that what comes free is shared evenly; else the order is that of arrival.
 *
 * What grows shares a small part of the budget. Beyond it only one grows, so that it can complete: it has the lock until then. Where all
 * wait for each other, it goes on first, and is refused last.
 */
export class Memory {
  /** The budget. */
  readonly bytes: number;
  /** The bytes that operations hold, by what they hold them for. */
  readonly uses: Record<MemoryUse, number> = { responses: 0, read_ahead: 0, files: 0 };
  readonly #stalledBytes: () => number;
  readonly #allowance: number;
  /** In the order of their arrival. */
  readonly #waiting = new Set<WaitingRequest>();
  #held = 0;
  /** The bytes of the operations that hold more than small responses; those of them that wait for more; and those of each token. */
  #large = 0;
  #largeOfWaiting = 0;
  readonly #tokens = new Map<string, number>();
  /** The bytes of all that grows, and what may grow beyond the shared part. */
  #growing = 0;
  #growthLock: Growing | undefined;
  #trimming: NodeJS.Immediate | undefined;

  /**
   * @param bytes the budget
   * @param stalledBytes the bytes of operations that release nothing, although they do not wait for memory: they wait for permits,
   *   which calls that wait for memory have
   */
  constructor(bytes: number, stalledBytes: () => number) {
    this.bytes = bytes;
    this.#stalledBytes = stalledBytes;
    this.#allowance = Math.min(bytes * ALLOWANCE_SHARE, MAX_ALLOWANCE);
  }

  /** The bytes that operations hold, and the budget. */
  get usage(): Usage {
    return { used: this.#held, limit: this.bytes };
  }

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether any operation waits for memory. */
  get isContended(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether so many bytes leave a quarter of the budget free, and nobody waits. */
  hasSpare(bytes: number): boolean {
    return !this.isContended && this.#held + bytes <= this.bytes * (1 - SPARED_SHARE);
  }

  /** Grants a request at once. Returns the granted bytes; 0 if it has to wait. It must not exceed the budget. */
  tryTake(request: MemoryRequest): number {
    const isGranted =
      request.bytes <= SMALL_BYTES && request.growth === undefined
        ? this.#held + request.bytes <= this.bytes + this.#allowance
        : !this.isContended && this.#mayGrow(request) && this.#fits(request);
    return isGranted ? this.#grant(request) : 0;
  }

  /** A request waits, because it could not be granted at once. */
  wait(request: WaitingRequest): void {
    this.#waiting.add(request);
    this.#countWait(request, 1);
    this.serve();
  }

  /** A request waits no longer. */
  leave(request: WaitingRequest): void {
    if (this.#remove(request)) this.serve();
  }

  /** An operation releases bytes. */
  release(operation: Operation, use: MemoryUse, bytes: number): void {
    this.uses[use] -= bytes;
    this.#change(operation, -bytes);
    this.serve();
  }

  /** Another operation holds bytes from now on. */
  move(from: Operation, to: Operation, bytes: number): void {
    this.#change(from, -bytes);
    this.#change(to, bytes);
    this.serve();
  }

  /** What has grown keeps its size, or is gone: its bytes no longer count as those of something that grows. */
  endGrowth(growing: Growing): void {
    this.#growing -= growing.grown;
    growing.grown = 0;
    if (this.#growthLock === growing) this.#growthLock = undefined;
    this.serve();
  }

  /** Grants what fits now. Call it also when calls with permits may all wait for memory. */
  serve(): void {
    while (this.#waiting.size > 0) {
      const next = this.#next();
      if (next !== undefined && this.#fits(next)) this.#settle(next, this.#grant(next));
      else if (!this.#isDeadlocked) return;
      else this.#giveWay();
    }
  }

  /** The request whose turn it is, if one does not wait for the lock to grow. */
  #next(): WaitingRequest | undefined {
    let next: WaitingRequest | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const request of this.#waiting) {
      const rank = this.#rankOf(request);
      if (rank >= least || !this.#mayGrow(request)) continue;
      next = request;
      least = rank;
    }
    return next;
  }

  /** The lowest comes first. For the lock to grow no holder comes first: it becomes free all the same. */
  #rankOf({ operation: { isHolder, token }, growth }: MemoryRequest): number {
    const isFirst = isHolder && (growth === undefined || growth.of === this.#growthLock);
    return isFirst ? -1 : (this.#tokens.get(token) ?? 0);
  }

  /** Whether all large memory is held by operations that wait, so that none of it is released. */
  get #isDeadlocked(): boolean {
    return this.#large > 0 && this.#large <= this.#largeOfWaiting + this.#stalledBytes();
  }

  /** Of operations that wait for each other one goes on with what is left, or the last one is refused. */
  #giveWay(): void {
    const requests = [...this.#waiting];
    const locked = requests.find(({ growth }) => growth !== undefined && growth.of === this.#growthLock);
    const others = requests.filter((request) => request !== locked);
    const free = this.bytes - this.#held;
    const next = [...(locked ? [locked] : []), ...others].find(
      (request) => (request.growth?.least ?? request.bytes) <= free && this.#mayGrow(request),
    );
    if (next !== undefined) {
      this.#settle(next, this.#grant({ ...next, bytes: Math.min(next.bytes, free) }));
      return;
    }
    const refused = others.findLast(({ operation }) => operation.isHolder) ?? others.at(-1) ?? locked;
    if (refused !== undefined) this.#settle(refused, 0);
  }

  #settle(request: WaitingRequest, granted: number): void {
    this.#remove(request);
    request.settle(granted);
  }

  #remove(request: WaitingRequest): boolean {
    if (!this.#waiting.delete(request)) return false;
    this.#countWait(request, -1);
    return true;
  }

  #countWait({ operation }: WaitingRequest, change: 1 | -1): void {
    const before = operation.waits > 0;
    operation.waits += change;
    if (before !== operation.waits > 0) this.#largeOfWaiting += change * operation.largeBytes;
  }

  #grant({ operation, use, bytes, growth }: MemoryRequest): number {
    const granted = growth === undefined ? bytes : this.#grow(bytes, growth);
    this.uses[use] += granted;
    this.#change(operation, granted);
    if (granted > SMALL_BYTES) this.#trimIdle();
    return granted;
  }

  #grow(bytes: number, { of: growing, upTo }: NonNullable<MemoryRequest['growth']>): number {
    this.#growthLock ??= growing;
    const free = this.bytes - this.#held;
    const shared = this.bytes * GROWING_SHARE - this.#growing;
    const most = Math.floor(this.#growthLock === growing ? free : Math.min(free, shared));
    const granted = Math.max(bytes, Math.min(upTo, most));
    growing.grown += granted;
    this.#growing += granted;
    return granted;
  }

  /** Whether it needs no lock to grow, or can have it. */
  #mayGrow({ bytes, growth }: MemoryRequest): boolean {
    if (growth === undefined || this.#growthLock === undefined || this.#growthLock === growth.of) return true;
    return this.#growing + bytes <= this.bytes * GROWING_SHARE;
  }

  #fits({ bytes }: MemoryRequest): boolean {
    return this.#held + bytes <= this.bytes;
  }

  #change(operation: Operation, bytes: number): void {
    const before = operation.largeBytes;
    this.#held += bytes;
    operation.held += bytes;
    const change = operation.largeBytes - before;
    if (change === 0) return;
    this.#large += change;
    if (operation.waits > 0) this.#largeOfWaiting += change;
    const ofToken = (this.#tokens.get(operation.token) ?? 0) + change;
    if (ofToken > 0) this.#tokens.set(operation.token, ofToken);
    else this.#tokens.delete(operation.token);
  }

  /** Idle buffers count too. This runs after the granted memory was taken from them. */
  #trimIdle(): void {
    this.#trimming ??= setImmediate(() => {
      this.#trimming = undefined;
      trimIdle(this.bytes - this.#held);
    });
  }
}
