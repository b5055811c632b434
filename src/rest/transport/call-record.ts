import type { RestError, RestOperation } from '../contract/rest-error.ts';

/** A REST call that has ended. It holds no URL, no body and no token. */
export interface RestCallRecord {
  readonly operation: RestOperation;
  readonly status: number | null;
  /** Undefined if it succeeded. */
  readonly error: RestError | undefined;
  /** From the request for the call to its end. */
  readonly milliseconds: number;
  /** The part of it in the queue: 0 if the call was sent at once; undefined if it was not sent. */
  readonly waited: number | undefined;
  /** Body bytes received, before decoding. */
  readonly bytes: number;
  /** How often the call was made before. */
  readonly resends: number;
  /** What `callSent` returned. */
  readonly traced: TracedCall | undefined;
}

/** A call that is traced. */
export interface TracedCall {
  /** Headers to send with it: names and values in turn. */
  readonly headers: readonly string[];
}

/** Observes the REST calls of one request of a client. */
export interface CallObserver {
  /**
   * A call is about to be sent.
   *
   * @param resends how often it was made before
   * @param waited the milliseconds that it waited in the queue; 0 if it did not
   * @returns undefined if it is not traced
   */
  callSent(operation: RestOperation, resends: number, waited: number): TracedCall | undefined;
  callEnded(call: RestCallRecord): void;
  /** A failed call is made again. */
  callRetried(operation: RestOperation): void;
}
