import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAuthorization } from '../core/bearer-token.ts';
import { isDatasetId } from '../core/dataset-id.ts';
import { errorCodes } from '../core/error-codes.ts';
import { fileHeaders } from '../downloads/file-headers.ts';
import { TicketError, type Tickets } from '../downloads/tickets.ts';
import type { ClientIdentity, RestClient } from '../rest/client.ts';
import type { DownloadedFile } from '../rest/downloaded-file.ts';
import { describeRestError } from '../rest/error-description.ts';
import { RestError } from '../rest/errors.ts';
import { errorBody, sendUnavailable } from './json-errors.ts';
import { onResponseClosed } from './response-closed.ts';

/** What stands before a ticket in the path of its URL. */
export const DOWNLOAD_PATH = '/download/';

/** The route on which a ticket is turned into a file. */
export const TICKET_ROUTE = `${DOWNLOAD_PATH}:ticket`;

/** The most characters of a part of a path: all that a request's head has room for. Each route checks what it gets. */
export const MAX_PATH_PART_LENGTH = 16_384;

/** What the routes need, none of which knows a caller. */
export interface DownloadRouteOptions {
  readonly client: Pick<RestClient, 'downloadStaticDataset'>;
  /** Undefined where no tickets are given. */
  readonly tickets: Tickets | undefined;
  /** How many files may be sent at the same time. */
  readonly most: number;
}

/**
 * What every answer of these routes says: a file is to be saved and never shown, kept or told of. It comes from the service
 * and is of any type, and shares an origin with the explorer.
 */
const always = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const ticketRefusals = {
  expired: 'The download link has expired: ask for a new one.',
  unusable: 'The download link cannot be used: ask for a new one.',
};

const METHODS = ['GET', 'HEAD'];

/** Serves the files of datasets: by a ticket that is the whole proof, or by dataset id and the Authorization header. */
export function serveDownloads(app: FastifyInstance, { client, tickets, most }: DownloadRouteOptions): void {
  let running = 0;

  const send = async (request: FastifyRequest, reply: FastifyReply, datasetId: string, identity: ClientIdentity) => {
    if (running >= most) {
      return sendUnavailable(
        reply,
        `The subgraph sends ${most} files (MAX_DOWNLOADS) and takes no more.`,
        'OVERLOADED',
      );
    }
    running += 1;
    const left = new AbortController();
    onResponseClosed(reply.raw, () => {
      running -= 1;
      left.abort();
    });
    try {
      const file = await client.downloadStaticDataset(datasetId, identity, left.signal);
      if (request.method === 'GET') return await sendFile(reply, file, datasetId);
      // The service knows no HEAD.
      left.abort();
      return sendHeaders(reply, file, datasetId).raw.end();
    } catch (error) {
      if (error instanceof RestError) return sendFailure(reply, error);
      throw error;
    }
  };

  app.register(async (route) => {
    route.addHook('onRequest', (_request, reply, done) => {
      reply.headers(always);
      done();
    });
    route.route<{ Params: { ticket: string } }>({
      method: METHODS,
      url: TICKET_ROUTE,
      handler: async (request, reply) => {
        try {
          if (tickets === undefined) throw new TicketError('unusable', undefined);
          const { datasetId, authorization } = await tickets.open(request.params.ticket);
          return await send(request, reply, datasetId, { authorization, requestId: request.id });
        } catch (error) {
          if (!(error instanceof TicketError)) throw error;
          return challenge(reply).send(errorBody(ticketRefusals[error.reason], 'UNAUTHENTICATED'));
        }
      },
    });
    route.route<{ Params: { id: string } }>({
      method: METHODS,
      url: '/download/dataset/:id',
      handler: async (request, reply) => {
        const { id } = request.params;
        if (!isDatasetId(id)) {
          return reply.status(400).send(errorBody('The path names no dataset id.', 'BAD_USER_INPUT'));
        }
        const authorization = clientAuthorization(request.raw.rawHeaders);
        if (authorization === undefined) return sendFailure(reply, new RestError('downloadStaticDataset', 'noToken'));
        return send(request, reply, id, { authorization, requestId: request.id });
      },
    });
  });
}

/** Writes the head of an answer that brings a file. */
function sendHeaders(reply: FastifyReply, file: DownloadedFile, datasetId: string): FastifyReply {
  const headers = { ...reply.getHeaders(), 'accept-ranges': 'none', ...fileHeaders(file, datasetId) };
  reply.raw.writeHead(200, headers as Record<string, string>);
  return reply.hijack();
}

/** Sends a file no faster than the caller takes it. One that ends short breaks the connection, so that it looks it. */
async function sendFile(reply: FastifyReply, file: DownloadedFile, datasetId: string): Promise<FastifyReply> {
  sendHeaders(reply, file, datasetId);
  try {
    await pipeline(file.body, reply.raw);
  } catch {
    // Both ends are destroyed by now. What the service did is in the log, and a caller that has left needs no answer.
  }
  return reply;
}

/** Says why there is no file, as GraphQL would. */
function sendFailure(reply: FastifyReply, error: RestError): FastifyReply {
  const { message, extensions } = describeRestError(error);
  const { code, rest } = extensions;
  const { status } = errorCodes[code];
  if (status === 401) challenge(reply);
  if (rest.retryAfterMs !== undefined) reply.header('retry-after', String(Math.ceil(rest.retryAfterMs / 1000)));
  const body = { errors: [{ message, extensions: { code, rest: { ...rest, requestId: reply.request.id } } }] };
  return reply.status(status).send(body);
}

/** RFC 9110, section 15.5.2. */
function challenge(reply: FastifyReply): FastifyReply {
  return reply.status(401).header('www-authenticate', 'Bearer');
}
