import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { MAX_TIMER_MS } from '../../config.ts';
import type { Usage } from '../../core/usage.ts';
import type { RunningRequest } from '../connections/connection.ts';
import { sendOverloaded } from '../responses/json-errors.ts';

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

  /**
   * @param max the maximum number of concurrent operations
   * @param timeoutMs milliseconds for the REST calls of each
   */
  constructor(max: number, timeoutMs: number) {
    this.#max = max;
    this.#deadlineMs = operationDeadlineMs(timeoutMs);
  }

  /** How many run, and how many may. */
  get usage(): Usage {
    return { used: this.#running, limit: this.#max };
  }

  /** Starts an operation. It counts until its request is over. @param request undefined if it is over */
  begin(request: RunningRequest | undefined): RunningOperation {
    const operation = new RunningOperation(this.#deadlineMs);
    if (request === undefined) operation.end();
    else {
      this.#running += 1;
      request.operation = operation;
      request.listeners.push(() => {
        operation.end();
        this.#running -= 1;
      });
    }
    return operation;
  }

  /** Rejects requests while the limit is reached. It checks before and after reading the body. */
  shedLoad(app: FastifyInstance): void {
    const message = `The subgraph is at its limit of ${this.#max} concurrent operations (MAX_OPERATIONS).`;
    const rejectIfFull = (_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
      if (this.#running < this.#max) return done();
      return void sendOverloaded(reply, 'max_operations', message);
    };
    app.addHook('onRequest', rejectIfFull);
    app.addHook('preHandler', rejectIfFull);
  }
}

/** One operation, which can be aborted until its response is ready. */
export class RunningOperation {
  /** Resolves when it is aborted. */
  readonly aborted: Promise<AbortReason>;
  /** Aborts it. It has no effect once the response is ready. */
  readonly abort: (reason: AbortReason) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(deadlineMs: number) {
    ({ promise: this.aborted, resolve: this.abort } = Promise.withResolvers<AbortReason>());
    this.#timer = setTimeout(this.abort, deadlineMs, 'timeout');
  }

  /** Its response is ready, or its client is gone. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
