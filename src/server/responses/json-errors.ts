import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RejectReason } from '../../telemetry/telemetry.ts';
import { disconnect, isWriting } from '../connections/connection.ts';
import { reportInternalError } from '../requests/observe-requests.ts';
import { REQUEST_CODINGS } from '../requests/request-coding.ts';

/** Paths that need no secret and are served under overload: the health checks. */
export const publicPaths = /^\/health\//;

/** The Retry-After of rejected requests. */
const RETRY_AFTER_SECONDS = '1';

/** An error in the shape of a GraphQL response, for requests that do not reach GraphQL. */
export function errorBody(
  message: string,
  code: string,
): { errors: { message: string; extensions: { code: string } }[] } {
  return { errors: [{ message, extensions: { code } }] };
}

const codes: Readonly<Record<number, { code: string; message: string }>> = {
  400: { code: 'BAD_REQUEST', message: 'The request body must be JSON in UTF-8.' },
  404: { code: 'NOT_FOUND', message: 'This path does not exist. The endpoint is /graphql.' },
  408: { code: 'REQUEST_TIMEOUT', message: 'The request took too long to arrive.' },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'The request body is larger than 1 MB.' },
  415: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: `The request body must be application/json in UTF-8, uncompressed or in one of ${REQUEST_CODINGS}.`,
  },
  417: { code: 'EXPECTATION_FAILED', message: 'The only supported expectation is 100-continue.' },
  431: { code: 'REQUEST_HEADERS_TOO_LARGE', message: 'The request headers are larger than 32 kB.' },
};

const internal = { code: 'INTERNAL_SERVER_ERROR', message: 'The subgraph failed.' };

/** The body for a status; for an unknown status that of an internal error. */
function bodyOf(status: number): ReturnType<typeof errorBody> {
  const { message, code } = codes[status] ?? internal;
  return errorBody(message, code);
}

/** A request with an unsupported body. */
export class UnreadableRequest extends Error {
  readonly statusCode: 400 | 413 | 415;
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: 400 | 413 | 415, headers: Readonly<Record<string, string>> = {}) {
    super('unreadable request');
    this.statusCode = statusCode;
    this.headers = headers;
  }
}

/** Rejects a request because of a limit, and counts it. */
export function sendOverloaded(reply: FastifyReply, reason: RejectReason, message: string): FastifyReply {
  reply.server.telemetry.metrics?.requestRejected(reason);
  return sendUnavailable(reply, message, 'OVERLOADED');
}

/** Responds with 503 and Retry-After. */
export function sendUnavailable(reply: FastifyReply, message: string, code: string): FastifyReply {
  return reply.status(503).header('retry-after', RETRY_AFTER_SECONDS).send(errorBody(message, code));
}

/**
 * Sends every error of the HTTP layer as JSON, without details of the request or of the program.
 *
 * @param onInvalidHttp is called for a request that does not reach fastify
 */
export function useJsonErrors(app: FastifyInstance, onInvalidHttp: () => void): void {
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    const isKnown = codes[status] !== undefined;
    if (!isKnown) reportInternalError(reply, error);
    if (error instanceof UnreadableRequest) reply.headers(error.headers);
    return reply.status(isKnown ? status : 500).send(bodyOf(status));
  });
  app.setNotFoundHandler((_request, reply) => reply.status(404).send(bodyOf(404)));
  app.addHook('onRequest', (request, reply, done) => {
    // RFC 9112, section 3.2. Node.js would respond without a body.
    if (request.headers.host !== undefined || request.raw.httpVersion !== '1.1') return done();
    return void reply.status(400).send(errorBody('The request has no Host header.', 'BAD_REQUEST'));
  });
  app.server.on('checkExpectation', (_request, response) => {
    onInvalidHttp();
    respondToUnknownExpectation(response);
  });
}

/** Responds to a path that cannot be decoded. fastify rejects it before any hook runs. */
export function respondToBadPath(_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const body = errorBody('The path of the URL cannot be decoded.', 'BAD_REQUEST');
  reply.status(400).header('x-request-id', request.id).send(body);
}

/** Responds to invalid HTTP, and to requests that do not arrive in time. It logs nothing: the bytes may contain a token. */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket, onInvalidHttp: () => void): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  onInvalidHttp();
  // The error must not become a part of that response.
  if (isWriting(socket)) {
    disconnect(socket);
    return;
  }
  let status = 400;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') status = 408;
  else if (error.code === 'HPE_HEADER_OVERFLOW') status = 431;
  const content = status === 400 ? errorBody('The request is not valid HTTP.', 'BAD_REQUEST') : bodyOf(status);
  const body = JSON.stringify(content);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** RFC 9110, section 10.1.1. Such a request does not reach fastify. */
function respondToUnknownExpectation(response: ServerResponse): void {
  const body = JSON.stringify(bodyOf(417));
  response.writeHead(417, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}
