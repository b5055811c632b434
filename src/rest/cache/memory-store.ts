import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type BearerAuthorization, identityOf, tokenOf } from '../../core/bearer-token.ts';
import type { DerivedData, PooledBuffer, SharedBuffer } from '../../core/buffer-pool.ts';
import type { Usage } from '../../core/usage.ts';
import {
  type CachedRead,
  describeRead,
  type KeptResponse,
  type Lifetime,
  type MemoryStoreState,
  type ResponseStore,
  type StoredRead,
  type Until,
} from './response-store.ts';

/** A response that is kept. Times are in milliseconds of `performance.now()`. */
interface Entry {
  readonly body: SharedBuffer;
  /** The store's own share. */
  readonly own: PooledBuffer;
  readonly bytes: number;
  readonly identity: string;
  readonly datasetId: string;
  readonly arrived: number;
  readonly until: Readonly<Record<Until, number>>;
}

/** The bytes of an entry beside its body. */
const ENTRY_BYTES = 600;

/** Keeps responses in the memory of the process. */
export class MemoryStore implements ResponseStore, MemoryStoreState {
  readonly kind = 'memory';
  evictions = 0;
  readonly #maxBytes: number;
  /** A key object: from bytes, each HMAC would take seven times as long. */
  readonly #secret = createSecretKey(randomBytes(32));
  readonly #entries: LRUCache<string, Entry>;
  /** The keys of each dataset of each token, by the token's identity. */
  readonly #tokens = new Map<string, Map<string, Set<string>>>();

  /** @param maxBytes the maximum bytes of all responses */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#entries = new LRUCache<string, Entry>({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: ({ own, identity, datasetId }, key, reason) => {
        if (reason === 'evict') this.evictions += 1;
        this.#forget(identity, datasetId, key);
        own.release();
      },
    });
  }

  get state(): MemoryStoreState {
    return this;
  }

  get usage(): Usage {
    return { used: this.#entries.calculatedSize, limit: this.#maxBytes };
  }

  get entries(): number {
    return this.#entries.size;
  }

  of(read: CachedRead): StoredRead {
    const key = createHmac('sha256', this.#secret)
      .update(`${tokenOf(read.authorization)}\n${describeRead(read)}`)
      .digest('base64');
    return {
      key,
      peek: (until) => this.#find(key, until),
      keep: (body, lifetime) => this.#keep(key, read, body, lifetime),
      attach: (body, derivedData) => this.#attach(key, body, derivedData),
      discard: (body) => this.#discard(key, body),
    };
  }

  invalidate(authorization: BearerAuthorization, datasetId: string | undefined): void {
    const datasets = this.#tokens.get(identityOf(authorization));
    const dropped = datasetId === undefined ? [...(datasets?.values() ?? [])] : [datasets?.get(datasetId) ?? []];
    for (const keys of dropped) for (const key of keys) this.#entries.delete(key);
  }

  async close(): Promise<void> {
    this.#entries.clear();
  }

  #find(key: string, until: Until): KeptResponse | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = performance.now();
    if (now >= entry.until.stale) this.#entries.delete(key);
    return now >= entry.until[until] ? undefined : { body: entry.body, ageMs: now - entry.arrived };
  }

  #keep(
    key: string,
    { authorization, datasetId }: CachedRead,
    body: SharedBuffer,
    { freshMs, staleMs }: Lifetime,
  ): void {
    const bytes = body.heldBytes + ENTRY_BYTES;
    if (bytes > this.#maxBytes) return;
    const arrived = performance.now();
    const until = { fresh: arrived + freshMs, stale: arrived + staleMs };
    const identity = identityOf(authorization);
    this.#entries.set(key, { body, own: body.share(), bytes, identity, datasetId, arrived, until });
    const datasets = this.#tokens.get(identity) ?? new Map<string, Set<string>>();
    this.#tokens.set(identity, datasets.set(datasetId, (datasets.get(datasetId) ?? new Set()).add(key)));
  }

  #attach(key: string, body: SharedBuffer, derivedData: DerivedData): boolean {
    const entry = this.#entries.peek(key);
    if (entry?.body !== body || body.derivedData !== undefined) return false;
    const bytes = entry.bytes + derivedData.bytes;
    if (bytes > this.#maxBytes) return false;
    body.derivedData = derivedData;
    this.#entries.set(key, { ...entry, bytes }, { noDisposeOnSet: true });
    return true;
  }

  #discard(key: string, body: SharedBuffer): void {
    if (this.#entries.peek(key)?.body === body) this.#entries.delete(key);
  }

  #forget(identity: string, datasetId: string, key: string): void {
    const datasets = this.#tokens.get(identity);
    const keys = datasets?.get(datasetId);
    keys?.delete(key);
    if (keys?.size === 0) datasets?.delete(datasetId);
    if (datasets?.size === 0) this.#tokens.delete(identity);
  }
}
