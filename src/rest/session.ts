import type { BearerAuthorization } from './bearer-token.ts';
import { release } from './buffer-pool.ts';
import type { OperationCaller, RestCall, RestClient, ResultsFilter } from './client.ts';
import { RestError, type RestOperation } from './errors.ts';
import type { OperationMemory } from './operation-memory.ts';
import { pauseBeforeRetry } from './retries.ts';

/** What one GraphQL operation may do at the REST service, and on whose behalf. */
export interface RestSessionOptions {
  readonly client: RestClient;
  /** The caller's usable token; undefined where it brought none. */
  readonly authorization: BearerAuthorization | undefined;
  readonly requestId: string;
  /** The most calls, repeated ones included. */
  readonly maxCalls: number;
  /** Milliseconds for all calls together, from the first one on. */
  readonly timeoutMs: number;
}

/**
 * The REST calls of one GraphQL operation: they share the caller's token, a number of calls, a deadline, and an end.
 * Lives as long as one request, and is the only thing that holds its token.
 */
export class RestSession {
  /** What the operation holds of the memory budget. */
  readonly memory: OperationMemory;
  readonly #options: RestSessionOptions;
  /** The calls, and the pauses before they are repeated. */
  readonly #underWay = new Set<RestCall<unknown>>();
  readonly #memory: Buffer[] = [];
  #callsMade = 0;
  #deadline: NodeJS.Timeout | undefined;
  /** Set once no further call may be made: why. */
  #ended: 'timeout' | 'cancelled' | undefined;

  constructor(options: RestSessionOptions) {
    this.#options = options;
    this.memory = options.client.memory.open();
  }

  /** The body of a metadata answer (REST specification, section 4.1). Rejects with a RestError. */
  getDatasetMetadata(datasetId: string): Promise<Buffer> {
    return this.#call('getDatasetMetadata', (client, caller) => client.getDatasetMetadata(datasetId, caller));
  }

  /**
   * The body of a results answer (REST specification, section 4.3). Rejects with a RestError; `signal` says that
   * nobody in this operation needs the answer any more.
   */
  getDatasetResults(datasetId: string, filter: ResultsFilter, signal: AbortSignal): Promise<Buffer> {
    const start = (client: RestClient, caller: OperationCaller) => client.getDatasetResults(datasetId, filter, caller);
    return this.#call('getDatasetResults', start, signal);
  }

  /**
   * The URL of a dataset's file (section 4.2).
   *
   * @throws RestError `noToken` when the token is wanted in it and there is no usable one
   */
  downloadUrl(datasetId: string, withToken: boolean): string {
    return this.#options.client.downloadUrl(datasetId, withToken ? this.authorizationToDownload() : undefined);
  }

  /**
   * The caller's token, for a download that is to follow.
   *
   * @throws RestError `noToken` when there is no usable one
   */
  authorizationToDownload(): BearerAuthorization {
    const { authorization } = this.#options;
    if (authorization === undefined) throw new RestError('downloadStaticDataset', 'noToken');
    return authorization;
  }

  /** Ends every call under way and forbids further ones: the answer is complete, or nobody waits for it any more. */
  end(): void {
    this.#end('cancelled');
    this.memory.release();
  }

  /** Memory that what was made of an answer looks into, to be given back at the end. */
  keep(memory: readonly Buffer[]): void {
    this.#memory.push(...memory);
  }

  /** The operation is over and its answer written, so that nothing made of REST answers is in use any more. */
  release(): void {
    for (const memory of this.#memory.splice(0)) release(memory);
    this.memory.release();
  }

  async #call(
    operation: RestOperation,
    start: (client: RestClient, caller: OperationCaller) => RestCall,
    signal?: AbortSignal,
  ): Promise<Buffer> {
    const { client, authorization, requestId, maxCalls, timeoutMs } = this.#options;
    if (authorization === undefined) throw new RestError(operation, 'noToken');
    if (this.#ended !== undefined) throw new RestError(operation, this.#ended);
    if (signal?.aborted) throw new RestError(operation, 'cancelled');
    if (this.#callsMade >= maxCalls) {
      throw new RestError(operation, 'callBudgetExceeded', { limit: { name: 'UPSTREAM_MAX_CALLS', value: maxCalls } });
    }
    this.#deadline ??= setTimeout(() => this.#end('timeout'), timeoutMs);
    const call = () => {
      this.#callsMade += 1;
      return this.#follow(start(client, { authorization, requestId, memory: this.memory }), signal);
    };
    const mayCall = () => this.#ended === undefined && !signal?.aborted && this.#callsMade < maxCalls;
    try {
      return await call().catch((error: RestError) => {
        if (!error.repeatableAtOnce || !mayCall()) throw error;
        return call();
      });
    } catch (error) {
      const failed = error as RestError;
      if (!mayCall() || !client.mayRepeat(failed)) throw failed;
      await this.#follow(pauseBeforeRetry(failed), signal);
      // Once more, and not again: other calls may have used up the number meanwhile.
      if (this.#callsMade >= maxCalls) throw failed;
      return await call();
    }
  }

  /** Waits for a call, or for a pause, unless the operation ends or nobody needs it any more. */
  async #follow<T>(call: RestCall<T>, signal: AbortSignal | undefined): Promise<T> {
    const cancel = () => call.abort('cancelled');
    signal?.addEventListener('abort', cancel, { once: true });
    this.#underWay.add(call);
    try {
      return await call.answer;
    } finally {
      this.#underWay.delete(call);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #end(reason: 'timeout' | 'cancelled'): void {
    clearTimeout(this.#deadline);
    this.#ended ??= reason;
    for (const call of this.#underWay) call.abort(reason);
    this.memory.stopWaiting();
  }
}
