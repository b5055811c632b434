import { type BearerAuthorization, identityOf, tokenExpiry } from '../../core/bearer-token.ts';
import { type Attachment, PooledBuffer, SharedBuffer } from '../../core/buffer-pool.ts';
import type { OperationMemory } from '../operation-memory.ts';
import type { RestCall } from '../rest-call.ts';
import { RestError } from '../rest-error.ts';
import type {
  CachedOperation,
  CachedRead,
  KeptResponse,
  Lifetime,
  ResponseStore,
  StoredRead,
} from './response-store.ts';

export interface ReadCacheOptions {
  /** Seconds for which a response is used; 0: responses of this operation are not kept. */
  readonly seconds: Readonly<Record<CachedOperation, number>>;
  /** Seconds after that for which it is used if the service fails. */
  readonly staleSeconds: number;
  readonly store: ResponseStore;
}

/** The body of a response with status 200. */
export interface CachedBody {
  readonly body: PooledBuffer;
  /** Whether the reader's memory already holds its bytes. */
  readonly hasMemory: boolean;
  /** Milliseconds since it arrived. */
  readonly ageMs: number;
  /** Whether it is used only because the service fails. */
  readonly isStale: boolean;
  /** What was made of the body, for all who read it. Undefined if nothing is kept. */
  attachment(): Attachment | undefined;
  /** Keeps what was made of the body. Returns whether it is kept; if so, it no longer belongs to the caller. */
  attach(attachment: Attachment): boolean;
  /** The body is invalid: it is not kept. */
  discard(): void;
}

/** Makes the call for everyone who waits for it. */
export interface FlightSession {
  /** The memory of what it reads. */
  readonly memory: OperationMemory;
  /** Rejects with a RestError. */
  call(): Promise<PooledBuffer>;
  /** Ends the call, or cleans up after it. */
  end(): void;
}

/** How a read was answered: from the cache, by a call that was already running, by a call of its own, or despite a failure. */
export const readOutcomes = ['hit', 'joined', 'miss', 'stale'] as const;
type ReadOutcome = (typeof readOutcomes)[number];

/** What a cache holds, and what it did so far. */
export interface ReadCacheState {
  readonly reads: Readonly<Record<CachedOperation, Readonly<Record<ReadOutcome, number>>>>;
  readonly store: ResponseStore['state'];
}

interface Waiter {
  readonly memory: OperationMemory;
  readonly operation: OperationMemory['operation'];
  resolve(found: CachedBody): void;
  reject(error: unknown): void;
}

/** A read that several wait for. */
interface Flight {
  readonly read: CachedRead;
  readonly stored: StoredRead;
  readonly session: FlightSession;
  readonly identity: string;
  readonly waiters: Set<Waiter>;
  /** Whether the service has rejected its token meanwhile. */
  isRejected: boolean;
  /** How often a stale response is looked for at the moment. */
  failing: number;
  hasEnded: boolean;
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
  /** By the key of what they read. */
  readonly #flights = new Map<string, Flight>();

  constructor(options: ReadCacheOptions) {
    this.#options = options;
  }

  get store(): ResponseStore['state'] {
    return this.#options.store.state;
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
  read(read: CachedRead, memory: OperationMemory, begin: () => FlightSession): RestCall<CachedBody> {
    const { operation } = read;
    const stored = this.#options.store.of(read);
    const kept = stored.peek('fresh');
    if (kept !== undefined) {
      this.#count(operation, 'hit');
      return { response: Promise.resolve(bodyOf(stored, kept)), abort: () => {} };
    }
    const running = this.#flights.get(stored.key);
    if (running !== undefined) this.#count(operation, 'joined');
    const flight = running ?? this.#fly(read, stored, begin());
    const { promise, resolve, reject } = Promise.withResolvers<CachedBody>();
    const waiter = { memory, operation: memory.operation, resolve, reject };
    flight.waiters.add(waiter);
    const abort = (failure: 'timeout' | 'cancelled') => {
      if (!flight.waiters.delete(waiter)) return;
      void this.#fail(flight, [waiter], new RestError(operation, failure));
    };
    return { response: promise, abort };
  }

  /**
   * Drops what was read with a token, because the service rejects it. What running calls bring is not kept.
   *
   * @param datasetId the only dataset that it may not read; undefined if it may read nothing
   */
  drop(authorization: BearerAuthorization, datasetId: string | undefined): void {
    const identity = identityOf(authorization);
    for (const flight of this.#flights.values()) {
      if (flight.identity !== identity || flight.read.datasetId !== (datasetId ?? flight.read.datasetId)) continue;
      flight.isRejected = true;
      this.#unlist(flight);
    }
    this.#options.store.drop(authorization, datasetId);
  }

  close(): Promise<void> {
    return this.#options.store.close();
  }

  #fly(read: CachedRead, stored: StoredRead, session: FlightSession): Flight {
    const identity = identityOf(read.authorization);
    const state = { waiters: new Set<Waiter>(), isRejected: false, failing: 0, hasEnded: false };
    const flight: Flight = { read, stored, session, identity, ...state };
    session.memory.waiters = flight.waiters;
    this.#flights.set(stored.key, flight);
    void this.#complete(flight).catch((error) => {
      this.#unlist(flight);
      return this.#fail(flight, takeAll(flight.waiters), error);
    });
    return flight;
  }

  /** Rejects if there is no response. */
  async #complete(flight: Flight): Promise<void> {
    const { read, stored, session } = flight;
    const fetched = stored.fetch && (await stored.fetch('fresh', session.memory));
    if (fetched === undefined && flight.hasEnded) return;
    this.#count(read.operation, fetched === undefined ? 'miss' : 'hit');
    const kept = fetched ?? { body: new SharedBuffer(ownMemory(await session.call())), ageMs: 0 };
    // Held until everyone has a share.
    const held = kept.body.share();
    if (fetched === undefined) this.#keep(flight, kept.body);
    for (const waiter of takeAll(flight.waiters)) resolveWith(flight, waiter, kept);
    held.release();
    this.#unlist(flight);
    this.#endIfUnused(flight);
  }

  #keep({ read, stored, isRejected }: Flight, body: SharedBuffer): void {
    const { seconds, staleSeconds } = this.#options;
    const tokenLifetime = tokenExpiry(read.authorization) - Date.now();
    const freshMs = Math.min(seconds[read.operation] * 1000, tokenLifetime);
    if (isRejected || freshMs <= 0) return;
    const lifetime: Lifetime = { freshMs, staleMs: Math.min(freshMs + staleSeconds * 1000, tokenLifetime) };
    stored.keep(body, lifetime);
  }

  /** Fails for those who wait no longer, unless there is a response that may be used when the service fails. */
  async #fail(flight: Flight, waiters: readonly Waiter[], error: unknown): Promise<void> {
    const { read, stored, session } = flight;
    const maySave = this.#options.staleSeconds > 0 && error instanceof RestError && isFailureOfService(error);
    let stale: KeptResponse | undefined;
    flight.failing += 1;
    if (maySave && waiters.length > 0) {
      // If memory is short, the first error is the better one.
      stale = stored.peek('stale') ?? (await stored.fetch?.('stale', session.memory).catch(() => undefined));
    }
    const held = stale?.body.share();
    for (const waiter of waiters) {
      if (stale === undefined) {
        waiter.reject(error);
        continue;
      }
      this.#count(read.operation, 'stale');
      resolveWith(flight, waiter, stale, true);
    }
    held?.release();
    flight.failing -= 1;
    this.#endIfUnused(flight);
  }

  /** Ends the call, unless somebody waits for it, or needs the memory of its session. */
  #endIfUnused(flight: Flight): void {
    if (flight.hasEnded || flight.waiters.size > 0 || flight.failing > 0) return;
    flight.hasEnded = true;
    flight.session.end();
    this.#unlist(flight);
  }

  /** From now on nobody joins it. */
  #unlist(flight: Flight): void {
    const { key } = flight.stored;
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  #count(operation: CachedOperation, outcome: ReadOutcome): void {
    this.reads[operation][outcome] += 1;
  }
}

function noReads(): Record<ReadOutcome, number> {
  return { hit: 0, joined: 0, miss: 0, stale: 0 };
}

/** Gives a waiter its share. The first one also gets the memory, so that the bytes always count for somebody. */
function resolveWith(
  { stored, session }: Flight,
  { memory, resolve }: Waiter,
  kept: KeptResponse,
  isStale = false,
): void {
  const found = bodyOf(stored, kept, isStale);
  resolve({ ...found, hasMemory: session.memory.give(memory, found.body.bytes.length) });
}

/** A share of a kept response. */
function bodyOf(stored: StoredRead, { body, ageMs }: KeptResponse, isStale = false): CachedBody {
  return {
    body: body.share(),
    hasMemory: false,
    ageMs,
    isStale,
    attachment: () => body.attachment,
    attach: (attachment) => stored.attach?.(body, attachment) === true,
    discard: () => stored.discard(body),
  };
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
