import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAuthorization, isUsable } from '../../src/core/bearer-token.ts';
import { isDatasetId } from '../../src/core/dataset-id.ts';
import type { DownloadedFile, RestClient } from '../../src/rest/client.ts';
import { noToken } from '../../src/rest/contract/rest-error.ts';
import type { ClientIdentity } from '../../src/rest/transport/rest-call.ts';
import { breakOff } from '../../src/server/connections/connection.ts';
import { plainSink } from '../../src/server/responses/chunk-sinks.ts';
import { errorBody } from '../../src/server/responses/json-errors.ts';
import { fileHeaders } from '../file-headers.ts';
import { TicketError, type Tickets } from '../tickets.ts';
import { rejectTicket, sendFailure } from './download-responses.ts';
import type { DownloadSlots } from './download-slots.ts';

/** The path of a download link, before the ticket. */
export const DOWNLOAD_PATH = '/download/';

/** The methods of downloads. */
export const DOWNLOAD_METHODS = ['GET', 'HEAD'];

export interface DownloadRouteOptions {
  readonly client: Pick<RestClient, 'downloadStaticDataset'>;
  /** Undefined if there are no tickets. */
  readonly tickets: Tickets | undefined;
  readonly slots: DownloadSlots;
}

/** Serves the files of static datasets: by a ticket, or by dataset id with the Authorization header. */
export function serveDownloads(app: FastifyInstance, { client, tickets, slots }: DownloadRouteOptions): void {
  const send = (request: FastifyRequest, reply: FastifyReply, datasetId: string, identity: ClientIdentity) =>
    slots.run(reply, identity.authorization, async (signal) => {
      const file = await client.downloadStaticDataset(datasetId, identity, signal);
      if (request.method === 'GET') return await sendFile(reply, file, datasetId);
      // The service does not support HEAD. This ends the call, unless the whole file has arrived.
      file.body.release();
      return sendHeaders(reply, file, datasetId).raw.end();
    });

  app.route<{ Params: { ticket: string } }>({
    method: DOWNLOAD_METHODS,
    url: `${DOWNLOAD_PATH}:ticket`,
    // Browsers follow these links, and each ticket was made for a request that came through the router.
    config: { isPublic: () => true },
    handler: async (request, reply) => {
      try {
        if (tickets === undefined) throw new TicketError('invalid', undefined);
        const { datasetId, authorization } = await tickets.open(request.params.ticket, 'static');
        return await send(request, reply, datasetId, { authorization, observer: request.observation });
      } catch (error) {
        if (error instanceof TicketError) return rejectTicket(reply, error);
        throw error;
      }
    },
  });
  app.route<{ Params: { id: string } }>({
    method: DOWNLOAD_METHODS,
    url: '/download/dataset/:id',
    handler: async (request, reply) => {
      const { id } = request.params;
      if (!isDatasetId(id)) {
        return reply.status(400).send(errorBody('The dataset id in the path is invalid.', 'BAD_USER_INPUT'));
      }
      const authorization = clientAuthorization(request.raw.rawHeaders);
      if (!isUsable(authorization)) return sendFailure(reply, noToken('downloadStaticDataset', authorization));
      return send(request, reply, id, { authorization, observer: request.observation });
    },
  });
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
  const sink = plainSink(reply.raw);
  try {
    // Each byte as it comes: a service may be slow.
    for (const part of file.body.chunks(1)) {
      if (part instanceof Promise) await part;
      else if (!(await sink.send(part))) return reply;
    }
    sink.end();
  } catch {
    // The log has the failure of the service, and a disconnected client needs no response.
    breakOff(reply.raw);
  } finally {
    file.body.release();
  }
  return reply;
}
