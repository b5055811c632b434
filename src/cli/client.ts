import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import * as z from 'zod';
import { exitCode, Failure } from './failure.ts';

/** The subgraph that is asked, and as whom. The token goes nowhere else: redirects are not followed. */
export interface Subgraph {
  /** Where it serves GraphQL. */
  readonly url: URL;
  readonly token: string | undefined;
}

/** The beginning of an answer; its body is still to come. Reading it fails where the body ends short. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its length in bytes, where that is known. */
  readonly length: number | undefined;
  readonly body: AsyncIterable<Buffer>;
}

/** Longest silence of the subgraph: longer than it may work on an operation, short enough for a script to end. */
const SILENCE_MS = 120_000;

/**
 * Makes one request.
 *
 * @param signal breaks it off, also while the body is read
 * @throws Failure when there is no answer; so does reading the body when it ends short
 */
export function send(
  { url, token }: Subgraph,
  { method, path = url.pathname, body }: { method: 'GET' | 'POST'; path?: string; body?: string },
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(new URL(path, url), {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // Apollo Router and others ask for it, so that no web page can send such a request unasked.
      'apollo-require-preflight': 'true',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    agent: false,
    signal,
  });
  let silent = false;
  request.setTimeout(SILENCE_MS, () => {
    silent = true;
    request.destroy();
  });
  const failure = (error: unknown) => (signal.aborted ? error : failureOf(error, url, silent));
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

/** The longest answer that is read for what it says of a failure. */
const MAX_ERROR_LENGTH = 65_536;

/** Private. A body that fails like the rest of the request. */
async function* bodyOf(message: IncomingMessage, failure: (error: unknown) => unknown): AsyncGenerator<Buffer> {
  try {
    yield* message;
  } catch (error) {
    throw failure(error);
  }
}

/** What an answer that is none of those expected says, as what ends the command. */
export async function refusalOf({ status, headers, body }: Answer): Promise<Failure> {
  const id = requestIdOf(headers);
  const suffix = id === undefined ? '' : ` (request ${id})`;
  if (status >= 300 && status < 400) {
    return new Failure(exitCode.failed, `The answer is a redirect (${status}), and none is followed${suffix}.`);
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
    return new Failure(exitCodeOf(undefined, status), `The answer has status ${status} and says no more${suffix}.`);
  }
  const code = error.extensions?.code;
  const details = [...(code === undefined ? [] : [code]), ...(id === undefined ? [] : [`request ${id}`])];
  return new Failure(
    exitCodeOf(code, status),
    `${error.message}${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
  );
}

/** The exit code for an error, by its code, or by the status of an answer that has none. */
export function exitCodeOf(code: string | undefined, status?: number): 1 | 2 | 3 | 4 {
  if (code === 'UNAUTHENTICATED' || code === 'FORBIDDEN') return exitCode.notAllowed;
  if (code === 'NOT_FOUND') return exitCode.notFound;
  if (code === 'BAD_USER_INPUT') return exitCode.usage;
  if (code === undefined && (status === 401 || status === 403)) return exitCode.notAllowed;
  if (code === undefined && status === 404) return exitCode.notFound;
  return exitCode.failed;
}

/** The id under which the subgraph's log has a request. */
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

/** Private. What ends the command when nothing more comes. */
function failureOf(error: unknown, url: URL, silent: boolean): Failure {
  const { code } = error as NodeJS.ErrnoException;
  const what = silent
    ? `has been silent for ${SILENCE_MS / 1000} s`
    : code === 'ECONNRESET'
      ? 'broke the connection off before its answer was complete'
      : `cannot be reached${code === undefined ? '' : ` (${code})`}`;
  return new Failure(exitCode.failed, `The subgraph at ${url.origin} ${what}.`);
}
