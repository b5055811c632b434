import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { type Answer, type HttpOptions, type TestBed, TOKEN } from './harness.ts';
import { open } from './overload.ts';

export const json = { 'content-type': 'application/json' };
export const typename = '{"query":"{ __typename }"}';
export const typenameData = { data: { __typename: 'Query' } };
// The client frames the body of a DELETE by no other means.
export const framed = { ...json, 'content-length': String(typename.length) };
export const typenameUrl = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
export const ONE_MB = 1_048_576;

export const refusal = (message: unknown, code = 'BAD_REQUEST') => ({ errors: [{ message, extensions: { code } }] });
export const notJson = refusal('The request body must be JSON in UTF-8.');
export const crossSite = refusal(expect.stringContaining('potential Cross-Site Request Forgery (CSRF)'));

export const post = (body: string | Uint8Array, headers: HttpOptions['headers'] = json): HttpOptions => ({
  method: 'POST',
  headers,
  body,
});

export function expectRefusal(response: Answer, status: number, body: object): void {
  expect(response.body).toEqual(body);
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
}

/** Sends these bytes, and gives all that comes back until the server hangs up. Rejects when it resets the connection. */
export async function sendRaw(bed: TestBed, text: string | Uint8Array): Promise<string> {
  const { socket, received } = await open(bed, text);
  await once(socket, 'close');
  return received();
}

/** Asks, and gives the response when its headers have come: nothing of its body is read yet. */
export function beginQuery({ subgraph }: TestBed, query: string, variables: object = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { ...json, authorization: `Bearer ${TOKEN}`, 'x-request-id': 'my-id' };
    httpRequest(subgraph.url, { method: 'POST', headers, agent: false }, resolve)
      .on('error', reject)
      .end(JSON.stringify({ query, variables }));
  });
}
