/** A sign-in that gave no token. Its message is one line for the user. */
export class SignInError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SignInError';
  }
}

interface LoginResponse {
  readonly token?: string;
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * Asks the page's server for the token of an account. The server passes that on to the platform's login.
 *
 * @param path the path of the login
 * @throws SignInError if there is no token
 */
export async function requestToken(path: string, email: string, password: string): Promise<string> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ email, password }),
    credentials: 'omit',
  }).catch(() => {
    throw new SignInError('The server did not respond.');
  });
  const { token, errors }: LoginResponse = await response.json().catch(() => ({}));
  if (token !== undefined) return token;
  throw new SignInError(errors?.[0]?.message ?? `The server responded with status ${response.status}.`);
}
