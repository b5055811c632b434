/** Where an operation is sent to. */
export interface Access {
  readonly endpoint: string;
  /** The bearer token; may be empty. */
  readonly token: string;
}

/**
 * Sends an operation as a client does: with the bearer token, and without cookies.
 *
 * @param body the request as JSON (GraphQL over HTTP, section 5.4)
 * @param headers further headers
 * @throws TypeError when the server cannot be reached
 */
export function post(
  { endpoint, token }: Access,
  body: string,
  signal?: AbortSignal,
  headers?: Readonly<Record<string, string>>,
): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body,
    credentials: 'omit',
    ...(signal !== undefined && { signal }),
  });
}
