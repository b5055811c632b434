import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { MAX_TIMER_MS } from '../../config.ts';
import type { Usage } from '../../core/usage.ts';
import { onResponseClosed, runningRequest } from '../connections/connection.ts';
import { sendUnavailable } from '../responses/json-errors.ts';

/** Why an operation was aborted. */
export type AbortReason = 'timeout' | 'shutting_down';

/** The time to complete a response after the deadline of its REST calls. */
export const RESPONSE_GRACE_MS = 1000;

/** The maximum time of an operation whose REST calls may take `timeoutMs`. */
export function operationDeadlineMs(timeoutMs: number): number {
  return Math.min(timeoutMs + RESPONSE_GRACE_MS, MAX_TIMER_MS);
}

/** The running operations. Limits their number and their time. */
export class Operations {
  readonly #max: number;
  readonly #deadlineMs: number;
  #running = 0;
  readonly #onReject: () => void;

  /**
   * @param max the maximum number of concurrent operations
   * @param timeoutMs milliseconds for the REST calls of each
   * @param onReject is called for each rejected request
   */
  constructor(max: number, timeoutMs: number, onReject: () => void) {
    this.#max = max;
    this.#deadlineMs = operationDeadlineMs(timeoutMs);
    this.#onReject = onReject;
  }

  /** How many run, and how many may. */
  get usage(): Usage {
    return { used: this.#running, limit: this.#max };
  }

  /** Starts an operation. It counts until its response is closed. */
  begin(response: ServerResponse): Operation {
    const operation = new Operation(this.#deadlineMs);
    const request = runningRequest(response);
    if (request !== undefined) request.operation = operation;
    this.#running += 1;
    onResponseClosed(response, () => {
      operation.close();
      this.#running -= 1;
    });
    return operation;
  }

  /** Rejects requests while the limit is reached. It checks before and after reading the body. */
  shedLoad(app: FastifyInstance): void {
    const message = `The subgraph is at its limit of ${this.#max} concurrent operations (MAX_OPERATIONS).`;
    const rejectIfFull = (_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
      if (this.#running < this.#max) return done();
      this.#onReject();
      return void sendUnavailable(reply, message, 'OVERLOADED');
    };
    app.addHook('onRequest', rejectIfFull);
    app.addHook('preHandler', rejectIfFull);
  }
}

/** One operation, which can be aborted until its response is ready. */
export class Operation {
  #abort: (reason: AbortReason) => void = () => {};
  readonly #timer: NodeJS.Timeout;
  #settled = false;

  constructor(deadlineMs: number) {
    this.#timer = setTimeout(() => this.abort('timeout'), deadlineMs);
  }

  /** Waits for the response. If the operation is aborted before, it resolves to the reason. Call it once, at the start. */
  orAborted<T>(response: Promise<T>): Promise<T | AbortReason> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: T | AbortReason) => {
        if (this.#settled) return;
        this.#settled = true;
        clearTimeout(this.#timer);
        resolve(outcome);
      };
      this.#abort = settle;
      response.then(settle, reject);
    });
  }

  abort(reason: AbortReason): void {
    if (!this.#settled) this.#abort(reason);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
