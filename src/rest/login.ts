import { request } from 'undici';
import * as z from 'zod';
import { isToken } from '../core/bearer-token.ts';
import { type ErrorCode, errorCode } from '../core/error-codes.ts';
import { DIRECT, openDispatcher } from './transport/service-pool.ts';

/** A failed login. Its message is one line, and contains neither the password nor the response. */
export class LoginError extends Error {
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode) {
    super(message);
    this.name = 'LoginError';
    this.code = code;
  }
}

const LOGIN_TIMEOUT_MS = 20_000;

/** The maximum bytes of a response: far more than the longest token. */
const MAX_RESPONSE_BYTES = 65_536;

const response = z.object({ token: z.string().refine(isToken) });

/**
 * Gets an access token (REST specification, section 5). The field `token` is all that is specified of the response.
 *
 * @param authUrl {auth_url}
 * @param route how it is reached
 * @throws LoginError if there is no response, or no token in it
 */
export async function login(authUrl: URL, email: string, password: string, route = DIRECT): Promise<string> {
  const dispatcher = openDispatcher(authUrl.origin, { maxResponseSize: MAX_RESPONSE_BYTES, connections: 1 }, route);
  const url = `${authUrl.origin}${authUrl.pathname.replace(/\/+$/, '')}/v3/login`;
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ email, password }),
      signal: AbortSignal.timeout(LOGIN_TIMEOUT_MS),
    });
    if (statusCode === 200) return response.parse(await body.json()).token;
    // Otherwise the body would keep its connection.
    await body.dump();
    throw statusError(statusCode);
  } catch (error) {
    throw error instanceof LoginError ? error : failureOf(error);
  } finally {
    await dispatcher.close();
  }
}

function statusError(status: number): LoginError {
  return status === 401
    ? new LoginError('The login service rejected the e-mail address or password.', 'UNAUTHENTICATED')
    : new LoginError(`The login service rejected the login with status ${status}.`, 'UPSTREAM_REJECTED');
}

/** Why there is no token in the response, or no response. */
function failureOf(error: unknown): LoginError {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new LoginError('The login service took too long to respond.', 'UPSTREAM_TIMEOUT');
  }
  const isTooLarge = errorCode(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  if (isTooLarge || error instanceof z.ZodError || error instanceof SyntaxError) {
    return new LoginError('The login service sent a response without a token.', 'UPSTREAM_INVALID_RESPONSE');
  }
  return new LoginError('The login service cannot be reached.', 'UPSTREAM_UNAVAILABLE');
}
