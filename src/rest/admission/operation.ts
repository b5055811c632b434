import { LinkedList, ListEntry } from '../../core/linked-list.ts';

/** A response of at most so many bytes (metadata, as a rule) waits behind no larger one. */
export const SMALL_BYTES = 65_536;

/** One GraphQL operation, or one file, as the limits see it: all its calls and all its memory. */
export class Operation {
  /** Equal for equal tokens. The token cannot be read from it. */
  readonly token: string;
  /** Bytes. Only `Memory` changes it. */
  held = 0;
  /** How many of its requests wait for memory. Only `Memory` changes it. */
  waits = 0;
  /** How many of its calls have a permit. Only the semaphore changes it. */
  running = 0;
  /** The results that the circuits have counted of it, as bits. Only the circuit breakers change it. */
  counted = 0;
  /** Its calls that wait for a permit, and its entry in the order of turns while there are some. */
  readonly waiting: LinkedList<QueuedCall> = new LinkedList();
  readonly turn: ListEntry<Operation> = new ListEntry<Operation>(this);

  constructor(token: string) {
    this.token = token;
  }

  /** Whether it holds memory that it may keep for long: small responses wait for nothing, and are soon gone. */
  get isHolder(): boolean {
    return this.held > SMALL_BYTES;
  }

  /** The bytes that it holds if it is a holder. */
  get largeBytes(): number {
    return this.held > SMALL_BYTES ? this.held : 0;
  }
}

/** A call that needs a permit. It is its own entry of the queue. */
export interface QueuedCall {
  readonly operation: Operation;
  /** Whether its response may be so large that it has to wait for memory. */
  readonly mayStall: boolean;
  /** Its entry among the waiting calls of its operation, while it waits. */
  readonly entry: ListEntry<QueuedCall>;
  /** Its permit: none, held while it is made, or for as long as its client reads. Only the semaphore sets it. */
  permit: 'none' | 'held' | 'streaming';
  /** When it began to wait, in milliseconds of `performance.now()`; undefined if it got a permit at once. Only the semaphore sets it. */
  queuedAt: number | undefined;
  /** Is called when the call gets a permit: at once, or later. */
  start(): void;
  /** Is called when the queue is full: at once, or later. */
  reject(): void;
}
