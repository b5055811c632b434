import { type BearerAuthorization, identityOf, tokenExpiry } from '../../core/bearer-token.ts';
import { type DerivedData, PooledBuffer, SharedBuffer } from '../../core/buffer-pool.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import { RestError } from '../contract/rest-error.ts';
import type { RestCall } from '../transport/rest-call.ts';
import {
  type CachedOperation,
  type CachedRead,
  type Lifetime,
  MemoryStore,
  type StoredResponse,
} from './memory-store.ts';

export interface ReadCacheOptions {
  /** Seconds for which a response is used; 0: responses of this operation are not kept. */
  readonly seconds: Readonly<Record<CachedOperation, number>>;
  /** Seconds after that for which it is used if the service fails. */
  readonly staleSeconds: number;
  /** The maximum bytes of all responses that are kept. */
  readonly maxBytes: number;
}

/** The body of a response with status 200. */
export interface CachedBody {
  readonly body: PooledBuffer;
  /** Whether the reader's memory already holds its bytes. */
  readonly hasMemory: boolean;
  /** Milliseconds since it arrived. */
  readonly ageMs: number;
  /** `stale`: it was kept, and is used only because the service fails. */
  readonly source: 'call' | 'cache' | 'stale';
  /** What was made of the body, for all who read it. Undefined if nothing is kept. */
  derivedData(): DerivedData | undefined;
  /** Keeps what was made of the body. Returns whether it is kept; if so, it no longer belongs to the caller. */
  attach(derivedData: DerivedData): boolean;
  /** The body is invalid: it is not kept. */
  discard(): void;
}

/** Makes the call for everyone who waits for it. */
export interface SharedFetch {
  /** The memory of what it reads. */
  readonly memory: OperationMemory;
  /** Rejects with a RestError. */
  call(): Promise<PooledBuffer>;
  /** Ends the call, or cleans up after it. A second time does nothing. */
  end(): void;
}

/** How a read was answered: from the cache, by a call that was already running, by a call of its own, or despite a failure. */
export const readOutcomes = ['hit', 'joined', 'miss', 'stale'] as const;
type ReadOutcome = (typeof readOutcomes)[number];

/** What a cache holds, and what it did so far. */
export interface ReadCacheState {
  readonly reads: Readonly<Record<CachedOperation, Readonly<Record<ReadOutcome, number>>>>;
  readonly store: Pick<MemoryStore, 'usage' | 'entries' | 'evictions'>;
}

interface Waiter {
  readonly memory: OperationMemory;
  resolve(found: CachedBody): void;
  reject(error: unknown): void;
}

/** A read that several wait for. */
interface InFlightRead {
  readonly read: CachedRead;
  /** That of the read in the store. */
  readonly key: string;
  readonly fetch: SharedFetch;
  readonly identity: string;
  readonly waiters: Set<Waiter>;
  /** Whether the service has rejected its token meanwhile. */
  isRejected: boolean;
}

/** A body of at most so many bytes is copied, because it may be part of larger memory. */
const SMALL_BYTES = 65_536;
/** A larger one is copied if its memory is so many times as large: that of a body of unknown length may be. */
const MAX_MEMORY = 2;

/**
 * Keeps the bytes of REST responses, and makes one call for all who read the same at the same time. Everything belongs to one
 * token: the key of a response is made of the token, the operation and what was asked, so no client gets what the token of
 * another one fetched.
 */
export class ReadCache implements ReadCacheState {
  readonly reads = { getDatasetMetadata: noReads(), getDatasetResults: noReads() };
  readonly #options: ReadCacheOptions;
  readonly #store: MemoryStore;
  /** By the key of what they read. */
  readonly #inFlight = new Map<string, InFlightRead>();

  constructor(options: ReadCacheOptions) {
    this.#options = options;
    this.#store = new MemoryStore(options.maxBytes);
  }

  get store(): ReadCacheState['store'] {
    return this.#store;
  }

  /** Whether responses of an operation are kept. */
  keeps(operation: CachedOperation): boolean {
    return this.#options.seconds[operation] > 0;
  }

  /**
   * Reads what was asked: from the cache, or by a call. The body in the response must be released.
   *
   * @param memory that of the reader
   * @param begin begins a call, which ends when nobody waits for it any more
   */
  read(read: CachedRead, memory: OperationMemory, begin: () => SharedFetch): RestCall<CachedBody> {
    const { operation } = read;
    const key = this.#store.keyOf(read);
    const stored = this.#store.find(key, 'fresh');
    if (stored !== undefined) {
      this.#count(operation, 'hit');
      return { response: Promise.resolve(this.#bodyOf(key, stored, 'cache')), abort: () => {} };
    }
    const running = this.#inFlight.get(key);
    this.#count(operation, running === undefined ? 'miss' : 'joined');
    const inFlight = running ?? this.#start(read, key, begin());
    const { promise, resolve, reject } = Promise.withResolvers<CachedBody>();
    const waiter = { memory, resolve, reject };
    inFlight.waiters.add(waiter);
    const abort = (failure: 'timeout' | 'cancelled') => {
      if (!inFlight.waiters.delete(waiter)) return;
      this.#fail(inFlight, [waiter], new RestError(operation, failure));
    };
    return { response: promise, abort };
  }

  /**
   * Drops what was read with a token, because the service rejects it. What running calls bring is not kept.
   *
   * @param datasetId the only dataset that it may not read; undefined if it may read nothing
   */
  invalidate(authorization: BearerAuthorization, datasetId: string | undefined): void {
    const identity = identityOf(authorization);
    for (const inFlight of this.#inFlight.values()) {
      if (inFlight.identity !== identity || inFlight.read.datasetId !== (datasetId ?? inFlight.read.datasetId))
        continue;
      inFlight.isRejected = true;
      this.#remove(inFlight);
    }
    this.#store.invalidate(authorization, datasetId);
  }

  /** Drops everything. */
  close(): void {
    this.#store.clear();
  }

  #start(read: CachedRead, key: string, fetch: SharedFetch): InFlightRead {
    const waiters = new Set<Waiter>();
    const identity = identityOf(read.authorization);
    const inFlight: InFlightRead = { read, key, fetch, identity, waiters, isRejected: false };
    this.#inFlight.set(key, inFlight);
    void fetch
      .call()
      .then((body) => this.#complete(inFlight, new SharedBuffer(compactBody(body))))
      .catch((error) => this.#fail(inFlight, takeAll(waiters), error));
    return inFlight;
  }

  #complete(inFlight: InFlightRead, body: SharedBuffer): void {
    // Held until everyone has a share.
    const held = body.share();
    this.#keep(inFlight, body);
    for (const waiter of takeAll(inFlight.waiters)) this.#resolve(inFlight, waiter, { body, ageMs: 0 }, 'call');
    held.release();
    this.#endIfUnused(inFlight);
  }

  #keep({ read, key, isRejected }: InFlightRead, body: SharedBuffer): void {
    const { seconds, staleSeconds } = this.#options;
    const tokenLifetime = tokenExpiry(read.authorization) - Date.now();
    const freshMs = Math.min(seconds[read.operation] * 1000, tokenLifetime);
    if (isRejected || freshMs <= 0) return;
    const lifetime: Lifetime = { freshMs, staleMs: Math.min(freshMs + staleSeconds * 1000, tokenLifetime) };
    this.#store.keep(key, read, body, lifetime);
  }

  /** Fails for those who wait no longer, unless there is a response that may be used when the service fails. */
  #fail(inFlight: InFlightRead, waiters: readonly Waiter[], error: unknown): void {
    const { read, key } = inFlight;
    const maySave = this.#options.staleSeconds > 0 && error instanceof RestError && isFailureOfService(error);
    const stale = maySave ? this.#store.find(key, 'stale') : undefined;
    for (const waiter of waiters) {
      if (stale === undefined) {
        waiter.reject(error);
        continue;
      }
      this.#count(read.operation, 'stale');
      this.#resolve(inFlight, waiter, stale, 'stale');
    }
    this.#endIfUnused(inFlight);
  }

  /** Ends the call, unless somebody waits for it. */
  #endIfUnused(inFlight: InFlightRead): void {
    if (inFlight.waiters.size > 0) return;
    inFlight.fetch.end();
    this.#remove(inFlight);
  }

  /** From now on nobody joins it. */
  #remove(inFlight: InFlightRead): void {
    const { key } = inFlight;
    if (this.#inFlight.get(key) === inFlight) this.#inFlight.delete(key);
  }

  /** Gives a waiter its share. The first one also gets the memory, so that the bytes always count for somebody. */
  #resolve(
    { key, fetch }: InFlightRead,
    { memory, resolve }: Waiter,
    stored: StoredResponse,
    source: CachedBody['source'],
  ): void {
    const found = this.#bodyOf(key, stored, source);
    resolve({ ...found, hasMemory: fetch.memory.give(memory, found.body.bytes.length) });
  }

  /** A share of a kept response. */
  #bodyOf(key: string, { body, ageMs }: StoredResponse, source: CachedBody['source']): CachedBody {
    return {
      body: body.share(),
      hasMemory: false,
      ageMs,
      source,
      derivedData: () => body.derivedData,
      attach: (derivedData) => this.#store.attach(key, body, derivedData),
      discard: () => this.#store.discard(key, body),
    };
  }

  #count(operation: CachedOperation, outcome: ReadOutcome): void {
    this.reads[operation][outcome] += 1;
  }
}

function noReads(): Record<ReadOutcome, number> {
  return { hit: 0, joined: 0, miss: 0, stale: 0 };
}

function takeAll(waiters: Set<Waiter>): Waiter[] {
  const all = [...waiters];
  waiters.clear();
  return all;
}

/** Whether another attempt may succeed without another request or token: a 5xx, a timeout, or no connection. */
function isFailureOfService({ failure, status }: RestError): boolean {
  if (failure === 'httpError') return status !== null && status >= 500;
  return failure === 'timeout' || failure === 'unavailable' || failure === 'circuitOpen';
}

/** A body in memory that has little else in it. */
function compactBody(body: PooledBuffer): PooledBuffer {
  const { bytes } = body;
  const { length } = bytes;
  const isSmall = length <= SMALL_BYTES;
  if (!isSmall && body.heldBytes <= length * MAX_MEMORY) return body;
  const own = isSmall ? PooledBuffer.of(Buffer.allocUnsafeSlow(length)) : PooledBuffer.acquire(length);
  bytes.copy(own.bytes);
  body.release();
  return own;
}
