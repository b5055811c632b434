import { totalmem } from 'node:os';
import { OperationMemory } from './operation-memory.ts';

/** The least budget that is chosen where none is set, in bytes. */
const LEAST_DEFAULT = 268_435_456;

/** A request of at most so many bytes (a metadata answer) does not wait behind larger ones. */
export const SMALL_BYTES = 65_536;
/** What small requests may take beyond the budget: this part of it, and so many bytes at most. */
const ALLOWANCE_SHARE = 1 / 8;
const MOST_ALLOWANCE = 16 * 2 ** 20;

/** The budget where MEMORY_BUDGET is not set: half of the memory that the process may use. */
export function defaultMemoryBudget(): number {
  const constrained = process.constrainedMemory();
  const usable = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.max(LEAST_DEFAULT, Math.floor(usable / 2));
}

/** Memory that an operation asks for. */
export interface MemoryRequest {
  readonly operation: OperationMemory;
  readonly bytes: number;
  /** Whether it is not known how much more the same body will need. */
  readonly isGrowing: boolean;
}

/** Memory that an operation waits for. */
export interface WaitingRequest extends MemoryRequest {
  /** Is called when it is granted later, or refused because nobody could go on otherwise. */
  readonly settle: (outcome: 'granted' | 'memoryBudget') => void;
}

/**
 * How many bytes of REST answers, and of what is built from them, the process may hold. Who finds no room waits: first
 * come first served by operation, and operations that hold memory already before those that do not, because only they can
 * give any back. Of bodies whose length is not known, only that of the oldest operation may take more than half of the
 * budget: so there is room for one to come to its end.
 */
export class MemoryBudget {
  readonly bytes: number;
  readonly #isStalled: (operation: OperationMemory) => boolean;
  readonly #allowance: number;
  readonly #waiting = new Set<WaitingRequest>();
  /** The operations that hold more than small answers. */
  readonly #holders = new Set<OperationMemory>();
  readonly #growing = new Map<OperationMemory, number>();
  #held = 0;
  #opened = 0;

  /**
   * @param bytes the budget
   * @param isStalled whether an operation waits for something that others can only give when they get memory
   */
  constructor(bytes: number, isStalled: (operation: OperationMemory) => boolean) {
    this.bytes = bytes;
    this.#isStalled = isStalled;
    this.#allowance = Math.min(bytes * ALLOWANCE_SHARE, MOST_ALLOWANCE);
  }

  /** The account of one operation. */
  open(): OperationMemory {
    this.#opened += 1;
    return new OperationMemory(this, this.#opened);
  }

  /** Whether an operation waits for memory. */
  get isContended(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether an operation holds more than small answers. */
  isHolder(operation: OperationMemory): boolean {
    return this.#holders.has(operation);
  }

  /** Grants a request at once; whether that was possible. One that is larger than the budget must not be made. */
  take(request: MemoryRequest): boolean {
    const hasRoom =
      request.bytes <= SMALL_BYTES
        ? this.#held + request.bytes <= this.bytes + this.#allowance
        : this.#waiting.size === 0 && this.#fits(request);
    if (hasRoom) this.#grant(request);
    return hasRoom;
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
  giveBack(operation: OperationMemory, bytes: number): void {
    this.#held -= bytes;
    if (operation.held <= SMALL_BYTES) this.#holders.delete(operation);
    this.serve();
  }

  /** A body of unknown length begins (1) or ends (-1). */
  noteGrowing(operation: OperationMemory, change: 1 | -1): void {
    const bodies = (this.#growing.get(operation) ?? 0) + change;
    if (bodies > 0) this.#growing.set(operation, bodies);
    else if (this.#growing.delete(operation)) this.serve();
  }

  /** Grants what can be granted. To be called also when an operation may have been stalled. */
  serve(): void {
    while (this.#waiting.size > 0) {
      const inTurn = [...this.#waiting].sort((one, other) => this.#rank(one) - this.#rank(other));
      const [next] = inTurn;
      const granted = next !== undefined && this.#fits(next) ? next : undefined;
      if (granted === undefined && !this.#isStuck()) return;
      // Otherwise nobody could go on: then out of turn, if that helps; and if not, somebody has to lose.
      const outOfTurn = granted ?? inTurn.find((request) => this.#fits(request));
      if (outOfTurn !== undefined) {
        this.#waiting.delete(outOfTurn);
        this.#grant(outOfTurn);
        outOfTurn.settle('granted');
        continue;
      }
      const loser = this.#loserAmong(inTurn);
      if (loser === undefined) return;
      this.#waiting.delete(loser);
      loser.settle('memoryBudget');
    }
  }

  #grant({ operation, bytes }: MemoryRequest): void {
    this.#held += bytes;
    operation.held += bytes;
    if (bytes > SMALL_BYTES) this.#holders.add(operation);
  }

  #fits({ operation, bytes, isGrowing }: MemoryRequest): boolean {
    const most = isGrowing && !this.#isOldestGrowing(operation) ? this.bytes / 2 : this.bytes;
    return this.#held + bytes <= most;
  }

  #isOldestGrowing({ age }: OperationMemory): boolean {
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
