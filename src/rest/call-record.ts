import type { RestError, RestOperation } from './errors.ts';

/** A REST call that has ended. It holds no URL, no body and no token. */
export interface RestCallRecord {
  readonly operation: RestOperation;
  readonly status: number | null;
  /** Undefined if it succeeded. */
  readonly error: RestError | undefined;
  /** From the request for the call to its end. */
  readonly milliseconds: number;
  /** The part of it before the call was sent; undefined if it was not sent. */
  readonly waited: number | undefined;
  /** Body bytes received, before decoding. */
  readonly bytes: number;
}

/** Observes the REST calls of one request of a client. */
export interface CallObserver {
  callEnded(call: RestCallRecord): void;
  /** A failed call is made again. */
  callRetried(operation: RestOperation): void;
}
