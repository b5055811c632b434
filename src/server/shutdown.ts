import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Operations, RESPONSE_GRACE_MS, withResponseGrace } from './operations.ts';
import { onResponseClosed } from './response-closed.ts';

/**
 * How long requests on new connections are still answered while others run: until routers know. To stop listening then
 * takes up to a second more.
 */
const MAX_NOTICE_MS = 4000;

/** The requests that run, from their head to the end of their response. */
export class RunningRequests {
  readonly #responses = new Set<ServerResponse>();
  #idle: PromiseWithResolvers<void> | undefined;
  /** Whether the program is about to end. */
  stopping = false;

  /** Counts every request of an app; while stopping, each is the last one of its connection. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', (_request, reply, done) => {
      const response = reply.raw;
      this.#responses.add(response);
      if (this.stopping) reply.header('connection', 'close');
      onResponseClosed(response, () => {
        this.#responses.delete(response);
        if (this.#responses.size === 0) this.#idle?.resolve();
      });
      done();
    });
  }

  /** From now on, every connection is closed after the answer that it waits for. */
  stop(): void {
    this.stopping = true;
    for (const response of this.#responses) if (!response.headersSent) response.setHeader('connection', 'close');
  }

  /** Waits until nothing runs, but not longer than so many milliseconds; whether that is so. */
  async idleWithin(milliseconds: number): Promise<boolean> {
    const time = Promise.withResolvers<void>();
    const timer = setTimeout(time.resolve, milliseconds);
    let waited = false;
    time.promise.then(() => {
      waited = true;
    });
    while (!waited) {
      if (this.#responses.size > 0) {
        this.#idle = Promise.withResolvers();
        await Promise.race([this.#idle.promise, time.promise]);
      }
      // What has arrived is read within two turns of the event loop.
      await nextTurn();
      await nextTurn();
      if (this.#responses.size === 0) break;
    }
    clearTimeout(timer);
    return this.#responses.size === 0;
  }
}

/**
 * Stops an app so that nothing that it has accepted is lost. First everything is answered as before while requests run,
 * and each answer closes its connection; then no more connections are accepted, and what runs may come to its end;
 * then operations end with an error of ours; and what has not ended then is cut off.
 *
 * @param stopListening accepts no more connections
 * @param timeoutMs how long an operation may take
 */
export async function drain(
  app: FastifyInstance,
  running: RunningRequests,
  operations: Operations,
  stopListening: () => Promise<void>,
  timeoutMs: number,
): Promise<void> {
  running.stop();
  await running.idleWithin(Math.min(MAX_NOTICE_MS, timeoutMs));
  await stopListening();
  const closed = app.close();
  if (!(await running.idleWithin(withResponseGrace(timeoutMs)))) {
    operations.endAll();
    await running.idleWithin(RESPONSE_GRACE_MS);
  }
  app.server.closeAllConnections();
  await closed;
}
