import type { BearerAuthorization } from '../../core/bearer-token.ts';
import type { Body } from '../../core/body.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import type { RestError, RestOperation } from '../contract/rest-error.ts';
import type { ResultsFilter } from '../contract/wire.ts';

/** The client of a call. */
export interface ClientIdentity {
  readonly authorization: BearerAuthorization;
  /** Undefined if nobody observes its calls. */
  readonly observer: CallObserver | undefined;
}

/** The client and the GraphQL operation of a call. */
export interface OperationIdentity extends ClientIdentity {
  /** The memory for the call. It also knows the operation, whose calls share one set of limits. */
  readonly memory: OperationMemory;
  /** How often the call was made before. */
  readonly resends: number;
}

/** A running call. `abort` ends it at once, and `response` or what it has resolved to fails. */
export interface RestCall<T = Body> {
  readonly response: Promise<T>;
  /** Whether it has ended, and what is called when it does. Absent: it ends with its response. */
  readonly isDone?: boolean;
  onEnd?: (() => void) | undefined;
  /** Whether its body passes to the client while it arrives, so that no deadline of its operation holds. */
  readonly isStreaming?: boolean;
  abort(failure: 'timeout' | 'cancelled'): void;
}

/** What is asked of the service. */
export interface RestRequest {
  readonly operation: RestOperation;
  readonly datasetId: string;
  /** Undefined for what is not results. */
  readonly filter: ResultsFilter | undefined;
}

/** A REST call that has ended. It holds no URL, no body and no token. */
export interface RestCallRecord {
  readonly operation: RestOperation;
  /** The object that `callSent` got. Undefined if it was not sent. */
  readonly request: RestRequest | undefined;
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
}

/** Observes the REST calls of one request of a client. */
export interface CallObserver {
  /**
   * A call is about to be sent.
   *
   * @param resends how often it was made before
   * @param waited the milliseconds that it waited in the queue; 0 if it did not
   * @returns headers to send with it: names and values in turn
   */
  callSent(request: RestRequest, resends: number, waited: number): readonly string[] | undefined;
  callEnded?(call: RestCallRecord): void;
  /** A failed call is made again. */
  callRetried?(operation: RestOperation): void;
  /** A read needed no call of its own. */
  callSaved?(read: SavedRead): void;
}

/** Several observers as one. Undefined if there is none. */
export function observedBy(...given: readonly (CallObserver | undefined)[]): CallObserver | undefined {
  const [only, ...others] = given.filter((observer) => observer !== undefined);
  if (only === undefined || others.length === 0) return only;
  const all = [only, ...others];
  return {
    callSent: (...sent) => all.flatMap((observer) => observer.callSent(...sent) ?? []),
    callEnded: (call) => {
      for (const observer of all) observer.callEnded?.(call);
    },
    callRetried: (operation) => {
      for (const observer of all) observer.callRetried?.(operation);
    },
    callSaved: (read) => {
      for (const observer of all) observer.callSaved?.(read);
    },
  };
}

/** A read that needed no call of its own, because of the cache. */
export interface SavedRead {
  readonly request: RestRequest;
  /**
   * - `cache`: it was kept;
   * - `stale`: it was kept, and is used only because the service fails;
   * - `joined`: a call that was running for another request got it.
   */
  readonly source: 'cache' | 'stale' | 'joined';
  /** Milliseconds since its response arrived. */
  readonly ageMs: number;
  /** Undefined if it succeeded. */
  readonly error: RestError | undefined;
  /** From the request for it to its end. */
  readonly milliseconds: number;
}
