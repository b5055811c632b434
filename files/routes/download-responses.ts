import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ErrorCode, errorCodes } from '../../src/core/error-codes.ts';
import { codeOf } from '../../src/graphql/errors/errors.ts';
import { describeRestError } from '../../src/rest/contract/error-description.ts';
import type { RestError } from '../../src/rest/contract/rest-error.ts';
import { errorBody } from '../../src/server/responses/json-errors.ts';
import type { TicketError } from '../tickets.ts';

/** Sets the headers of every response of an app. */
export function secureDownloads(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}

/**
 * Files have texts of other people, can have any type and share an origin with the explorer. So browsers must save them, and
 * never display, cache or refer to them.
 */
const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const ticketMessages = {
  expired: 'The download link has expired. Request a new one.',
  invalid: 'The download link is invalid. Request a new one.',
};

/** Sends the same error as GraphQL. */
export function sendFailure(reply: FastifyReply, error: RestError): FastifyReply {
  const { message, extensions } = describeRestError(error);
  const { code, rest } = extensions;
  const { status } = errorCodes[code];
  if (status === 401) challenge(reply);
  if (rest.retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(rest.retryAfterMs / 1000)));
  const body = { errors: [{ message, extensions: { code, rest: { ...rest, requestId: reply.request.id } } }] };
  return reply.status(status).send(body);
}

/** Sends an error of the request, as GraphQL has it. @throws the error, if it is a bug of this program */
export function sendRequestError(reply: FastifyReply, error: unknown): FastifyReply {
  const code = codeOf(error);
  if (code === undefined) throw error;
  const { status } = errorCodes[code as ErrorCode];
  return reply.status(status).send(errorBody((error as Error).message, code));
}

/** Responds to a ticket that opens nothing. */
export function rejectTicket(reply: FastifyReply, { reason }: TicketError): FastifyReply {
  return challenge(reply).send(errorBody(ticketMessages[reason], 'UNAUTHENTICATED'));
}

/** RFC 9110, section 15.5.2. */
function challenge(reply: FastifyReply): FastifyReply {
  return reply.status(401).header('www-authenticate', 'Bearer');
}
