import type { BearerAuthorization } from '../../core/bearer-token.ts';
import type { BodySizes } from '../../core/body-sizes.ts';
import type { Breaker } from '../admission/breaker.ts';
import type { Memory } from '../admission/memory.ts';
import type { RetryBudget } from '../admission/retries.ts';
import type { Semaphore } from '../admission/semaphore.ts';
import type { Limit } from '../contract/rest-error.ts';
import type { OperationIdentity, RestRequest } from './rest-call.ts';
import type { ServicePool } from './service-pool.ts';

/** How many bytes of a body wait for its reader before the connection does. */
export const MIN_AHEAD_BYTES: number = 1 << 20;
/** The memory of a body for a file of results, with what waits for its reader. Its operation has reserved it. */
export const FILE_BODY_BYTES: number = 3 << 20;

/**
 * Is called when the service rejects a token (401), or does not let it read a dataset (403).
 *
 * @param datasetId the dataset; undefined if it is the token itself
 */
export type OnRejected = (authorization: BearerAuthorization, datasetId: string | undefined) => void;

/** How calls of one kind are admitted and made: for metadata, for results, for files of results, and for files of static datasets. */
export interface CallKind {
  readonly pool: Pick<ServicePool, 'dispatch'>;
  /** What admits it: a permit for a connection, and a circuit. Undefined for a file: the limit of downloads is enough. */
  readonly admission:
    | { readonly semaphore: Semaphore; readonly breaker: Breaker; readonly retries: RetryBudget }
    | undefined;
  /** The maximum body of a 200 in decoded bytes, with its setting. Encoded bytes are limited too. */
  readonly maxBytes: Limit;
  /** The bytes of memory that are reserved for its body beforehand. */
  readonly reservedBytes: number;
  /** How many bytes of a body wait for its reader before the connection does. */
  readonly aheadBytes: number;
  /** The media types and the codings that are accepted: names and values of headers in turn. */
  readonly accepted: readonly string[];
}

/** What all calls share. */
export interface CallServices {
  readonly memory: Memory;
  /** Milliseconds from sending the request to the headers of the response; of a body without a deadline also between two chunks. */
  readonly headersTimeoutMs: number;
  readonly bodySizes: BodySizes;
  /** Whether failed calls may be retried. */
  readonly retry: boolean;
  /** The maximum number of calls that wait for a socket, for the message of its error. */
  readonly queue: number;
  readonly onRejected: OnRejected;
}

/** A request to the service. */
export interface CallRequest extends RestRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Of another host, to which the service has redirected. It gets nothing of the client. */
  readonly origin?: string;
  /** The JSON of a POST. */
  readonly body: string | null;
  readonly identity: OperationIdentity;
  /** After so many bytes its reader decides whether it keeps the body of a 200. Undefined: it keeps it. */
  readonly holdBytes?: number | undefined;
}
