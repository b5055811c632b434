import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { MAX_TIMER_MS } from '../config.ts';
import { sendUnavailable } from './json-errors.ts';
import { onResponseClosed } from './response-closed.ts';

/** Why an operation ended before it had an answer. */
export type AbortReason = 'timeout' | 'shutdown';

/**
 * How much longer than its REST calls an operation may take: when these end for want of time it still has an answer to
 * make, with what it has got.
 */
export const RESPONSE_GRACE_MS = 1000;

/** The longest time for an operation whose REST calls may take so many milliseconds. */
export function withResponseGrace(timeoutMs: number): number {
  return Math.min(timeoutMs + RESPONSE_GRACE_MS, MAX_TIMER_MS);
}

/** The operations that run: how many there may be, and how long each may take. */
export class Operations {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #running = new Set<Operation>();

  /**
   * @param most that may run at the same time
   * @param timeoutMs milliseconds for the REST calls of each
   */
  constructor(most: number, timeoutMs: number) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
  }

  /** An operation begins, and counts until its response is closed. */
  begin(response: ServerResponse): Operation {
    const operation = new Operation(this.#timeoutMs);
    this.#running.add(operation);
    onResponseClosed(response, () => {
      operation.close();
      this.#running.delete(operation);
    });
    return operation;
  }

  /** Ends all that run, because the program ends. */
  endAll(): void {
    for (const operation of this.#running) operation.end('shutdown');
  }

  /** Refuses requests while there are as many operations as may be: before their body is read, and after it. */
  shedLoad(app: FastifyInstance): void {
    const message = `The subgraph works on ${this.#most} operations (MAX_OPERATIONS) and takes no more.`;
    const refuse = (_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
      if (this.#running.size < this.#most) return done();
      return void sendUnavailable(reply, message, 'OVERLOADED');
    };
    app.addHook('onRequest', refuse);
    app.addHook('preHandler', refuse);
  }
}

/** One operation: until its answer is there, it can be ended. */
export class Operation {
  #end: (reason: AbortReason) => void = () => {};
  readonly #timer: NodeJS.Timeout;
  #answered = false;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.end('timeout'), withResponseGrace(timeoutMs));
  }

  /** Waits for its answer, which is then to be sent; or gives why it was ended before. Called at its beginning. */
  within<Answer>(answer: Promise<Answer>): Promise<Answer | AbortReason> {
    return new Promise((resolve, reject) => {
      const settle = (outcome: Answer | AbortReason) => {
        if (this.#answered) return;
        this.#answered = true;
        clearTimeout(this.#timer);
        resolve(outcome);
      };
      this.#end = settle;
      answer.then(settle, reject);
    });
  }

  end(reason: AbortReason): void {
    if (!this.#answered) this.#end(reason);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
