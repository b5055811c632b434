import type { ResponseError } from './response/worker/protocol.ts';

/** Thrown when an operation has no data. It has the errors of the response. */
export class OperationError extends Error {
  readonly errors: readonly ResponseError[];

  /** @param reason why there is no data, if there are no errors */
  constructor(errors: readonly ResponseError[], reason: string) {
    super(errors[0]?.message ?? reason);
    this.name = 'OperationError';
    this.errors = errors.length > 0 ? errors : [{ message: reason, code: '', path: [], requestId: '' }];
  }
}

/** Whether the token was not accepted. */
export function isUnauthenticated(errors: readonly ResponseError[]): boolean {
  return errors.some(({ code }) => code === 'UNAUTHENTICATED');
}

/**
 * The body of a response to an operation.
 *
 * @throws OperationError when it is not JSON
 */
export async function bodyIn(response: Response): Promise<unknown> {
  return response.json().catch(() => {
    throw new OperationError([], `The response is not JSON (status ${response.status}).`);
  });
}
