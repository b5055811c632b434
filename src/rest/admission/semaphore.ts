import { LinkedList, type ListEntry } from '../../core/linked-list.ts';
import type { Operation, QueuedCall } from './operation.ts';

/** The operations of a token that have waiting calls, in the order of their turns. */
interface TokenTurns {
  readonly token: string;
  readonly operations: LinkedList<Operation>;
}

/** The calls of one operation leave one in four permits free, and so do all calls together that may stall. */
const RESERVED_ONE_IN = 4;
/** Calls that may stall, but whose operation holds memory, leave one in eight free. */
const HOLDERS_RESERVED_ONE_IN = 8;

/**
 * A fair semaphore with a bounded queue. Tokens take turns, and so do the operations of a token; the calls of one operation run in
 * their order. So nobody waits behind all calls of another, whether a client has a token of its own or a router sends one for all.
 * One operation holds at most three quarters of the permits. The same limit applies to all calls together that may stall, so small
 * calls always get permits.
 *
 * The queue of the connection pool is not used, because it is unbounded and its entries cannot be removed.
 */
export class Semaphore {
  readonly #permits: number;
  readonly #maxWaiting: number;
  /** The tokens with waiting calls, in the order of their turns. */
  readonly #turns = new LinkedList<TokenTurns>();
  readonly #tokens = new Map<string, ListEntry<TokenTurns>>();
  #waitingCalls = 0;
  #inUse = 0;
  /** The permits of calls that may stall, and of calls that do. */
  #mayStall = 0;
  #stalled = 0;
  /** The permits of calls that take as long as their clients read. */
  #streaming = 0;

  constructor(permits: number, maxWaiting: number) {
    this.#permits = permits;
    this.#maxWaiting = maxWaiting;
  }

  /** The number of calls that wait. */
  get waiting(): number {
    return this.#waitingCalls;
  }

  /** Whether clients that read slowly may be why a call has waited for so many milliseconds. */
  isHeldUp(milliseconds: number): boolean {
    if (this.#streaming === 0) return false;
    const latest = performance.now() - milliseconds;
    for (const { waiting } of this.#waitingOperations()) {
      const since = waiting.first?.value.queuedAt;
      if (since !== undefined && since <= latest) return true;
    }
    return false;
  }

  /**
   * The bytes of operations that wait for a permit, and not for memory, if all calls with a permit wait for memory: then these
   * operations release nothing.
   */
  get stalledBytes(): number {
    let bytes = 0;
    if (this.#stalled < this.#inUse) return bytes;
    for (const { waits, largeBytes } of this.#waitingOperations()) if (waits === 0) bytes += largeBytes;
    return bytes;
  }

  /** Whether a call would have to wait. */
  wouldWait(call: Pick<QueuedCall, 'operation' | 'mayStall'>): boolean {
    return !this.#hasPermitFor(call);
  }

  /**
   * Acquires a permit, or waits for one. If the queue is full, the operation with the largest number of waiting calls loses its
   * last one: that call is rejected.
   */
  acquire(call: QueuedCall): void {
    if (this.#hasPermitFor(call)) this.#start(call);
    else this.#enqueue(call);
  }

  /** Releases the permit of a call, or stops waiting for it. A second time does nothing. */
  release(call: QueuedCall): void {
    if (call.entry.list !== undefined) this.#dequeue(call);
    if (call.permit === 'none') return;
    if (call.permit === 'streaming') this.#streaming -= 1;
    call.permit = 'none';
    this.#inUse -= 1;
    call.operation.running -= 1;
    if (call.mayStall) this.#mayStall -= 1;
    this.#serve();
  }

  /** A call with a permit takes as long as its client reads, from now on. */
  pass(call: QueuedCall): void {
    if (call.permit !== 'held') return;
    call.permit = 'streaming';
    this.#streaming += 1;
  }

  /** A call with a permit waits for memory, which only other calls can release, or no longer. */
  stall(isStalled: boolean): void {
    this.#stalled += isStalled ? 1 : -1;
  }

  #hasPermitFor({ operation, mayStall }: Pick<QueuedCall, 'operation' | 'mayStall'>): boolean {
    if (this.#inUse >= this.#permits) return false;
    const share = this.#permits - Math.floor(this.#permits / RESERVED_ONE_IN);
    if (operation.running >= share) return false;
    if (!mayStall) return true;
    const ofHolders = this.#permits - Math.floor(this.#permits / HOLDERS_RESERVED_ONE_IN);
    return this.#mayStall < (operation.isHolder ? ofHolders : share);
  }

  #start(call: QueuedCall): void {
    call.permit = 'held';
    this.#inUse += 1;
    call.operation.running += 1;
    if (call.mayStall) this.#mayStall += 1;
    call.start();
  }

  #enqueue(call: QueuedCall): void {
    const { operation } = call;
    call.queuedAt = performance.now();
    operation.waiting.append(call.entry);
    if (operation.turn.list === undefined) this.#turnsOf(operation.token).append(operation.turn);
    this.#waitingCalls += 1;
    if (this.#waitingCalls > this.#maxWaiting) this.#rejectOne(operation);
  }

  #dequeue({ entry, operation }: QueuedCall): void {
    const { waiting, turn } = operation;
    entry.remove();
    this.#waitingCalls -= 1;
    if (waiting.size > 0) return;
    turn.remove();
    const ofToken = this.#tokens.get(operation.token);
    if (ofToken === undefined || ofToken.value.operations.size > 0) return;
    ofToken.remove();
    this.#tokens.delete(operation.token);
  }

  #turnsOf(token: string): LinkedList<Operation> {
    let entry = this.#tokens.get(token);
    if (entry === undefined) {
      entry = this.#turns.add({ token, operations: new LinkedList() });
      this.#tokens.set(token, entry);
    }
    return entry.value.operations;
  }

  *#waitingOperations(): Generator<Operation> {
    for (const { operations } of this.#turns) yield* operations;
  }

  /** Starts waiting calls while there are permits, one of each token in turn. */
  #serve(): void {
    let turn = this.#turns.first;
    while (turn !== undefined && this.#inUse < this.#permits) {
      const following = turn.next;
      const next = this.#nextOf(turn.value);
      if (next === undefined) {
        turn = following;
        continue;
      }
      this.#dequeue(next);
      const ofOperation = next.operation.turn;
      if (ofOperation.list !== undefined) turn.value.operations.append(ofOperation);
      if (turn.list !== undefined) this.#turns.append(turn);
      this.#start(next);
      turn = following ?? this.#turns.last;
    }
  }

  /** The first waiting call of a token that may have a permit, of its operations in turn. */
  #nextOf({ operations }: TokenTurns): QueuedCall | undefined {
    for (let turn = operations.first; turn !== undefined; turn = turn.next) {
      for (let entry = turn.value.waiting.first; entry !== undefined; entry = entry.next) {
        const call = entry.value;
        if (this.#hasPermitFor(call)) return call;
        // Without a permit for a call that does not stall, there is none for any call of its operation.
        if (!call.mayStall) break;
      }
    }
    return undefined;
  }

  #rejectOne(newest: Operation): void {
    let largest = newest;
    for (const each of this.#waitingOperations()) if (each.waiting.size > largest.waiting.size) largest = each;
    const last = largest.waiting.last?.value;
    if (last === undefined) return;
    this.#dequeue(last);
    last.reject();
  }
}
