import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type BearerAuthorization, identityOf, tokenOf } from '../../core/bearer-token.ts';
import type { DerivedData, PooledBuffer, SharedBuffer } from '../../core/buffer-pool.ts';
import type { Usage } from '../../core/usage.ts';

/** The REST operations whose responses are kept. */
export type CachedOperation = 'getDatasetMetadata' | 'getDatasetResults';

/** What is read, by whom. */
export interface CachedRead {
  readonly operation: CachedOperation;
  readonly datasetId: string;
  /** The body of the call; empty if it has none. */
  readonly body: string;
  readonly authorization: BearerAuthorization;
}

/** For how many milliseconds a response may be used: as a rule, and if the service fails. */
export interface Lifetime {
  readonly freshMs: number;
  readonly staleMs: number;
}

/** Which of the two times a response must be within. */
type Until = 'fresh' | 'stale';

/** A response that was kept. */
export interface StoredResponse {
  readonly body: SharedBuffer;
  /** Milliseconds since it arrived from the service. */
  readonly ageMs: number;
}

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
export class MemoryStore {
  /** How often a response was dropped because there was no more room. */
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

  /** The bytes that it holds, and the most that it may hold. */
  get usage(): Usage {
    return { used: this.#entries.calculatedSize, limit: this.#maxBytes };
  }

  /** The number of responses that it holds. */
  get entries(): number {
    return this.#entries.size;
  }

  /** Equal for equal reads of the same token. The token and what is read cannot be read from it. */
  keyOf({ authorization, operation, datasetId, body }: CachedRead): string {
    // A token has no line break, and a JSON text ends the dataset id.
    const read = `${tokenOf(authorization)}\n${operation}\n${JSON.stringify(datasetId)}\n${body}`;
    return createHmac('sha256', this.#secret).update(read).digest('base64');
  }

  /** The response to the read with this key, if it is kept. */
  find(key: string, until: Until): StoredResponse | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = performance.now();
    if (now >= entry.until.stale) this.#entries.delete(key);
    return now >= entry.until[until] ? undefined : { body: entry.body, ageMs: now - entry.arrived };
  }

  /** Keeps a response that has just arrived, unless it is too large. */
  keep(
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

  /** Keeps what was made of a body with it. Returns whether it does: the body may not be kept, or it would not fit. */
  attach(key: string, body: SharedBuffer, derivedData: DerivedData): boolean {
    const entry = this.#entries.peek(key);
    if (entry?.body !== body || body.derivedData !== undefined) return false;
    const bytes = entry.bytes + derivedData.bytes;
    if (bytes > this.#maxBytes) return false;
    body.derivedData = derivedData;
    this.#entries.set(key, { ...entry, bytes }, { noDisposeOnSet: true });
    return true;
  }

  /** Drops a body if it is kept, because it is invalid. */
  discard(key: string, body: SharedBuffer): void {
    if (this.#entries.peek(key)?.body === body) this.#entries.delete(key);
  }

  /** Drops what was read with a token, of one dataset if it is given. */
  invalidate(authorization: BearerAuthorization, datasetId: string | undefined): void {
    const datasets = this.#tokens.get(identityOf(authorization));
    const dropped = datasetId === undefined ? [...(datasets?.values() ?? [])] : [datasets?.get(datasetId) ?? []];
    for (const keys of dropped) for (const key of keys) this.#entries.delete(key);
  }

  /** Drops everything. */
  clear(): void {
    this.#entries.clear();
  }

  #forget(identity: string, datasetId: string, key: string): void {
    const datasets = this.#tokens.get(identity);
    const keys = datasets?.get(datasetId);
    keys?.delete(key);
    if (keys?.size === 0) datasets?.delete(datasetId);
    if (datasets?.size === 0) this.#tokens.delete(identity);
  }
}
