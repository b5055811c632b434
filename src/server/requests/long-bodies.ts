import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ListEntry } from '../../core/linked-list.ts';
import { Operation, type QueuedCall } from '../../rest/admission/operation.ts';
import { Semaphore } from '../../rest/admission/semaphore.ts';
import { onResponseClosed } from '../connections/connection.ts';

/** How many bodies are decoded and parsed at the same time: as many as the thread pool has threads by default. */
const MAX_READ = 4;

/** Bodies of at least this many bytes are long. */
export const LONG_BYTES = 65_536;

/** A body that waits until it is its turn to be read. */
class LongBody implements QueuedCall {
  readonly operation: Operation;
  readonly mayStall = false;
  readonly entry: ListEntry<QueuedCall> = new ListEntry<QueuedCall>(this);
  permit: QueuedCall['permit'] = 'none';
  queuedAt: number | undefined = undefined;
  /** Whether it may be read. */
  readonly turn: PromiseWithResolvers<boolean> = Promise.withResolvers<boolean>();

  constructor(operation: Operation) {
    this.operation = operation;
  }

  start(): void {
    this.turn.resolve(true);
  }

  reject(): void {
    this.turn.resolve(false);
  }
}

/**
 * Bounds the memory of long bodies, and of encoded ones, whose length is unknown until they are decoded. A few are read at
 * the same time, and connections take turns. Others wait as they were received, half as many as operations may run. All
 * operations together have no more bytes of long bodies than if each had the longest body that is not long. What is parsed
 * from a byte may take fourteen.
 */
export class LongBodies {
  readonly #maxBytes: number;
  readonly #reading: Semaphore;
  readonly #connections = new WeakMap<Socket, Operation>();
  #bytes = 0;

  /** @param maxOperations the maximum number of concurrent operations */
  constructor(maxOperations: number) {
    this.#maxBytes = maxOperations * LONG_BYTES;
    this.#reading = new Semaphore(MAX_READ, Math.ceil(maxOperations / 2));
  }

  /**
   * Waits until the body of a request may be read. Never resolves if the connection is closed before.
   *
   * @returns what to call when the operation has begun; undefined if the limit is reached
   */
  async acquire(response: ServerResponse): Promise<(() => void) | undefined> {
    const body = new LongBody(this.#connectionOf(response.req.socket));
    const release = () => this.#reading.release(body);
    this.#reading.acquire(body);
    // Reading goes on when the connection is closed, so the permit stays in use.
    onResponseClosed(response, () => {
      if (body.permit === 'none') release();
    });
    if (!(await body.turn.promise)) return undefined;
    if (this.#bytes < this.#maxBytes) return release;
    release();
    return undefined;
  }

  /** Counts the decoded bytes of a long body until its response is closed. */
  hold(bytes: number, response: ServerResponse): void {
    this.#bytes += bytes;
    onResponseClosed(response, () => {
      this.#bytes -= bytes;
    });
  }

  /** Connections take turns as operations do. */
  #connectionOf(socket: Socket): Operation {
    const known = this.#connections.get(socket) ?? new Operation('');
    this.#connections.set(socket, known);
    return known;
  }
}
