import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Owner, type Permit, Semaphore } from '../../rest/admission/semaphore.ts';
import { onResponseClosed } from '../connections/response-closed.ts';

/** How many bodies are decoded and parsed at the same time: as many as the thread pool has threads by default. */
const MAX_READ = 4;

/** Bodies of at least this many bytes are long. */
export const LONG_BYTES = 65_536;

/**
 * Bounds the memory of long bodies, and of encoded ones, whose length is unknown until they are decoded. A few are read at
 * the same time, and connections take turns. Others wait as they were received, half as many as operations may run. All
 * operations together have no more bytes of long bodies than if each had the longest body that is not long. What is parsed
 * from a byte may take fourteen.
 */
export class LongBodies {
  readonly #maxBytes: number;
  readonly #reading: Semaphore;
  readonly #owners = new WeakMap<Socket, Owner>();
  #bytes = 0;

  /** @param maxOperations the maximum number of concurrent operations */
  constructor(maxOperations: number) {
    this.#maxBytes = maxOperations * LONG_BYTES;
    this.#reading = new Semaphore(MAX_READ, Math.ceil(maxOperations / 2));
  }

  /**
   * Waits until the body of a request may be read. Never resolves if the connection is closed before.
   *
   * @returns the permit, to be released when the operation has begun; undefined if the limit is reached
   */
  async acquire(response: ServerResponse): Promise<Permit | undefined> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let isWaiting = true;
    const settle = (isGranted: boolean) => {
      isWaiting = false;
      resolve(isGranted);
    };
    const owner = this.#ownerOf(response.req.socket);
    const start = () => settle(true);
    const reject = () => settle(false);
    const permit = this.#reading.acquire({ owner, mayStall: false, start, reject });
    // Reading goes on when the connection is closed, so the permit stays in use.
    onResponseClosed(response, () => {
      if (isWaiting) permit.release();
    });
    if (!(await promise)) return undefined;
    if (this.#bytes < this.#maxBytes) return permit;
    permit.release();
    return undefined;
  }

  /** Counts the decoded bytes of a long body until its response is closed. */
  hold(bytes: number, response: ServerResponse): void {
    this.#bytes += bytes;
    onResponseClosed(response, () => {
      this.#bytes -= bytes;
    });
  }

  #ownerOf(socket: Socket): Owner {
    const owner = this.#owners.get(socket) ?? { isHolder: false };
    this.#owners.set(socket, owner);
    return owner;
  }
}
