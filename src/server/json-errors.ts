import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Paths that are open to everybody, however busy the subgraph is. */
export const publicPaths = /^\/health\//;

/** When a request that was refused for want of room may come again. */
const RETRY_AFTER_SECONDS = '1';

/** An error as every client of GraphQL reads it, for requests that never get as far as GraphQL. */
export function errorBody(
  message: string,
  code: string,
): { errors: { message: string; extensions: { code: string } }[] } {
  return { errors: [{ message, extensions: { code } }] };
}

const codes: Readonly<Record<number, { code: string; message: string }>> = {
  400: { code: 'BAD_REQUEST', message: 'The request body must be JSON in UTF-8.' },
  404: { code: 'NOT_FOUND', message: 'There is nothing at this path; the endpoint is /graphql.' },
  408: { code: 'REQUEST_TIMEOUT', message: 'The request took too long to arrive.' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'The request body is larger than 1 MB.' },
  415: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The request body must be application/json in UTF-8, not compressed.',
  },
  417: { code: 'EXPECTATION_FAILED', message: 'The only expectation that can be met is 100-continue.' },
  431: { code: 'REQUEST_HEADERS_TOO_LARGE', message: 'The request headers are larger than 16 kB.' },
};

const internal = { code: 'INTERNAL_SERVER_ERROR', message: 'The subgraph failed.' };

/** Private. The body of a status that has only one; that of a fault of this program for any other status. */
function bodyOf(status: number): ReturnType<typeof errorBody> {
  const { message, code } = codes[status] ?? internal;
  return errorBody(message, code);
}

/** Answers 503: there is no room, or no time, for a request that may come again. */
export function sendUnavailable(reply: FastifyReply, message: string, code: string): FastifyReply {
  return reply.status(503).header('retry-after', RETRY_AFTER_SECONDS).send(errorBody(message, code));
}

/** Makes every error of the HTTP layer a JSON body that says nothing of the request or of the program. */
export function useJsonErrors(app: FastifyInstance, reportInternal: (error: unknown) => void): void {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    const isKnown = codes[status] !== undefined;
    if (!isKnown) reportInternal(error);
    return reply.status(isKnown ? status : 500).send(bodyOf(status));
  });
  app.setNotFoundHandler((_request, reply) => reply.status(404).send(bodyOf(404)));
  app.addHook('onRequest', (request, reply, done) => {
    // RFC 9112, section 3.2. Node.js would answer without a body.
    if (request.headers.host !== undefined || request.raw.httpVersion !== '1.1') return done();
    return void reply.status(400).send(errorBody('The request has no Host header.', 'BAD_REQUEST'));
  });
  app.server.on('checkExpectation', respondToUnknownExpectation);
}

/** Answers a path that cannot be decoded; fastify refuses it before any hook of this program runs. */
export function respondToBadPath(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const body = errorBody('The path of the URL cannot be decoded.', 'BAD_REQUEST');
  reply.status(400).header('x-request-id', request.id).send(body);
}

/** Answers bytes that are no HTTP request, or not one in time. Logs nothing: the bytes may hold a token. */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  let status = 400;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') status = 408;
  else if (error.code === 'HPE_HEADER_OVERFLOW') status = 431;
  const answer = status === 400 ? errorBody('The request is not valid HTTP.', 'BAD_REQUEST') : bodyOf(status);
  const body = JSON.stringify(answer);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Private. RFC 9110, section 10.1.1. Such a request does not get as far as fastify. */
function respondToUnknownExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify(bodyOf(417));
  response.writeHead(417, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}
