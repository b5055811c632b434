import type { ArrivingBody } from '../core/arriving-body.ts';
import type { BearerAuthorization } from '../core/bearer-token.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import type { OperationIdentity, RestCall, RestClient } from './client.ts';
import { RestError, type RestOperation } from './errors.ts';
import { OperationMemory } from './operation-memory.ts';
import type { ResultsFilter } from './results-filter.ts';
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
  readonly #running = new Set<RestCall<unknown>>();
  readonly #toRelease: { release(): void }[] = [];
  #callsMade = 0;
  #deadline: NodeJS.Timeout | undefined;
  /** Set once no further call may be made: why. */
  #ended: 'timeout' | 'cancelled' | undefined;

  constructor(options: RestSessionOptions) {
    this.#options = options;
    this.memory = new OperationMemory(options.client.memory);
  }

  /** The body of a metadata answer (REST specification, section 4.1). Rejects with a RestError. */
  getDatasetMetadata(datasetId: string): Promise<PooledBuffer> {
    return this.#call('getDatasetMetadata', (client, identity) => client.getDatasetMetadata(datasetId, identity));
  }

  /**
   * The body of a results answer (REST specification, section 4.3). Rejects with a RestError; `signal` says that
   * nobody in this operation needs the answer any more.
   *
   * @param onLargeBody gets a large body while it arrives; the promise still tells whether all of it came
   */
  getDatasetResults(
    datasetId: string,
    filter: ResultsFilter,
    signal: AbortSignal,
    onLargeBody: (body: ArrivingBody) => void,
  ): Promise<PooledBuffer> {
    const start = (client: RestClient, identity: OperationIdentity) =>
      client.getDatasetResults(datasetId, filter, identity, onLargeBody);
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

  /** A response that is read until the operation ends, and then released. */
  releaseAtEnd(response: { release(): void }): void {
    this.#toRelease.push(response);
  }

  /** The operation is over and its answer written, so that nothing made of REST answers is in use any more. */
  release(): void {
    for (const response of this.#toRelease.splice(0)) response.release();
    this.memory.release();
  }

  async #call(
    operation: RestOperation,
    start: (client: RestClient, identity: OperationIdentity) => RestCall,
    signal?: AbortSignal,
  ): Promise<PooledBuffer> {
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
      return this.#awaitCall(start(client, { authorization, requestId, memory: this.memory }), signal);
    };
    const mayCall = () => this.#ended === undefined && !signal?.aborted && this.#callsMade < maxCalls;
    try {
      return await call().catch((error: RestError) => {
        if (!error.canRetryAtOnce || !mayCall()) throw error;
        return call();
      });
    } catch (error) {
      const failed = error as RestError;
      if (!mayCall() || !client.mayRetry(failed)) throw failed;
      await this.#awaitCall(pauseBeforeRetry(failed), signal);
      // Once more, and not again: other calls may have used up the number meanwhile.
      if (this.#callsMade >= maxCalls) throw failed;
      return await call();
    }
  }

  /** Waits for a call, or for a pause, unless the operation ends or nobody needs it any more. */
  async #awaitCall<T>(call: RestCall<T>, signal: AbortSignal | undefined): Promise<T> {
    const cancel = () => call.abort('cancelled');
    signal?.addEventListener('abort', cancel, { once: true });
    this.#running.add(call);
    try {
      return await call.response;
    } finally {
      this.#running.delete(call);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #end(reason: 'timeout' | 'cancelled'): void {
    clearTimeout(this.#deadline);
    this.#ended ??= reason;
    for (const call of this.#running) call.abort(reason);
    this.memory.stopWaiting();
  }
}
