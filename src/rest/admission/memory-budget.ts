import { totalmem } from 'node:os';
import { trimIdle } from '../../core/buffer-pool.ts';
import type { Usage } from '../../core/usage.ts';
import type { Owner } from './semaphore.ts';

/** The minimum default budget, in bytes. */
const MIN_DEFAULT_BYTES = 64 * 2 ** 20;

/** A request of at most this many bytes (a metadata response) does not wait behind larger ones. */
export const SMALL_BYTES = 65_536;
/** Small requests may exceed the budget by this share, but at most by this many bytes. */
const ALLOWANCE_SHARE = 1 / 8;
const MAX_ALLOWANCE = 16 * 2 ** 20;

/** Bodies of unknown length share this part of the budget. Those of the oldest operation may use more. */
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

/** An operation that holds memory of the budget. */
export interface MemoryHolder extends Owner {
  /** Older operations have lower numbers. */
  readonly age: number;
  /** Bytes. Only the budget increases them. */
  held: number;
}

/** An operation that waits for a call, which another one may have begun. */
export interface Waiter {
  readonly operation: MemoryHolder;
}

/** A request of an operation for memory. */
export interface MemoryRequest {
  readonly operation: MemoryHolder;
  /** Who waits for the call that needs it, if several operations may. */
  readonly waiters: ReadonlySet<Waiter> | undefined;
  readonly bytes: number;
  /** For a body of unknown length: the preferred number of bytes. Absent: exactly `bytes`. */
  readonly growingTo?: number | undefined;
}

/** A request that waits. */
export interface WaitingRequest extends MemoryRequest {
  /** Is called with the granted bytes, or with 0 when the request is rejected to resolve a deadlock. */
  readonly settle: (bytes: number) => void;
}

/**
 * Limits the bytes of REST responses, and of what is built from them, in the whole process. Requests that do not fit wait.
 * They are granted by the age of their operations, and operations that hold memory come first, because only they can release
 * some. Bodies of unknown length share a small part of the budget. Beyond it they grow one at a time, so that one of them
 * can complete.
 */
export class MemoryBudget {
  readonly bytes: number;
  /** The bytes that operations hold, by what they hold them for. */
  readonly uses: Record<MemoryUse, number> = { responses: 0, read_ahead: 0, files: 0 };
  readonly #isStalled: (operation: MemoryHolder) => boolean;
  readonly #allowance: number;
  readonly #waiting = new Set<WaitingRequest>();
  /** The operations that hold more than small responses. */
  readonly #holders = new Set<MemoryHolder>();
  /** The bytes that operations hold for growing bodies. */
  readonly #growing = new Map<MemoryHolder, number>();
  #growingBytes = 0;
  #registered = 0;
  #trimming: NodeJS.Immediate | undefined;

  /**
   * @param bytes the budget
   * @param isStalled whether an operation waits for a permit, and all permits are held by calls that wait for memory
   */
  constructor(bytes: number, isStalled: (operation: MemoryHolder) => boolean) {
    this.bytes = bytes;
    this.#isStalled = isStalled;
    this.#allowance = Math.min(bytes * ALLOWANCE_SHARE, MAX_ALLOWANCE);
  }

  /** Registers a new operation. Returns its age. */
  register(): number {
    this.#registered += 1;
    return this.#registered;
  }

  /** The bytes that operations hold, and the budget. */
  get usage(): Usage {
    return { used: this.#held, limit: this.bytes };
  }

  get #held(): number {
    const { responses, read_ahead, files } = this.uses;
    return responses + read_ahead + files;
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

  /** Whether an operation holds more than small responses. */
  isHolder(operation: MemoryHolder): boolean {
    return this.#holders.has(operation);
  }

  /** Tries to grant a request at once. Returns the granted bytes, or 0. The request must not exceed the budget. */
  tryAcquire(request: MemoryRequest): number {
    const isGranted =
      request.bytes <= SMALL_BYTES && request.growingTo === undefined
        ? this.#held + request.bytes <= this.bytes + this.#allowance
        : this.#waiting.size === 0 && this.#mayGrow(request) && this.#fits(request);
    return isGranted ? this.#grant(request) : 0;
  }

  /** Adds a request that could not be granted at once. */
  enqueue(request: WaitingRequest): void {
    this.#waiting.add(request);
    this.serve();
  }

  /** Removes a waiting request. */
  cancel(request: WaitingRequest): void {
    if (this.#waiting.delete(request)) this.serve();
  }

  /** An operation holds less. */
  released(operation: MemoryHolder): void {
    if (operation.held <= SMALL_BYTES) this.#holders.delete(operation);
    this.serve();
  }

  /** Passes on bytes that an operation holds. */
  move(from: MemoryHolder, to: MemoryHolder, bytes: number): void {
    from.held -= bytes;
    to.held += bytes;
    if (from.held <= SMALL_BYTES) this.#holders.delete(from);
    if (to.held > SMALL_BYTES) this.#holders.add(to);
    this.serve();
  }

  /** A body stops growing, with this many bytes. */
  endGrowing(operation: MemoryHolder, bytes: number): void {
    const left = (this.#growing.get(operation) ?? 0) - bytes;
    if (left > 0) this.#growing.set(operation, left);
    else this.#growing.delete(operation);
    this.#growingBytes -= bytes;
    this.serve();
  }

  /** Grants waiting requests. Call it also when an operation may have stalled. */
  serve(): void {
    while (this.#waiting.size > 0) {
      const all = [...this.#waiting].sort((one, other) => this.#priority(one) - this.#priority(other));
      const next = all.find((request) => this.#mayGrow(request));
      let granted = next !== undefined && this.#fits(next) ? next : undefined;
      if (granted === undefined && !this.#isDeadlocked()) return;
      // A deadlock: grant any request that fits. If none fits, reject one.
      granted ??= all.find((request) => this.#fits(request));
      const rejected = granted === undefined ? this.#requestToReject(all) : undefined;
      const settled = granted ?? rejected;
      if (settled === undefined) return;
      this.#waiting.delete(settled);
      settled.settle(granted === undefined ? 0 : this.#grant(granted));
    }
  }

  #grant({ operation, bytes, growingTo }: MemoryRequest): number {
    const granted =
      growingTo === undefined ? bytes : Math.max(bytes, Math.min(growingTo, this.#growthLimit(operation)));
    operation.held += granted;
    if (operation.held > SMALL_BYTES) this.#holders.add(operation);
    if (granted > SMALL_BYTES) this.#trimIdle();
    if (growingTo !== undefined) {
      this.#growingBytes += granted;
      this.#growing.set(operation, (this.#growing.get(operation) ?? 0) + granted);
    }
    return granted;
  }

  /** Idle buffers count too. This runs after the granted memory was taken from them. */
  #trimIdle(): void {
    this.#trimming ??= setImmediate(() => {
      this.#trimming = undefined;
      trimIdle(this.bytes - this.#held);
    });
  }

  /** The maximum bytes by which a body may grow now. */
  #growthLimit(operation: MemoryHolder): number {
    const free = this.bytes - this.#held;
    const share = this.bytes * GROWING_SHARE - this.#growingBytes;
    return Math.floor(this.#isOldestGrowing(operation) ? free : Math.min(free, share));
  }

  #fits({ bytes }: MemoryRequest): boolean {
    return this.#held + bytes <= this.bytes;
  }

  /** Whether a body may grow now instead of waiting for an older one. */
  #mayGrow({ operation, bytes, growingTo }: MemoryRequest): boolean {
    if (growingTo === undefined || this.#isOldestGrowing(operation)) return true;
    return this.#growingBytes + bytes <= this.bytes * GROWING_SHARE;
  }

  #isOldestGrowing({ age }: MemoryHolder): boolean {
    for (const other of this.#growing.keys()) if (other.age < age) return false;
    return true;
  }

  /** That of the first operation that needs it. */
  #priority(request: MemoryRequest): number {
    const priorities = operationsOf(request).map((operation) =>
      this.#holders.has(operation) ? operation.age - this.#registered - 1 : operation.age,
    );
    return Math.min(...priorities);
  }

  /** Whether no operation that holds memory can complete and release it. */
  #isDeadlocked(): boolean {
    const waiting = new Set([...this.#waiting].flatMap(operationsOf));
    for (const holder of this.#holders) if (!waiting.has(holder) && !this.#isStalled(holder)) return false;
    return this.#holders.size > 0;
  }

  /** The last request among operations that hold memory; undefined if only small responses hold memory, because they complete. */
  #requestToReject(requests: readonly WaitingRequest[]): WaitingRequest | undefined {
    const holdersOf = (request: MemoryRequest) => operationsOf(request).filter((each) => this.#holders.has(each));
    const holding = requests.filter((request) => holdersOf(request).length > 0);
    const waiting = new Set(holding.flatMap(holdersOf));
    if (waiting.size > 1) return holding.at(-1);
    // A single operation may wait for itself, but not for a call of another one that needs what it holds.
    const isPossible = ({ bytes }: MemoryRequest) => [...waiting].every(({ held }) => held + bytes <= this.bytes);
    if (!holding.every(isPossible)) return holding.at(-1);
    // Otherwise the holders wait for sockets that other calls hold.
    return [...this.#holders].every((holder) => waiting.has(holder)) ? undefined : requests.at(-1);
  }
}

/** The operations that need a request: that which began the call, and those that wait for it. */
function operationsOf({ operation, waiters }: MemoryRequest): MemoryHolder[] {
  return waiters === undefined ? [operation] : [operation, ...Array.from(waiters, (waiter) => waiter.operation)];
}
