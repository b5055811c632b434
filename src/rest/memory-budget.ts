import { totalmem } from 'node:os';
import { trimIdle } from '../core/buffer-pool.ts';

/** The least budget that is chosen where none is set, in bytes. */
const MIN_DEFAULT = 268_435_456;

/** A request of at most so many bytes (a metadata answer) does not wait behind larger ones. */
export const SMALL_BYTES = 65_536;
/** What small requests may take beyond the budget: this part of it, and so many bytes at most. */
const ALLOWANCE_SHARE = 1 / 8;
const MAX_ALLOWANCE = 16 * 2 ** 20;

/** What bodies of unknown length may take together, but for that of the oldest operation: this part of the budget. */
const GROWING_SHARE = 1 / 8;

/** The budget where MEMORY_BUDGET is not set: half of the memory that the process may use. */
export function defaultMemoryBudget(): number {
  const constrained = process.constrainedMemory();
  const usable = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.max(MIN_DEFAULT, Math.floor(usable / 2));
}

/** An operation that holds memory of the budget. */
export interface MemoryHolder {
  /** Older operations have lower numbers. */
  readonly age: number;
  /** Bytes. Only the budget changes them upwards. */
  held: number;
  /** Whether it holds more than small responses. */
  readonly isHolder: boolean;
}

/** Memory that an operation asks for. */
export interface MemoryRequest {
  readonly operation: MemoryHolder;
  readonly bytes: number;
  /** How many it would rather have, because it is not known how many the same body will need; absent: these and no more. */
  readonly growingTo?: number | undefined;
}

/** Memory that an operation waits for. */
export interface WaitingRequest extends MemoryRequest {
  /** Is called when so many bytes are granted later; or none, because nobody could go on otherwise. */
  readonly settle: (bytes: number) => void;
}

/**
 * How many bytes of REST answers, and of what is built from them, the process may hold. Who finds no room waits: first
 * come first served by operation, and operations that hold memory already before those that do not, because only they can
 * give any back. Bodies whose length is not known grow one after the other, beyond a small share of the budget that all of
 * them have together: so there is room for one to come to its end.
 */
export class MemoryBudget {
  readonly bytes: number;
  readonly #isStalled: (operation: MemoryHolder) => boolean;
  readonly #allowance: number;
  readonly #waiting = new Set<WaitingRequest>();
  /** The operations that hold more than small answers. */
  readonly #holders = new Set<MemoryHolder>();
  /** What operations hold for bodies that grow. */
  readonly #growing = new Map<MemoryHolder, number>();
  #growingBytes = 0;
  #held = 0;
  #opened = 0;
  #trimming: NodeJS.Immediate | undefined;

  /**
   * @param bytes the budget
   * @param isStalled whether an operation waits for something that others can only give when they get memory
   */
  constructor(bytes: number, isStalled: (operation: MemoryHolder) => boolean) {
    this.bytes = bytes;
    this.#isStalled = isStalled;
    this.#allowance = Math.min(bytes * ALLOWANCE_SHARE, MAX_ALLOWANCE);
  }

  /** One more operation begins; gives its age. */
  open(): number {
    this.#opened += 1;
    return this.#opened;
  }

  /** Whether an operation waits for memory. */
  get isContended(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether an operation holds more than small answers. */
  isHolder(operation: MemoryHolder): boolean {
    return this.#holders.has(operation);
  }

  /** Grants a request at once; how many bytes, or 0. One that is larger than the budget must not be made. */
  take(request: MemoryRequest): number {
    const isGranted =
      request.bytes <= SMALL_BYTES && request.growingTo === undefined
        ? this.#held + request.bytes <= this.bytes + this.#allowance
        : this.#waiting.size === 0 && this.#isInTurn(request) && this.#fits(request);
    return isGranted ? this.#grant(request) : 0;
  }

  /** Has a request wait that could not be granted at once. */
  wait(request: WaitingRequest): void {
    this.#waiting.add(request);
    this.serve();
  }

  /** A request need not be granted any more. */
  cancel(request: WaitingRequest): void {
    if (this.#waiting.delete(request)) this.serve();
  }

  /** So many bytes are free again. */
  returnBytes(operation: MemoryHolder, bytes: number): void {
    this.#held -= bytes;
    if (operation.held <= SMALL_BYTES) this.#holders.delete(operation);
    this.serve();
  }

  /** A body that has grown to so many bytes grows no more. */
  endGrowing(operation: MemoryHolder, bytes: number): void {
    const left = (this.#growing.get(operation) ?? 0) - bytes;
    if (left > 0) this.#growing.set(operation, left);
    else this.#growing.delete(operation);
    this.#growingBytes -= bytes;
    this.serve();
  }

  /** Grants what can be granted. To be called also when an operation may have been stalled. */
  serve(): void {
    while (this.#waiting.size > 0) {
      const all = [...this.#waiting].sort((one, other) => this.#rank(one) - this.#rank(other));
      const inTurn = all.find((request) => this.#isInTurn(request));
      let granted = inTurn !== undefined && this.#fits(inTurn) ? inTurn : undefined;
      if (granted === undefined && !this.#isStuck()) return;
      // Otherwise nobody could go on: then out of turn, if that helps; and if not, somebody has to lose.
      granted ??= all.find((request) => this.#fits(request));
      const loser = granted === undefined ? this.#loserAmong(all) : undefined;
      const settled = granted ?? loser;
      if (settled === undefined) return;
      this.#waiting.delete(settled);
      settled.settle(granted === undefined ? 0 : this.#grant(granted));
    }
  }

  #grant({ operation, bytes, growingTo }: MemoryRequest): number {
    const granted =
      growingTo === undefined ? bytes : Math.max(bytes, Math.min(growingTo, this.#growthLimit(operation)));
    this.#held += granted;
    operation.held += granted;
    if (operation.held > SMALL_BYTES) this.#holders.add(operation);
    if (granted > SMALL_BYTES) this.#trimIdle();
    if (growingTo !== undefined) {
      this.#growingBytes += granted;
      this.#growing.set(operation, (this.#growing.get(operation) ?? 0) + granted);
    }
    return granted;
  }

  /** Memory that is kept for the next answers counts, too. To be run when what was granted has been taken out of it. */
  #trimIdle(): void {
    this.#trimming ??= setImmediate(() => {
      this.#trimming = undefined;
      trimIdle(this.bytes - this.#held);
    });
  }

  /** How much a body may grow now. */
  #growthLimit(operation: MemoryHolder): number {
    const free = this.bytes - this.#held;
    const share = this.bytes * GROWING_SHARE - this.#growingBytes;
    return Math.floor(this.#isOldestGrowing(operation) ? free : Math.min(free, share));
  }

  #fits({ bytes }: MemoryRequest): boolean {
    return this.#held + bytes <= this.bytes;
  }

  /** Whether a body may grow now, and need not wait until an older one has come to its end. */
  #isInTurn({ operation, bytes, growingTo }: MemoryRequest): boolean {
    if (growingTo === undefined || this.#isOldestGrowing(operation)) return true;
    return this.#growingBytes + bytes <= this.bytes * GROWING_SHARE;
  }

  #isOldestGrowing({ age }: MemoryHolder): boolean {
    for (const other of this.#growing.keys()) if (other.age < age) return false;
    return true;
  }

  #rank({ operation }: MemoryRequest): number {
    return this.#holders.has(operation) ? operation.age - this.#opened - 1 : operation.age;
  }

  /** Whether no operation that holds memory can come to its end, and so give it back. */
  #isStuck(): boolean {
    const waiting = new Set([...this.#waiting].map(({ operation }) => operation));
    for (const holder of this.#holders) if (!waiting.has(holder) && !this.#isStalled(holder)) return false;
    return this.#holders.size > 0;
  }

  /** The last in turn among those that hold memory; undefined where only smaller answers are in the way, which end. */
  #loserAmong(inTurn: readonly WaitingRequest[]): WaitingRequest | undefined {
    const holding = inTurn.filter(({ operation }) => this.#holders.has(operation));
    if (new Set(holding.map(({ operation }) => operation)).size > 1) return holding.at(-1);
    // The one may wait for itself alone; otherwise those that hold memory wait for sockets, which others have.
    const waiting = new Set(holding.map(({ operation }) => operation));
    return [...this.#holders].every((holder) => waiting.has(holder)) ? undefined : inTurn.at(-1);
  }
}
