import { type BearerAuthorization, identityOf } from '../core/bearer-token.ts';
import { Body } from '../core/body.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { readAll } from '../core/held-bytes.ts';
import { Operation } from './admission/operation.ts';
import { OperationMemory } from './admission/operation-memory.ts';
import type { CachedRead } from './cache/memory-store.ts';
import type { CachedBody, ReadCache } from './cache/read-cache.ts';
import type { Droppable, RestClient } from './client.ts';
import { RestError } from './contract/rest-error.ts';
import { filterBody, type ResultsFilter } from './contract/wire.ts';
import { CallBudget, Fetcher } from './fetcher.ts';
import type { CallObserver, RestRequest, SavedRead } from './transport/rest-call.ts';

/** Observes what an operation reads from the service. */
export interface ReadObserver {
  /** @param ageMs milliseconds since the response arrived; Infinity if it is used only because the service fails */
  metadataRead(datasetId: string, ageMs: number): void;
  resultsRead(datasetId: string, ageMs: number): void;
}

/** A read whose response may be kept. */
type KeptRead = CachedRead & RestRequest;

/** Fetches the whole body of a response. */
type Fetch = (fetcher: Fetcher) => Promise<PooledBuffer>;

/** The identity and the limits of one GraphQL operation. */
export interface RestSessionOptions {
  readonly client: RestClient;
  /** The client's token; undefined if it sent no valid one. */
  readonly authorization: BearerAuthorization | undefined;
  readonly observer: CallObserver | undefined;
  /** Undefined if nobody wants to know what is read. */
  readonly reads: ReadObserver | undefined;
  /** Undefined if responses are not kept. */
  readonly cache: ReadCache | undefined;
  /** The maximum number of calls, including retries. */
  readonly maxCalls: number;
  /** Milliseconds for all calls together, from the start of the first. */
  readonly timeoutMs: number;
}

/**
 * What one GraphQL operation reads of the service, with its client's token: from the cache, if there is one, which asks a fetcher of its
 * own, because others may wait for it too; or by the operation's fetcher. A session ends with its request. What lives longer has a digest
 * of the token.
 */
export class RestSession {
  /** The memory of the operation. */
  readonly memory: OperationMemory;
  readonly #options: RestSessionOptions;
  readonly #calls: CallBudget;
  readonly #fetcher: Fetcher;
  readonly #toRelease: { release(): void }[] = [];
  /** The bodies that came through the cache. */
  #cachedBodies: WeakMap<PooledBuffer, CachedBody> | undefined;
  #staleMs: number | undefined;

  constructor(options: RestSessionOptions) {
    this.#options = options;
    const { maxCalls, client, authorization, timeoutMs } = options;
    const operation = new Operation(authorization === undefined ? '' : identityOf(authorization));
    this.memory = new OperationMemory(client.memory, operation);
    this.#calls = new CallBudget(maxCalls);
    this.#fetcher = this.#newFetcher(this.memory, timeoutMs);
  }

  /** The bytes of a metadata response (REST specification, section 4.1). Rejects with a RestError. */
  getDatasetMetadata(datasetId: string): Promise<PooledBuffer> {
    const { cache, authorization, reads } = this.#options;
    if (cache?.keeps('getDatasetMetadata') === true && authorization !== undefined) {
      const read = { operation: 'getDatasetMetadata', datasetId, filter: undefined, body: '', authorization } as const;
      return this.#readCached(cache, read, undefined, (fetcher) => fetcher.metadata(datasetId));
    }
    reads?.metadataRead(datasetId, 0);
    return this.#fetcher.metadata(datasetId);
  }

  /**
   * The body of a results response (section 4.3), as soon as its headers are there. Rejects with a RestError, as the body does later.
   *
   * @param mayDrop what its reader may drop of it. With a cache all of it is held
   */
  async getDatasetResults(
    datasetId: string,
    filter: ResultsFilter,
    signal: AbortSignal,
    mayDrop?: Droppable,
  ): Promise<Body> {
    const { cache, authorization, reads } = this.#options;
    if (cache?.keeps('getDatasetResults') === true && authorization !== undefined) {
      const body = filterBody(filter);
      const read = { operation: 'getDatasetResults', datasetId, filter, body, authorization } as const;
      const fetch: Fetch = async (fetcher) => readAll(await fetcher.results(datasetId, filter));
      return Body.of(await this.#readCached(cache, read, signal, fetch));
    }
    reads?.resultsRead(datasetId, 0);
    return this.#fetcher.results(datasetId, filter, signal, mayDrop);
  }

  /**
   * The body of a results response (section 4.3) for a file, while it arrives: what was read is dropped. Neither the deadline
   * nor the maximum of calls holds for it, and the cache does not keep it. Rejects with a RestError, as the body does later.
   *
   * @param signal aborts the call
   */
  streamDatasetResults(datasetId: string, filter: ResultsFilter, signal: AbortSignal): Promise<Body> {
    return this.#fetcher.resultsFile(datasetId, filter, signal);
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

  /** A body that came through the cache, with what was made of it. */
  cachedBody(body: PooledBuffer): CachedBody | undefined {
    return this.#cachedBodies?.get(body);
  }

  /** Aborts the running calls and allows no further ones: the response is complete, or no longer needed. */
  end(): void {
    this.#fetcher.end('cancelled');
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

  #newFetcher(memory: OperationMemory, timeoutMs: number | undefined): Fetcher {
    const { client, authorization, observer } = this.#options;
    return new Fetcher({ client, authorization, observer, calls: this.#calls, memory, timeoutMs });
  }

  /** Reads through the cache. */
  async #readCached(
    cache: ReadCache,
    read: KeptRead,
    signal: AbortSignal | undefined,
    fetch: Fetch,
  ): Promise<PooledBuffer> {
    const { operation, datasetId } = read;
    const cached = await this.#throughCache(cache, read, signal, fetch);
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
    fetch: Fetch,
  ): Promise<CachedBody> {
    const started = performance.now();
    const report = (source: SavedRead['source'], error?: RestError) => {
      const milliseconds = performance.now() - started;
      const { operation, datasetId, filter } = read;
      this.#options.observer?.callSaved?.({ request: { operation, datasetId, filter }, source, error, milliseconds });
    };
    for (;;) {
      this.#fetcher.begin(read.operation, signal);
      let isOwn = false;
      const call = cache.read(read, this.memory, () => {
        isOwn = true;
        // The limits of this operation hold, but not its deadline: the call ends when nobody waits for it.
        const memory = new OperationMemory(this.#options.client.memory, this.memory.operation);
        const fetcher = this.#newFetcher(memory, undefined);
        const end = () => {
          fetcher.end('cancelled');
          memory.release();
        };
        return { memory, call: () => fetch(fetcher), end };
      });
      try {
        const found = await this.#fetcher.waitFor(call, signal);
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
}
