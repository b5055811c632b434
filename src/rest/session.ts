import { type BearerAuthorization, type ClientAuthorization, identityOf, isUsable } from '../core/bearer-token.ts';
import { type Body, readAll } from '../core/body.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { LinkedList } from '../core/linked-list.ts';
import { Operation } from './admission/operation.ts';
import { OperationMemory } from './admission/operation-memory.ts';
import { pauseBeforeRetry } from './admission/retries.ts';
import type { CachedBody } from './cache/read-cache.ts';
import type { Droppable, RestClient } from './client.ts';
import { type Limit, noToken, RestError, type RestOperation } from './contract/rest-error.ts';
import type { ResultsFilter } from './contract/wire.ts';
import type { CallObserver, OperationIdentity, RestCall } from './transport/rest-call.ts';

/** What a fetcher makes its calls with. */
export interface FetcherOptions {
  readonly client: RestClient;
  /** The client's token; undefined if it sent no valid one. */
  readonly authorization: ClientAuthorization;
  readonly observer: CallObserver | undefined;
  /** The calls that are left to the operation. */
  readonly calls: CallBudget;
  /** The memory of what is fetched. */
  readonly memory: OperationMemory;
  /** Milliseconds for all calls together, from the start of the first. Undefined: until nobody waits for them any more. */
  readonly timeoutMs: number | undefined;
}

/** Makes the REST calls of one operation, or the one that several operations wait for, with their retries, until it is ended. */
export class Fetcher {
  /** The memory of what is fetched. */
  readonly memory: OperationMemory;
  protected readonly options: FetcherOptions;
  /** The running calls, and the delays before retries. */
  readonly #running = new LinkedList<RestCall<unknown>>();
  #identity: OperationIdentity | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** Why no further call may be made; undefined while calls are allowed. */
  #ended: 'timeout' | 'cancelled' | undefined;

  constructor(options: FetcherOptions) {
    this.options = options;
    this.memory = options.memory;
  }

  /** The bytes of a metadata response (REST specification, section 4.1). Rejects with a RestError. */
  async metadata(datasetId: string): Promise<PooledBuffer> {
    const body = await this.#fetch('getDatasetMetadata', datasetId, (client, identity) =>
      client.getDatasetMetadata(datasetId, identity),
    );
    return readAll(body);
  }

  /**
   * The body of a results response (section 4.3), as soon as its headers are there. Rejects with a RestError, as the body does later.
   *
   * @param mayDrop what its reader may drop of it
   */
  results(datasetId: string, filter: ResultsFilter, signal?: AbortSignal, mayDrop?: Droppable): Promise<Body> {
    return this.#fetch(
      'getDatasetResults',
      datasetId,
      (client, identity) => client.getDatasetResults(datasetId, filter, identity, mayDrop),
      signal,
    );
  }

  /**
   * The body of a results response (section 4.3) for a file, while it arrives: what was read is dropped. Neither the deadline
   * nor the maximum of calls holds for it, and no cache keeps it. Rejects with a RestError, as the body does later.
   *
   * @param signal aborts the call
   */
  resultsFile(datasetId: string, filter: ResultsFilter, signal: AbortSignal): Promise<Body> {
    // Nor does the deadline of the metadata that a file has read before.
    clearTimeout(this.#deadline);
    const start = (client: RestClient, identity: OperationIdentity) =>
      client.streamDatasetResults(datasetId, filter, identity);
    return this.#fetch('getDatasetResults', datasetId, start, signal, true);
  }

  /**
   * The time of the operation begins, unless it has begun.
   *
   * @param isForFile then no deadline holds
   * @throws RestError if no further call may be made
   */
  begin(operation: RestOperation, signal: AbortSignal | undefined, isForFile = false): void {
    if (this.#ended !== undefined) throw new RestError(operation, this.#ended);
    if (signal?.aborted) throw new RestError(operation, 'cancelled');
    const { timeoutMs } = this.options;
    if (timeoutMs !== undefined && !isForFile) this.#deadline ??= setTimeout(() => this.end('timeout'), timeoutMs);
  }

  /** Waits for a call or a delay. The end of the operation and the signal abort it. */
  waitFor<T>(call: RestCall<T>, signal: AbortSignal | undefined): Promise<T> {
    const cancel = () => call.abort('cancelled');
    signal?.addEventListener('abort', cancel, { once: true });
    const entry = this.#running.add(call);
    const stop = () => {
      entry.remove();
      signal?.removeEventListener('abort', cancel);
    };
    if (call.isDone === undefined) call.response.then(stop, stop);
    else if (call.isDone) stop();
    else call.onEnd = stop;
    return call.response;
  }

  /** Aborts the running calls, but after a timeout not those that pass to the client, and allows no further ones. */
  end(reason: 'timeout' | 'cancelled' = 'cancelled'): void {
    clearTimeout(this.#deadline);
    this.#ended ??= reason;
    for (const call of this.#running) if (reason === 'cancelled' || !call.isStreaming) call.abort(reason);
    this.memory.stopWaiting();
  }

  async #fetch(
    operation: RestOperation,
    datasetId: string,
    start: (client: RestClient, identity: OperationIdentity) => RestCall,
    signal?: AbortSignal,
    isForFile = false,
  ): Promise<Body> {
    const { client, authorization, observer, calls, memory } = this.options;
    if (!isUsable(authorization)) throw noToken(operation, authorization);
    this.begin(operation, signal, isForFile);
    if (!isForFile && !calls.tryTake(datasetId)) throw new RestError(operation, 'callBudgetExceeded', { limit: calls });
    this.#identity ??= { authorization, observer, memory, resends: 0 };
    let identity = this.#identity;
    let retried: 'no' | 'at once' | 'after a delay' = 'no';
    for (;;) {
      try {
        return await this.waitFor(start(client, identity), signal);
      } catch (error) {
        const failed = error as RestError;
        const mayCall = () => this.#ended === undefined && !signal?.aborted && calls.hasCalls;
        if (!mayCall() || retried === 'after a delay') throw failed;
        if (retried === 'no' && failed.canRetryAtOnce) {
          retried = 'at once';
        } else {
          if (!client.mayRetry(failed)) throw failed;
          retried = 'after a delay';
          await this.waitFor(pauseBeforeRetry(failed), signal);
          // Other calls may have reached the maximum meanwhile, or the delay was over when it was aborted.
          if (!mayCall()) throw failed;
        }
        calls.takeRetry();
        observer?.callRetried?.(operation);
        identity = { ...identity, resends: identity.resends + 1 };
      }
    }
  }
}

/** The identity and the limits of one GraphQL operation. */
export interface RestSessionOptions extends Pick<FetcherOptions, 'client' | 'authorization' | 'observer'> {
  /** The maximum number of calls, including retries. */
  readonly maxCalls: number;
  /** Milliseconds for all calls together, from the start of the first. */
  readonly timeoutMs: number;
}

/** How operations read the service. */
export class RestAccess {
  /** What all sessions share. */
  readonly shared: Omit<RestSessionOptions, 'authorization' | 'observer'>;

  constructor(shared: Omit<RestSessionOptions, 'authorization' | 'observer'>) {
    this.shared = shared;
  }

  /** Begins what one operation, or one file, reads. */
  open(authorization: RestSessionOptions['authorization'], observer: RestSessionOptions['observer']): RestSession {
    return new RestSession({ ...this.shared, authorization, observer });
  }
}

/**
 * What one GraphQL operation reads of the service, with its client's token. A session ends with its request. What lives longer has a
 * digest of the token.
 */
export class RestSession extends Fetcher {
  /** The age in milliseconds of the oldest response that was used because the service failed. Undefined if none was. */
  staleMs: number | undefined;
  readonly #toRelease: { release(): void }[] = [];

  constructor({ client, authorization, observer, maxCalls, timeoutMs }: RestSessionOptions) {
    const operation = new Operation(isUsable(authorization) ? identityOf(authorization) : '');
    const memory = new OperationMemory(client.memory, operation);
    super({ client, authorization, observer, calls: new CallBudget(maxCalls), memory, timeoutMs });
  }

  /** A body that came through the cache, with what was made of it. Absent without a cache. */
  cachedBody?(body: PooledBuffer): CachedBody | undefined;

  /**
   * The URL of a dataset's file (section 4.2).
   *
   * @throws RestError `noToken` if the URL needs the token and the client sent no valid one
   */
  downloadUrl(datasetId: string, withToken: boolean): string {
    return this.options.client.downloadUrl(datasetId, withToken ? this.authorizationToDownload() : undefined);
  }

  /**
   * The client's token, for a later download.
   *
   * @throws RestError `noToken` if the client sent no valid one
   */
  authorizationToDownload(): BearerAuthorization {
    const { authorization } = this.options;
    if (!isUsable(authorization)) throw noToken('downloadStaticDataset', authorization);
    return authorization;
  }

  /** Registers a response to release when the operation ends. */
  releaseAtEnd(response: { release(): void }): void {
    this.#toRelease.push(response);
  }

  /** Releases the REST responses and their memory. Call it when nothing reads them any more. */
  release(): void {
    for (const response of this.#toRelease.splice(0)) response.release();
    this.memory.release();
  }
}

/**
 * The REST calls that one GraphQL operation may make, retries included. Whoever asks first gets them:
 * src/loaders/loaders.ts decides the order.
 */
export class CallBudget implements Limit {
  readonly name = 'UPSTREAM_MAX_CALLS';
  /** The maximum number of calls. */
  readonly value: number;
  #made = 0;
  #rejected = 0;
  readonly #datasets = new Set<string>();
  /** The datasets that lack a call. */
  readonly #incomplete = new Set<string>();

  constructor(maxCalls: number) {
    this.value = maxCalls;
  }

  /** Counts a call for a dataset. Returns false if no call is left for it. */
  tryTake(datasetId: string): boolean {
    this.#datasets.add(datasetId);
    if (this.#made < this.value) {
      this.#made += 1;
      return true;
    }
    this.#rejected += 1;
    this.#incomplete.add(datasetId);
    return false;
  }

  /** Whether a call is left. */
  get hasCalls(): boolean {
    return this.#made < this.value;
  }

  /** Counts a retry, for which a call must be left. */
  takeRetry(): void {
    this.#made += 1;
  }

  /**
   * How many calls the operation needs, and how to split it, from what is known so far: "at least 1000 for 500 datasets; ask for
   * 250 datasets at a time". Datasets that take no call do not count.
   */
  get advice(): string {
    const total = this.#datasets.size;
    const complete = total - this.#incomplete.size;
    const needed = `at least ${this.#made + this.#rejected} for ${datasets(total)}`;
    if (complete > 0) return `${needed}; ask for ${datasets(complete)} at a time`;
    return `${needed}; ask for one dataset at a time, with fewer time ranges or assets`;
  }
}

function datasets(count: number): string {
  return count === 1 ? 'one dataset' : `${count} datasets`;
}
