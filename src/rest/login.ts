import { request } from 'undici';
import * as z from 'zod';
import { isToken } from '../core/bearer-token.ts';

/** A failed login. Its message is one line, and contains neither the password nor the response. */
export class LoginError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LoginError';
  }
}

const LOGIN_TIMEOUT_MS = 20_000;
const response = z.object({ token: z.string().refine(isToken) });

/**
 * Gets an access token (REST specification, section 5). The field `token` is all that is specified of the response.
 *
 * @param authUrl {auth_url}
 * @throws LoginError if there is no response, or no token in it
 */
export async function login(authUrl: URL, email: string, password: string): Promise<string> {
  const url = `${authUrl.origin}${authUrl.pathname.replace(/\/+$/, '')}/v3/login`;
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ email, password }),
      signal: AbortSignal.timeout(LOGIN_TIMEOUT_MS),
    });
    if (statusCode === 401) throw new LoginError('The login service rejected the e-mail address or password.');
    if (statusCode !== 200) throw new LoginError(`The login service rejected the login with status ${statusCode}.`);
    return response.parse(await body.json()).token;
  } catch (error) {
    if (error instanceof LoginError) throw error;
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new LoginError('The login service took too long to respond.');
    }
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      throw new LoginError('The login service sent a response without a token.');
    }
    throw new LoginError('The login service cannot be reached.');
  }
}
