import { isUsable } from '../core/bearer-token.ts';
import { Body, readAll } from '../core/body.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { OperationMemory } from './admission/operation-memory.ts';
import type { CachedRead } from './cache/memory-store.ts';
import type { CachedBody, ReadCache } from './cache/read-cache.ts';
import type { Droppable } from './client.ts';
import { RestError } from './contract/rest-error.ts';
import { filterBody, type ResultsFilter } from './contract/wire.ts';
import { Fetcher, RestAccess, RestSession, type RestSessionOptions } from './session.ts';
import type { RestRequest, SavedRead } from './transport/rest-call.ts';

/** A read whose response may be kept. */
type CacheableRead = CachedRead & RestRequest;

/** Fetches the whole body of a response. */
type Fetch = (fetcher: Fetcher) => Promise<PooledBuffer>;

/** Operations read the service through a cache. */
export class CachedAccess extends RestAccess {
  readonly #cache: ReadCache;

  constructor(shared: RestAccess['shared'], cache: ReadCache) {
    super(shared);
    this.#cache = cache;
  }

  override open(...[authorization, observer]: Parameters<RestAccess['open']>): RestSession {
    return new CachedSession({ ...this.shared, authorization, observer }, this.#cache);
  }
}

/**
 * A session whose reads go through the cache. The cache asks a fetcher of its own, because other operations may wait for the same
 * response.
 */
class CachedSession extends RestSession {
  readonly #cache: ReadCache;
  readonly #bodies = new WeakMap<PooledBuffer, CachedBody>();

  constructor(options: RestSessionOptions, cache: ReadCache) {
    super(options);
    this.#cache = cache;
  }

  override metadata(datasetId: string): Promise<PooledBuffer> {
    const { authorization } = this.options;
    if (!isUsable(authorization) || !this.#cache.keeps('getDatasetMetadata')) return super.metadata(datasetId);
    const read = { operation: 'getDatasetMetadata', datasetId, filter: undefined, body: '', authorization } as const;
    return this.#read(read, undefined, (fetcher) => fetcher.metadata(datasetId));
  }

  /** All of it is held. */
  override async results(
    datasetId: string,
    filter: ResultsFilter,
    signal: AbortSignal,
    mayDrop?: Droppable,
  ): Promise<Body> {
    const { authorization } = this.options;
    if (!isUsable(authorization) || !this.#cache.keeps('getDatasetResults')) {
      return super.results(datasetId, filter, signal, mayDrop);
    }
    const body = filterBody(filter);
    const read = { operation: 'getDatasetResults', datasetId, filter, body, authorization } as const;
    const fetch: Fetch = async (fetcher) => readAll(await fetcher.results(datasetId, filter));
    return Body.of(await this.#read(read, signal, fetch));
  }

  override cachedBody(body: PooledBuffer): CachedBody | undefined {
    return this.#bodies.get(body);
  }

  async #read(read: CacheableRead, signal: AbortSignal | undefined, fetch: Fetch): Promise<PooledBuffer> {
    const cached = await this.#throughCache(read, signal, fetch);
    const { body, ageMs, source, hasMemory } = cached;
    try {
      if (!hasMemory) await this.memory.reserve(body.bytes.length, signal);
    } catch (error) {
      body.release();
      throw error;
    }
    this.#bodies.set(body, cached);
    if (source === 'stale') this.staleMs = Math.max(this.staleMs ?? 0, ageMs);
    return body;
  }

  async #throughCache(read: CacheableRead, signal: AbortSignal | undefined, fetch: Fetch): Promise<CachedBody> {
    const { client, authorization, observer, calls } = this.options;
    const started = performance.now();
    const report = (source: SavedRead['source'], ageMs: number, error?: RestError) => {
      const milliseconds = performance.now() - started;
      const { operation, datasetId, filter } = read;
      observer?.callSaved?.({ request: { operation, datasetId, filter }, source, ageMs, error, milliseconds });
    };
    for (;;) {
      this.begin(read.operation, signal);
      let isOwn = false;
      const call = this.#cache.read(read, this.memory, () => {
        isOwn = true;
        // The limits of this operation hold, but not its deadline: the call ends when nobody waits for it.
        const memory = new OperationMemory(client.memory, this.memory.operation);
        const fetcher = new Fetcher({ client, authorization, observer, calls, memory, timeoutMs: undefined });
        const end = () => {
          fetcher.end();
          memory.release();
        };
        return { memory, call: () => fetch(fetcher), end };
      });
      try {
        const found = await this.waitFor(call, signal);
        if (found.source !== 'call') report(found.source, found.ageMs);
        else if (!isOwn) report('joined', found.ageMs);
        return found;
      } catch (error) {
        if (isOwn) throw error;
        // Another operation began it, and had no call or no memory left for it.
        if (error instanceof RestError && error.isOperationLimit) continue;
        report('joined', 0, error as RestError);
        throw error;
      }
    }
  }
}
