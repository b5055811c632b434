import type { BearerAuthorization } from '../../core/bearer-token.ts';
import type { DerivedData, SharedBuffer } from '../../core/buffer-pool.ts';
import type { Usage } from '../../core/usage.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import type { RedisFailure, RedisTask } from './redis-connection.ts';

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
export type Until = 'fresh' | 'stale';

/** A response that was kept. */
export interface KeptResponse {
  readonly body: SharedBuffer;
  /** Milliseconds since it arrived from the service. */
  readonly ageMs: number;
}

/** The slot of one response in a store. */
export interface StoredRead {
  /** Equal for equal reads of the same token. The token and what is read cannot be read from it. */
  readonly key: string;
  /** The response, if it is there at once. */
  peek(until: Until): KeptResponse | undefined;
  /**
   * Fetches the response from where it is kept. Undefined if it is not there, or cannot be had soon.
   *
   * @param memory reserves memory for its body. Rejects with its RestErrors
   */
  fetch?(until: Until, memory: OperationMemory): Promise<KeptResponse | undefined>;
  /** Keeps a response that has just arrived. */
  keep(body: SharedBuffer, lifetime: Lifetime): void;
  /** Keeps what was made of a body with it. Returns whether it does: the body may not be kept, or it would not fit. */
  attach?(body: SharedBuffer, derivedData: DerivedData): boolean;
  /** Drops a body if it is kept, because it is invalid. */
  discard(body: SharedBuffer): void;
}

/** What the memory holds, and what it had to drop. */
export interface MemoryStoreState {
  readonly kind: 'memory';
  /** The bytes that it holds, and the most that it may hold. */
  readonly usage: Usage;
  readonly entries: number;
  /** How often a response was dropped because there was no more room. */
  readonly evictions: number;
}

/** How Redis does. */
export interface RedisStoreState {
  readonly kind: 'redis';
  readonly isAvailable: boolean;
  readonly failures: Readonly<Record<RedisTask, Readonly<Record<RedisFailure, number>>>>;
  readonly traffic: { readonly readBytes: number; readonly writtenBytes: number };
}

/** Where responses are kept. */
export interface ResponseStore {
  /** What it holds, or how it does. It changes. */
  readonly state: MemoryStoreState | RedisStoreState;
  of(read: CachedRead): StoredRead;
  /** Drops what was read with a token, of one dataset if it is given. */
  invalidate(authorization: BearerAuthorization, datasetId: string | undefined): void;
  close(): Promise<void>;
}

/** What is read, in one text. A token has no line break, and a JSON text ends the dataset id. */
export function describeRead({ operation, datasetId, body }: CachedRead): string {
  return `${operation}\n${JSON.stringify(datasetId)}\n${body}`;
}
