import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAuthorization } from '../core/bearer-token.ts';
import { isDatasetId } from '../core/dataset-id.ts';
import { errorCodes } from '../core/error-codes.ts';
import { fileHeaders } from '../downloads/file-headers.ts';
import { TicketError, type Tickets } from '../downloads/tickets.ts';
import type { RestClient } from '../rest/client.ts';
import type { DownloadedFile } from '../rest/downloaded-file.ts';
import { describeRestError } from '../rest/error-description.ts';
import { RestError } from '../rest/errors.ts';
import type { ClientIdentity } from '../rest/rest-call.ts';
import { errorBody, sendUnavailable } from './json-errors.ts';
import { onResponseClosed } from './response-closed.ts';

/** The path of a download link, before the ticket. */
export const DOWNLOAD_PATH = '/download/';

/** The route of download links. */
export const TICKET_ROUTE = `${DOWNLOAD_PATH}:ticket`;

/** The maximum length of a path parameter: as much as fits into the request headers. Each route checks its parameters. */
export const MAX_PATH_PART_LENGTH = 16_384;

export interface DownloadRouteOptions {
  readonly client: Pick<RestClient, 'downloadStaticDataset'>;
  /** Undefined if there are no tickets. */
  readonly tickets: Tickets | undefined;
  /** The maximum number of concurrent downloads. */
  readonly maxRunning: number;
  /** Is called for each request above it. */
  readonly onReject: () => void;
}

/**
 * The headers of every response of these routes. Files come from the service, can have any type and share an origin with the
 * explorer. So browsers must save them, and never display, cache or refer to them.
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

const METHODS = ['GET', 'HEAD'];

/**
 * Serves the files of datasets: by a ticket, or by dataset id with the Authorization header.
 *
 * @returns reads how many downloads are running
 */
export function serveDownloads(app: FastifyInstance, options: DownloadRouteOptions): () => number {
  const { client, tickets, maxRunning, onReject } = options;
  let running = 0;

  const send = async (request: FastifyRequest, reply: FastifyReply, datasetId: string, identity: ClientIdentity) => {
    if (running >= maxRunning) {
      onReject();
      return sendUnavailable(
        reply,
        `The subgraph is at its limit of ${maxRunning} concurrent downloads (MAX_DOWNLOADS).`,
        'OVERLOADED',
      );
    }
    running += 1;
    const disconnected = new AbortController();
    onResponseClosed(reply.raw, () => {
      running -= 1;
      disconnected.abort();
    });
    try {
      const file = await client.downloadStaticDataset(datasetId, identity, disconnected.signal);
      if (request.method === 'GET') return await sendFile(reply, file, datasetId);
      // The service does not support HEAD. This ends the call, also if the whole file has arrived.
      file.body.destroy();
      return sendHeaders(reply, file, datasetId).raw.end();
    } catch (error) {
      if (error instanceof RestError) return sendFailure(reply, error);
      throw error;
    }
  };

  app.register(async (route) => {
    route.addHook('onRequest', (_request, reply, done) => {
      reply.headers(securityHeaders);
      done();
    });
    route.route<{ Params: { ticket: string } }>({
      method: METHODS,
      url: TICKET_ROUTE,
      handler: async (request, reply) => {
        try {
          if (tickets === undefined) throw new TicketError('invalid', undefined);
          const { datasetId, authorization } = await tickets.open(request.params.ticket);
          return await send(request, reply, datasetId, { authorization, observer: request.observation });
        } catch (error) {
          if (!(error instanceof TicketError)) throw error;
          return challenge(reply).send(errorBody(ticketMessages[error.reason], 'UNAUTHENTICATED'));
        }
      },
    });
    route.route<{ Params: { id: string } }>({
      method: METHODS,
      url: '/download/dataset/:id',
      handler: async (request, reply) => {
        const { id } = request.params;
        if (!isDatasetId(id)) {
          return reply.status(400).send(errorBody('The dataset id in the path is invalid.', 'BAD_USER_INPUT'));
        }
        const authorization = clientAuthorization(request.raw.rawHeaders);
        if (authorization === undefined) return sendFailure(reply, new RestError('downloadStaticDataset', 'noToken'));
        return send(request, reply, id, { authorization, observer: request.observation });
      },
    });
  });
  return () => running;
}

/** Sends the headers of a file. */
function sendHeaders(reply: FastifyReply, file: DownloadedFile, datasetId: string): FastifyReply {
  const headers = { ...reply.getHeaders(), 'accept-ranges': 'none', ...fileHeaders(file, datasetId) };
  reply.raw.writeHead(200, headers as Record<string, string>);
  return reply.hijack();
}

/** Sends a file, with backpressure. A truncated file breaks the connection, so that it does not look complete. */
async function sendFile(reply: FastifyReply, file: DownloadedFile, datasetId: string): Promise<FastifyReply> {
  sendHeaders(reply, file, datasetId);
  try {
    await pipeline(file.body, reply.raw);
  } catch {
    // Both streams are destroyed. The log has the failure of the service, and a disconnected client needs no response.
  }
  return reply;
}

/** Sends the same error as GraphQL. */
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
