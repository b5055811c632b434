import { expect } from 'vitest';

/** An error of an answer, whatever it says; of `rest`, which is there where it is given, what is left out is unknown. */
export function errorAt(path: readonly (string | number)[] | undefined, code: string, rest?: Record<string, unknown>) {
  const unknown = { status: null, label: null, labelSource: null, retryable: false };
  return {
    message: expect.any(String),
    locations: expect.any(Array),
    ...(path && { path }),
    extensions: { code, ...(rest && { rest: { ...unknown, requestId: expect.any(String), ...rest } }) },
  };
}

/** The error for what cannot be read in an answer of the service that is a 200. */
export function invalidAt(path: readonly (string | number)[], operation = 'getDatasetResults') {
  return errorAt(path, 'UPSTREAM_INVALID_RESPONSE', { operation, status: 200 });
}
