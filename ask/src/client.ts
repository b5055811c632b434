import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import * as z from 'zod';
import { exitCode, Failure } from './failure.ts';

/** The subgraph, and the token for it. No other server gets the token: redirects are not followed. */
export interface Subgraph {
  /** The GraphQL endpoint. */
  readonly url: URL;
  readonly token: string | undefined;
}

/** The status and headers of a response, and its body as a stream. Reading a truncated body fails. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The length of the body in bytes, if it is known. */
  readonly length: number | undefined;
  readonly body: AsyncIterable<Buffer>;
}

/** The GraphQL endpoint: `/graphql` if the URL has no path. */
export function endpointOf(url: URL): URL {
  return url.pathname === '/' ? new URL('/graphql', url) : url;
}

/** How long the subgraph may send nothing: longer than an operation may take, short enough for scripts. */
const INACTIVITY_TIMEOUT_MS = 120_000;

/**
 * Sends one request.
 *
 * @param signal aborts it, also while the body is read
 * @throws Failure when there is no response; reading a truncated body throws it too
 */
export function send(
  { url, token }: Subgraph,
  { method, path = url.pathname, body }: { method: 'GET' | 'POST'; path?: string; body?: string },
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method,
    // Not resolved against the URL: a path that begins with two slashes would then name another host.
    path,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // Apollo Router and others require it against cross-site requests.
      'apollo-require-preflight': 'true',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    agent: false,
    signal,
  });
  let timedOut = false;
  request.setTimeout(INACTIVITY_TIMEOUT_MS, () => {
    timedOut = true;
    request.destroy();
  });
  const failure = (error: unknown) => (signal.aborted ? error : failureOf(error, url, timedOut));
  request.once('response', (message) => {
    const length = Number(message.headers['content-length'] ?? Number.NaN);
    resolve({
      status: message.statusCode ?? 0,
      headers: message.headers,
      length: Number.isSafeInteger(length) ? length : undefined,
      body: bodyOf(message, failure),
    });
  });
  request.on('error', (error) => reject(failure(error)));
  request.end(body);
  return promise;
}

const failedRequest = z.object({
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }).partial().optional() }))
    .min(1),
});

/** The maximum number of bytes read of an error response. */
const MAX_ERROR_LENGTH = 65_536;

/** The body. Its errors are failures, like those of the request. */
async function* bodyOf(message: IncomingMessage, failure: (error: unknown) => unknown): AsyncGenerator<Buffer> {
  try {
    yield* message;
  } catch (error) {
    throw failure(error);
  }
}

/** The failure that an error response describes. */
export async function responseFailure({ status, headers, body }: HttpResponse): Promise<Failure> {
  const id = requestIdOf(headers);
  const suffix = id === undefined ? '' : ` (request ${id})`;
  if (status >= 300 && status < 400) {
    return new Failure(exitCode.failed, `The response is a redirect (${status}), which is not followed${suffix}.`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ERROR_LENGTH) break;
  }
  const read = failedRequest.safeParse(parse(Buffer.concat(chunks).toString()));
  const [error] = read.data?.errors ?? [];
  if (error === undefined) {
    return new Failure(
      exitCodeOf(undefined, status),
      `The response has status ${status} and no error message${suffix}.`,
    );
  }
  const code = error.extensions?.code;
  const details = [...(code === undefined ? [] : [code]), ...(id === undefined ? [] : [`request ${id}`])];
  return new Failure(
    exitCodeOf(code, status),
    `${error.message}${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
  );
}

/** The exit code for an error code; without one, for the status of the response. */
export function exitCodeOf(code: string | undefined, status?: number): 1 | 2 | 3 | 4 {
  if (code === 'UNAUTHENTICATED' || code === 'FORBIDDEN') return exitCode.notAllowed;
  if (code === 'NOT_FOUND') return exitCode.notFound;
  if (code === 'BAD_USER_INPUT') return exitCode.usage;
  if (code === undefined && (status === 401 || status === 403)) return exitCode.notAllowed;
  if (code === undefined && status === 404) return exitCode.notFound;
  return exitCode.failed;
}

/** The request id in the subgraph's log. */
export function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? id : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The failure for a request without a complete response. */
function failureOf(error: unknown, url: URL, timedOut: boolean): Failure {
  const { code } = error as NodeJS.ErrnoException;
  const what = timedOut
    ? `sent nothing for ${INACTIVITY_TIMEOUT_MS / 1000} s`
    : code === 'ECONNRESET'
      ? 'closed the connection before its response was complete'
      : `cannot be reached${code === undefined ? '' : ` (${code})`}`;
  return new Failure(exitCode.failed, `The subgraph at ${url.origin} ${what}.`);
}
