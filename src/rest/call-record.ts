import type { RestError, RestOperation } from './errors.ts';

/** One REST call in the log. It holds no URL, no body and no token. */
export interface RestCallRecord {
  readonly operation: RestOperation;
  readonly requestId: string;
  readonly status: number | null;
  readonly label: string | null;
  readonly milliseconds: number;
  /** Body bytes received, before decoding. */
  readonly bytes: number;
  /** Why the call failed; undefined if it succeeded. */
  readonly failure: string | undefined;
  /** The error code of the connection, for example ECONNREFUSED. */
  readonly cause: string | undefined;
}

/** A call that has ended. */
interface EndedCall {
  readonly operation: RestOperation;
  readonly requestId: string;
  /** `performance.now()` when it started. */
  readonly started: number;
  readonly bytes: number;
  readonly status: number | null;
  readonly error?: RestError | undefined;
}

/** Makes the record of a call. */
export function recordOf({ operation, requestId, started, bytes, status, error }: EndedCall): RestCallRecord {
  return {
    operation,
    requestId,
    status,
    label: error?.label ?? null,
    milliseconds: Math.round((performance.now() - started) * 10) / 10,
    bytes,
    // The log omits undefined fields.
    failure: error?.failure,
    cause: codeOf(error?.cause),
  };
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}
