import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { LinkedList } from '../../core/linked-list.ts';
import { breakOff, type Connection, RunningRequest } from '../connections/connection.ts';

/**
 * All requests that run, the oldest first. The limit of operations, the limit of connections, the check for slow clients, the
 * shutdown and the gauges read this list.
 */
export class RunningRequests {
  readonly #running = new LinkedList<RunningRequest>();
  #idle: PromiseWithResolvers<void> | undefined;
  /** Whether the shutdown has begun. */
  stopping = false;

  /** How many run. */
  get size(): number {
    return this.#running.size;
  }

  /** Those that run now, the oldest first. */
  [Symbol.iterator](): Iterator<RunningRequest> {
    return this.#running[Symbol.iterator]();
  }

  /** Adds a request. During the shutdown, each is the last one of its connection. */
  begin(response: ServerResponse, connection: Connection): RunningRequest {
    const request = new RunningRequest(response, connection);
    if (this.stopping) response.setHeader('connection', 'close');
    this.#running.append(request.entry);
    request.listeners.push(() => {
      request.entry.remove();
      if (this.#running.size === 0) this.#idle?.resolve();
    });
    return request;
  }

  /** Begins the shutdown: every connection is closed after its current response. */
  stop(): void {
    this.stopping = true;
    for (const { response } of this.#running) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Aborts all operations because of the shutdown. */
  abortOperations(): void {
    for (const { operation } of this.#running) operation?.abort('shutting_down');
  }

  /** Breaks off what still runs. */
  breakOff(): void {
    for (const { response } of this.#running) breakOff(response);
  }

  /** Waits until no request runs, at most this long. Returns whether no request runs. */
  async idleWithin(milliseconds: number): Promise<boolean> {
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, milliseconds);
    let timedOut = false;
    timeout.promise.then(() => {
      timedOut = true;
    });
    while (!timedOut) {
      if (this.#running.size > 0) {
        this.#idle = Promise.withResolvers();
        await Promise.race([this.#idle.promise, timeout.promise]);
      }
      // Received requests are read within two turns of the event loop.
      await setImmediate();
      await setImmediate();
      if (this.#running.size === 0) break;
    }
    clearTimeout(timer);
    return this.#running.size === 0;
  }
}
