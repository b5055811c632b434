import { type BearerAuthorization, identityOf } from '../core/bearer-token.ts';
import { Body } from '../core/body.ts';
import type { DerivedData, PooledBuffer } from '../core/buffer-pool.ts';
import { readAll } from '../core/held-bytes.ts';
import { LinkedList } from '../core/linked-list.ts';
import { CallBudget } from './admission/call-budget.ts';
import { Operation } from './admission/operation.ts';
import { OperationMemory } from './admission/operation-memory.ts';
import { pauseBeforeRetry } from './admission/retries.ts';
import type { CachedOperation, CachedRead } from './cache/memory-store.ts';
import type { CachedBody, ReadCache } from './cache/read-cache.ts';
import type { Droppable, RestClient } from './client.ts';
import { RestError, type RestOperation } from './contract/rest-error.ts';
import { filterBody, type ResultsFilter } from './contract/wire.ts';
import type { CallObserver, OperationIdentity, RestCall, RestRequest, SavedRead } from './transport/rest-call.ts';

/** Observes what an operation reads from the service. */
export interface ReadObserver {
  /** @param ageMs milliseconds since the response arrived; Infinity if it is used only because the service fails */
  metadataRead(datasetId: string, ageMs: number): void;
  resultsRead(datasetId: string, ageMs: number): void;
}

/** A read whose response may be kept. */
type KeptRead = CachedRead & RestRequest;

const NEVER = new AbortController().signal;

/** The identity and the limits of one GraphQL operation. */
export interface RestSessionOptions {
  readonly client: RestClient;
  /** The client's token; undefined if it sent no valid one. */
  readonly authorization: BearerAuthorization | undefined;
  readonly observer: CallObserver;
  /** Undefined if nobody wants to know what is read. */
  readonly reads: ReadObserver | undefined;
  /** Undefined if responses are not kept. */
  readonly cache: ReadCache | undefined;
  /** The maximum number of calls, including retries. */
  readonly maxCalls: number;
  /** Milliseconds for all calls together, from the start of the first. */
  readonly timeoutMs: number;
  /**
   * The session of the operation that began it, if others may wait for its call too. The limits of that operation hold, but
   * not its deadline: the call ends when nobody waits for it.
   */
  readonly parentSession?: RestSession;
}

/**
 * The REST calls of one GraphQL operation. They share the client's token, a maximum number of calls and a deadline. A
 * session ends with its request, or with those of its calls that other operations wait for. What lives longer has a digest
 * of the token.
 */
export class RestSession {
  /** The memory of the operation. */
  readonly memory: OperationMemory;
  readonly #options: RestSessionOptions;
  /** The running calls, and the delays before retries. */
  readonly #running = new LinkedList<RestCall<unknown>>();
  readonly #toRelease: { release(): void }[] = [];
  #identity: OperationIdentity | undefined;
  readonly #calls: CallBudget;
  /** The bodies that came through the cache. */
  #cachedBodies: WeakMap<PooledBuffer, CachedBody> | undefined;
  #staleMs: number | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** Why no further call may be made; undefined while calls are allowed. */
  #ended: 'timeout' | 'cancelled' | undefined;

  constructor(options: RestSessionOptions) {
    this.#options = options;
    const { parentSession, maxCalls, client, authorization } = options;
    this.#calls = parentSession === undefined ? new CallBudget(maxCalls) : parentSession.#calls;
    const token = () => (authorization === undefined ? '' : identityOf(authorization));
    this.memory = new OperationMemory(client.memory, parentSession?.memory.operation ?? new Operation(token()));
  }

  /** The bytes of a metadata response (REST specification, section 4.1). Rejects with a RestError. */
  getDatasetMetadata(datasetId: string): Promise<PooledBuffer> {
    const cached = this.#cached('getDatasetMetadata', datasetId, undefined, undefined, (own) =>
      own.getDatasetMetadata(datasetId),
    );
    if (cached !== undefined) return cached;
    this.#options.reads?.metadataRead(datasetId, 0);
    const start = (client: RestClient, identity: OperationIdentity) => client.getDatasetMetadata(datasetId, identity);
    return this.#call('getDatasetMetadata', datasetId, start).then(readAll);
  }

  /**
   * The body of a results response (REST specification, section 4.3), as soon as its headers are there. Rejects with a RestError, as the
   * body does later.
   *
   * @param mayDrop what its reader may drop of it. With a cache all of it is held
   */
  async getDatasetResults(
    datasetId: string,
    filter: ResultsFilter,
    signal: AbortSignal,
    mayDrop?: Droppable,
  ): Promise<Body> {
    const cached = this.#cached('getDatasetResults', datasetId, filter, signal, async (own) =>
      readAll(await own.getDatasetResults(datasetId, filter, NEVER)),
    );
    if (cached !== undefined) return Body.of(await cached);
    this.#options.reads?.resultsRead(datasetId, 0);
    const start = (client: RestClient, identity: OperationIdentity) =>
      client.getDatasetResults(datasetId, filter, identity, mayDrop);
    return this.#call('getDatasetResults', datasetId, start, signal);
  }

  /**
   * The body of a results response (section 4.3) for a file, while it arrives: what was read is dropped. Neither the deadline
   * nor the maximum of calls holds for it, and the cache does not keep it. Rejects with a RestError, as the body does later.
   *
   * @param signal aborts the call
   */
  streamDatasetResults(datasetId: string, filter: ResultsFilter, signal: AbortSignal): Promise<Body> {
    const start = (client: RestClient, identity: OperationIdentity) =>
      client.streamDatasetResults(datasetId, filter, identity);
    return this.#call('getDatasetResults', datasetId, start, signal, true);
  }

  /**
   * The URL of a dataset's file (section 4.2).
   *
   * @throws RestError `noToken` if the URL needs the token and the client sent no valid one
   */
  downloadUrl(datasetId: string, withToken: boolean): string {
    return this.#options.client.downloadUrl(datasetId, withToken ? this.authorizationToDownload() : undefined);
  }

  /**
   * The client's token, for a later download.
   *
   * @throws RestError `noToken` if the client sent no valid one
   */
  authorizationToDownload(): BearerAuthorization {
    const { authorization } = this.#options;
    if (authorization === undefined) throw new RestError('downloadStaticDataset', 'noToken');
    return authorization;
  }

  /** The age in milliseconds of the oldest response that was used because the service failed. Undefined if none was. */
  get staleMs(): number | undefined {
    return this.#staleMs;
  }

  /** A body is not what the service must send, so it is not kept. */
  invalidBody(body: PooledBuffer): void {
    this.#cachedBodies?.get(body)?.discard();
  }

  /** What was made of a body before, if it is kept with it. It is valid until the body is released. */
  derivedData(body: PooledBuffer): DerivedData | undefined {
    return this.#cachedBodies?.get(body)?.derivedData();
  }

  /** Keeps what was made of a body with it. Returns whether it is kept; if so, it no longer belongs to the caller. */
  attach(body: PooledBuffer, derivedData: DerivedData): boolean {
    return this.#cachedBodies?.get(body)?.attach(derivedData) === true;
  }

  /** Aborts the running calls and allows no further ones: the response is complete, or no longer needed. */
  end(): void {
    this.#end('cancelled');
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

  async #call(
    operation: RestOperation,
    datasetId: string,
    start: (client: RestClient, identity: OperationIdentity) => RestCall,
    signal?: AbortSignal,
    isForFile = false,
  ): Promise<Body> {
    const { client, authorization, observer } = this.#options;
    if (authorization === undefined) throw new RestError(operation, 'noToken');
    this.#assertRunning(operation, signal);
    const calls = this.#calls;
    if (!isForFile && !calls.tryTake(datasetId)) throw new RestError(operation, 'callBudgetExceeded', { limit: calls });
    this.#identity ??= { authorization, observer, memory: this.memory, resends: 0 };
    let identity = this.#identity;
    // Nor does the deadline of the metadata that a file has read before hold for it.
    if (isForFile) clearTimeout(this.#deadline);
    else this.#startDeadline();
    let retried: 'no' | 'at once' | 'after a delay' = 'no';
    for (;;) {
      try {
        return await this.#awaitCall(start(client, identity), signal);
      } catch (error) {
        const failed = error as RestError;
        const mayCall = () => this.#ended === undefined && !signal?.aborted && calls.hasCalls;
        if (!mayCall() || retried === 'after a delay') throw failed;
        if (retried === 'no' && failed.canRetryAtOnce) {
          retried = 'at once';
        } else {
          if (!client.mayRetry(failed)) throw failed;
          retried = 'after a delay';
          await this.#awaitCall(pauseBeforeRetry(failed), signal);
          // Other calls may have reached the maximum meanwhile, or the delay was over when it was aborted.
          if (!mayCall()) throw failed;
        }
        calls.takeRetry();
        observer.callRetried(operation);
        identity = { ...identity, resends: identity.resends + 1 };
      }
    }
  }

  /** Reads through the cache. Undefined if responses of the operation are not kept. */
  #cached(
    operation: CachedOperation,
    datasetId: string,
    filter: ResultsFilter | undefined,
    signal: AbortSignal | undefined,
    start: (own: RestSession) => Promise<PooledBuffer>,
  ): Promise<PooledBuffer> | undefined {
    const { cache, authorization } = this.#options;
    if (cache?.keeps(operation) !== true || authorization === undefined) return undefined;
    const body = filter === undefined ? '' : filterBody(filter);
    const read = { operation, datasetId, filter, body, authorization };
    return this.#readCached(cache, read, signal, start);
  }

  async #readCached(
    cache: ReadCache,
    read: KeptRead,
    signal: AbortSignal | undefined,
    start: (own: RestSession) => Promise<PooledBuffer>,
  ): Promise<PooledBuffer> {
    const { operation, datasetId } = read;
    const cached = await this.#throughCache(cache, read, signal, start);
    const { body, ageMs, source, hasMemory } = cached;
    try {
      if (!hasMemory) await this.memory.reserve(body.bytes.length, signal);
    } catch (error) {
      body.release();
      throw error;
    }
    this.#cachedBodies ??= new WeakMap();
    this.#cachedBodies.set(body, cached);
    const isStale = source === 'stale';
    if (isStale) this.#staleMs = Math.max(this.#staleMs ?? 0, ageMs);
    const { reads } = this.#options;
    const age = isStale ? Number.POSITIVE_INFINITY : ageMs;
    if (operation === 'getDatasetMetadata') reads?.metadataRead(datasetId, age);
    else reads?.resultsRead(datasetId, age);
    return body;
  }

  async #throughCache(
    cache: ReadCache,
    read: KeptRead,
    signal: AbortSignal | undefined,
    start: (own: RestSession) => Promise<PooledBuffer>,
  ): Promise<CachedBody> {
    const started = performance.now();
    const report = (source: SavedRead['source'], error?: RestError) => {
      const milliseconds = performance.now() - started;
      const { operation, datasetId, filter } = read;
      this.#options.observer.callSaved({ request: { operation, datasetId, filter }, source, error, milliseconds });
    };
    for (;;) {
      this.#assertRunning(read.operation, signal);
      this.#startDeadline();
      let isOwn = false;
      const call = cache.read(read, this.memory, () => {
        isOwn = true;
        // Others may wait for the call too, so it has a session of its own.
        const own = new RestSession({ ...this.#options, cache: undefined, reads: undefined, parentSession: this });
        const end = () => {
          own.end();
          own.release();
        };
        return { memory: own.memory, call: () => start(own), end };
      });
      try {
        const found = await this.#awaitCall(call, signal);
        if (found.source !== 'call') report(found.source);
        else if (!isOwn) report('joined');
        return found;
      } catch (error) {
        if (isOwn) throw error;
        // Another operation began it, and had no call or no memory left for it.
        if (error instanceof RestError && error.isOperationLimit) continue;
        report('joined', error as RestError);
        throw error;
      }
    }
  }

  /** @throws RestError if no further call may be made */
  #assertRunning(operation: RestOperation, signal: AbortSignal | undefined): void {
    if (this.#ended !== undefined) throw new RestError(operation, this.#ended);
    if (signal?.aborted) throw new RestError(operation, 'cancelled');
  }

  #startDeadline(): void {
    if (this.#options.parentSession !== undefined) return;
    this.#deadline ??= setTimeout(() => this.#end('timeout'), this.#options.timeoutMs);
  }

  /** Waits for a call or a delay. The end of the operation and the signal abort it. */
  #awaitCall<T>(call: RestCall<T>, signal: AbortSignal | undefined): Promise<T> {
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

  #end(reason: 'timeout' | 'cancelled'): void {
    clearTimeout(this.#deadline);
    this.#ended ??= reason;
    for (const call of this.#running) if (reason === 'cancelled' || !call.isPassing) call.abort(reason);
    this.memory.stopWaiting();
  }
}
