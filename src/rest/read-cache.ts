import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type BearerAuthorization, identityOf, tokenOf } from '../core/bearer-token.ts';
import { PooledBuffer, SharedBuffer } from '../core/buffer-pool.ts';
import type { Usage } from '../core/usage.ts';
import { RestError } from './errors.ts';
import type { RestCall } from './rest-call.ts';
import { tokenExpiry } from './token-expiry.ts';

/** The REST operations whose responses are kept. */
export type CachedOperation = 'getDatasetMetadata' | 'getDatasetResults';

export interface ReadCacheOptions {
  /** Seconds for which a response is used; 0: responses of this operation are not kept. */
  readonly seconds: Readonly<Record<CachedOperation, number>>;
  /** Seconds after that for which it is used if the service fails. */
  readonly staleSeconds: number;
  /** The maximum bytes of all responses. */
  readonly maxBytes: number;
}

/** What is read, by whom. */
export interface CachedRead {
  readonly operation: CachedOperation;
  readonly datasetId: string;
  /** The body of the call; empty if it has none. */
  readonly body: string;
  readonly authorization: BearerAuthorization;
}

/** The body of a response with status 200. */
export interface CachedBody {
  readonly body: PooledBuffer;
  /** Milliseconds since it arrived. */
  readonly ageMs: number;
  /** Whether it is used only because the service fails. */
  readonly isStale: boolean;
  /** The body is invalid: it is not kept. */
  discard(): void;
}

/** A call that was started for everyone who waits for it. */
export interface Flight {
  /** Rejects with a RestError. */
  readonly response: Promise<PooledBuffer>;
  /** Ends the call, or cleans up after it. */
  end(): void;
}

/** How a read was answered: from the cache, by a call that was already running, by a call of its own, or despite a failure. */
export const readOutcomes = ['hit', 'joined', 'miss', 'stale'] as const;
type ReadOutcome = (typeof readOutcomes)[number];

/** What a cache holds, and what it did so far. */
export interface ReadCacheState {
  readonly reads: Readonly<Record<CachedOperation, Readonly<Record<ReadOutcome, number>>>>;
  /** The bytes that it holds, and the most that it may hold. */
  readonly memory: Usage;
  readonly entries: number;
  /** How often a response was dropped because there was no more room. */
  readonly evictions: number;
}

/** A response that is kept. Times are in milliseconds of `performance.now()`. */
interface Entry {
  readonly shared: SharedBuffer;
  /** The cache's own share. */
  readonly own: PooledBuffer;
  readonly bytes: number;
  readonly token: TokenReads;
  readonly arrived: number;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

/** What was read with one token. It is replaced when the service rejects the token. */
interface TokenReads {
  readonly identity: string;
  readonly keys: Set<string>;
  readonly flights: Map<string, SharedFlight>;
}

interface Waiter {
  resolve(found: CachedBody): void;
  reject(error: unknown): void;
}

interface SharedFlight extends Flight {
  readonly waiters: Set<Waiter>;
}

/** The bytes of an entry beside its body. */
const ENTRY_BYTES = 600;

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
  evictions = 0;
  readonly #options: ReadCacheOptions;
  /** A key object: from bytes, each HMAC would take seven times as long. */
  readonly #secret = createSecretKey(randomBytes(32));
  readonly #entries: LRUCache<string, Entry>;
  /** By the identity of the token. */
  readonly #tokens = new Map<string, TokenReads>();

  constructor(options: ReadCacheOptions) {
    this.#options = options;
    this.#entries = new LRUCache<string, Entry>({
      maxSize: options.maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: ({ own, token }, key, reason) => {
        if (reason === 'evict') this.evictions += 1;
        token.keys.delete(key);
        this.#forgetUnused(token);
        own.release();
      },
    });
  }

  get memory(): Usage {
    return { used: this.#entries.calculatedSize, limit: this.#options.maxBytes };
  }

  get entries(): number {
    return this.#entries.size;
  }

  /** Whether responses of an operation are kept. */
  keeps(operation: CachedOperation): boolean {
    return this.#options.seconds[operation] > 0;
  }

  /**
   * Reads what was asked: from the cache, or by a call. The body in the response must be released.
   *
   * @param start starts the call, which ends when nobody waits for it any more
   */
  read(read: CachedRead, start: () => Flight): RestCall<CachedBody> {
    const { operation } = read;
    const key = this.#keyOf(read);
    const found = this.#find(key, 'freshUntil');
    if (found !== undefined) {
      this.#count(operation, 'hit');
      return { response: Promise.resolve(found), abort: () => {} };
    }
    const identity = identityOf(read.authorization);
    const token = this.#tokens.get(identity) ?? { identity, keys: new Set(), flights: new Map() };
    this.#tokens.set(identity, token);
    const running = token.flights.get(key);
    this.#count(operation, running === undefined ? 'miss' : 'joined');
    const flight = running ?? this.#start(read, key, token, start);
    const { promise, resolve, reject } = Promise.withResolvers<CachedBody>();
    const waiter = { resolve, reject };
    flight.waiters.add(waiter);
    const abort = (failure: 'timeout' | 'cancelled') => {
      if (!flight.waiters.delete(waiter)) return;
      if (flight.waiters.size === 0) this.#end(key, token, flight);
      this.#fail(waiter, operation, key, new RestError(operation, failure));
    };
    return { response: promise, abort };
  }

  /** Drops what was read with a token, because the service rejects it. Calls that are running are not kept. */
  drop(authorization: BearerAuthorization): void {
    const identity = identityOf(authorization);
    const token = this.#tokens.get(identity);
    if (token === undefined) return;
    this.#tokens.delete(identity);
    for (const key of token.keys) this.#entries.delete(key);
  }

  #start(read: CachedRead, key: string, token: TokenReads, start: () => Flight): SharedFlight {
    const { response, end } = start();
    const flight: SharedFlight = { response, end, waiters: new Set() };
    token.flights.set(key, flight);
    response.then(
      (body) => {
        const arrived = performance.now();
        const shared = new SharedBuffer(ownMemory(body));
        // Held until everyone has a share.
        const held = shared.share();
        this.#keep(read, key, token, shared, arrived);
        const discard = () => this.#discard(key, shared);
        for (const { resolve } of flight.waiters) resolve({ body: shared.share(), ageMs: 0, isStale: false, discard });
        flight.waiters.clear();
        held.release();
        this.#end(key, token, flight);
      },
      (error) => {
        const waiters = [...flight.waiters];
        flight.waiters.clear();
        this.#end(key, token, flight);
        for (const waiter of waiters) this.#fail(waiter, read.operation, key, error);
      },
    );
    return flight;
  }

  #end(key: string, token: TokenReads, flight: SharedFlight): void {
    flight.end();
    if (token.flights.get(key) === flight) token.flights.delete(key);
    this.#forgetUnused(token);
  }

  #forgetUnused(token: TokenReads): void {
    const isUnused = token.flights.size === 0 && token.keys.size === 0;
    if (isUnused && this.#tokens.get(token.identity) === token) this.#tokens.delete(token.identity);
  }

  #discard(key: string, shared: SharedBuffer): void {
    if (this.#entries.peek(key)?.shared === shared) this.#entries.delete(key);
  }

  /** Rejects, unless there is a response that may be used when the service fails. */
  #fail(waiter: Waiter, operation: CachedOperation, key: string, error: unknown): void {
    const stale = error instanceof RestError && isFailureOfService(error) ? this.#find(key, 'staleUntil') : undefined;
    if (stale === undefined) {
      waiter.reject(error);
      return;
    }
    this.#count(operation, 'stale');
    waiter.resolve({ ...stale, isStale: true });
  }

  #keep(
    { operation, authorization }: CachedRead,
    key: string,
    token: TokenReads,
    shared: SharedBuffer,
    arrived: number,
  ): void {
    // The token was rejected meanwhile.
    if (this.#tokens.get(token.identity) !== token) return;
    const bytes = shared.heldBytes + ENTRY_BYTES;
    const { seconds, staleSeconds, maxBytes } = this.#options;
    const tokenLifetime = tokenExpiry(authorization) - Date.now();
    const lifetime = Math.min(seconds[operation] * 1000, tokenLifetime);
    if (bytes > maxBytes || lifetime <= 0) return;
    const freshUntil = arrived + lifetime;
    const staleUntil = arrived + Math.min(lifetime + staleSeconds * 1000, tokenLifetime);
    this.#entries.set(key, { shared, own: shared.share(), bytes, token, arrived, freshUntil, staleUntil });
    token.keys.add(key);
  }

  #find(key: string, until: 'freshUntil' | 'staleUntil'): CachedBody | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const now = performance.now();
    if (now >= entry.staleUntil) this.#entries.delete(key);
    if (now >= entry[until]) return undefined;
    const { shared, arrived } = entry;
    return { body: shared.share(), ageMs: now - arrived, isStale: false, discard: () => this.#discard(key, shared) };
  }

  #count(operation: CachedOperation, outcome: ReadOutcome): void {
    this.reads[operation][outcome] += 1;
  }

  /** The token cannot be read from it. */
  #keyOf({ authorization, operation, datasetId, body }: CachedRead): string {
    // A token has no line break, and a JSON text ends the rest.
    const text = `${tokenOf(authorization)}\n${operation}\n${JSON.stringify(datasetId)}\n${body}`;
    return createHmac('sha256', this.#secret).update(text).digest('base64');
  }
}

function noReads(): Record<ReadOutcome, number> {
  return { hit: 0, joined: 0, miss: 0, stale: 0 };
}

/** Whether another attempt may succeed without another request or token: a 5xx, a timeout, or no connection. */
function isFailureOfService({ failure, status }: RestError): boolean {
  if (failure === 'httpError') return status !== null && status >= 500;
  return failure === 'timeout' || failure === 'unavailable' || failure === 'circuitOpen';
}

/** A body in memory that has little else in it. */
function ownMemory(body: PooledBuffer): PooledBuffer {
  const { bytes } = body;
  const { length } = bytes;
  const isSmall = length <= SMALL_BYTES;
  if (!isSmall && bytes.buffer.byteLength <= length * MAX_MEMORY) return body;
  const own = isSmall ? PooledBuffer.of(Buffer.allocUnsafeSlow(length)) : PooledBuffer.acquire(length);
  bytes.copy(own.bytes);
  body.release();
  return own;
}
