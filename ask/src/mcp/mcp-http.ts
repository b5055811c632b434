import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpServer,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { clientAuthorization, isUsable, tokenOf } from '../../../src/core/bearer-token.ts';
import { errorCode } from '../../../src/core/error-codes.ts';
import { exitCode, Failure } from '../failure.ts';

/** Where to listen. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Further host names by which clients reach the server. */
  readonly allowHost: readonly string[];
}

/** A server that listens. */
export interface McpHttpServer {
  readonly url: string;
  /** Stops listening, and waits for the calls that run. */
  stop(): Promise<void>;
}

const PATH = '/mcp';

/** A message is a call with its variables: far more than 1,000 ids. */
const MAX_BODY_BYTES = 262_144;

/** A client has this long to send a request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** How long calls may run on after a signal: longer than an operation of the subgraph can take (28 s). */
const STOP_MS = 30_000;

/**
 * Serves MCP over streamable HTTP, without sessions: each request has a server of its own, with the token of its own
 * `Authorization` header. Nothing of it stays after the response.
 *
 * @param createServerFor makes the MCP server for the token of one request
 * @throws Failure if it cannot listen
 */
export async function startMcpHttp(
  { host, port, allowHost }: HttpOptions,
  createServerFor: (token: string | undefined) => McpServer,
): Promise<McpHttpServer> {
  const hostNames = [...localhostAllowedHostnames(), inUrl(host), ...allowHost];
  const mcp = createMcpHandler(({ requestInfo }) => createServerFor(bearerOf(requestInfo)), {
    maxRequestBodySize: MAX_BODY_BYTES,
    // The tools never change: nobody has to be told.
    maxSubscriptions: 0,
  });
  let isStopping = false;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, async (request, response) => {
    response.once('close', () => {
      if (isStopping) setImmediate(() => server.closeIdleConnections());
    });
    const rejection = rejectionOf(request, hostNames);
    if (rejection !== undefined) return reject(response, rejection);
    try {
      await write(response, await mcp.fetch(requestOf(request, response)));
    } catch {
      // The client has left.
      response.destroy();
    }
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = errorCode(error);
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    throw new Failure(exitCode.failed, `Port ${port} of ${host} ${reason}.`);
  }
  return {
    url: `http://${inUrl(host)}:${(server.address() as AddressInfo).port}${PATH}`,
    stop: async () => {
      isStopping = true;
      const closed = once(server, 'close');
      server.close();
      const timer = setTimeout(() => server.closeAllConnections(), STOP_MS);
      await closed;
      clearTimeout(timer);
      await mcp.close();
    },
  };
}

interface Rejection {
  readonly status: number;
  readonly message: string;
}

/** Why a request is rejected before its body is read. */
function rejectionOf(
  { headers, rawHeaders, url, method }: IncomingMessage,
  hostNames: string[],
): Rejection | undefined {
  // Against DNS rebinding: a page of another site reaches this port under a name of that site.
  if (!validateHostHeader(headers.host, hostNames).ok)
    return { status: 403, message: 'The Host header is not allowed.' };
  if (!validateOriginHeader(headers.origin, hostNames).ok) {
    return { status: 403, message: 'The Origin header is not allowed.' };
  }
  if (url?.split('?')[0] !== PATH) return { status: 404, message: `The only path is ${PATH}.` };
  // A session or a stream of the server would need another method.
  if (method !== 'POST') return { status: 405, message: 'The only method is POST.' };
  if (headers.authorization !== undefined && !isUsable(clientAuthorization(rawHeaders))) {
    return { status: 401, message: 'The Authorization header must be one bearer token.' };
  }
  return undefined;
}

function reject(response: ServerResponse, { status, message }: Rejection): void {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response
    .writeHead(status, {
      'content-type': 'application/json',
      // The body has not been read.
      connection: 'close',
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...(status === 405 && { allow: 'POST' }),
    })
    .end(JSON.stringify(body));
}

/** A request of Node.js as one of the web. It is aborted when the client leaves. */
function requestOf(request: IncomingMessage, response: ServerResponse): Request {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  return new Request(`http://localhost${PATH}`, {
    method: 'POST',
    headers,
    body: Readable.toWeb(request) as ReadableStream<Uint8Array>,
    duplex: 'half',
    signal: left.signal,
  });
}

/** The token of a request, whose header is valid if it has one. */
function bearerOf(request: Request | undefined): string | undefined {
  const header = request?.headers.get('authorization') ?? undefined;
  const authorization = header === undefined ? undefined : clientAuthorization(['authorization', header]);
  return isUsable(authorization) ? tokenOf(authorization) : undefined;
}

async function write(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  // The rest of a body that is too long is not read.
  if (status === 413) response.setHeader('connection', 'close');
  response.writeHead(status, Object.fromEntries(headers));
  if (body === null) response.end();
  else await pipeline(Readable.fromWeb(body as never), response);
}

/** A host as it stands in a URL and in a Host header. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
