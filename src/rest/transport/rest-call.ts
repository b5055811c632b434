import type { BearerAuthorization } from '../../core/bearer-token.ts';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import type { CallObserver } from './call-record.ts';

/** The client of a call. */
export interface ClientIdentity {
  readonly authorization: BearerAuthorization;
  readonly observer: CallObserver;
}

/** The client and the GraphQL operation of a call. */
export interface OperationIdentity extends ClientIdentity {
  /** The memory for the call. It also knows the operation, whose calls share one set of limits. */
  readonly memory: OperationMemory;
  /** Equal for equal tokens. The token cannot be read from it. */
  readonly tokenId: string;
  /** How often the call was made before. */
  readonly resends: number;
}

/** A running call. `abort` ends it at once, and `response` rejects with that failure. */
export interface RestCall<T = PooledBuffer> {
  readonly response: Promise<T>;
  /** Whether its body passes to the client while it arrives, so that no deadline of its operation holds. */
  readonly isPassing?: boolean;
  abort(failure: 'timeout' | 'cancelled'): void;
}
