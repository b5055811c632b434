/** The code of an error of Node.js, undici or a connection, such as `ECONNREFUSED`. Undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * The codes of errors that concern the REST service or the rules of this schema (docs/errors.md). Each has the HTTP status
 * for responses that are not GraphQL, and whether the same request may succeed later.
 */
export const errorCodes = {
  BAD_USER_INPUT: { status: 400, retryable: false },
  CONFLICT: { status: 409, retryable: false },
  FORBIDDEN: { status: 403, retryable: false },
  NOT_FOUND: { status: 404, retryable: false },
  RATE_LIMITED: { status: 429, retryable: true },
  REQUEST_LIMIT_EXCEEDED: { status: 400, retryable: false },
  UNAUTHENTICATED: { status: 401, retryable: false },
  UPSTREAM_CONTRACT_ERROR: { status: 502, retryable: false },
  UPSTREAM_ERROR: { status: 502, retryable: false },
  UPSTREAM_INVALID_RESPONSE: { status: 502, retryable: false },
  UPSTREAM_REJECTED: { status: 502, retryable: false },
  UPSTREAM_RESPONSE_TOO_LARGE: { status: 502, retryable: false },
  UPSTREAM_TIMEOUT: { status: 504, retryable: true },
  UPSTREAM_UNAVAILABLE: { status: 503, retryable: true },
} as const;

/** One of these codes. */
export type ErrorCode = keyof typeof errorCodes;

/** An invalid setting. The message is one line: the variable, the allowed values, and the given one if it is no secret. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}
