import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BearerAuthorization, clientAuthorization, isUsable } from '../../src/core/bearer-token.ts';
import { readAll } from '../../src/core/body.ts';
import { isDatasetId } from '../../src/core/dataset-id.ts';
import { badUserInput, codeOf, limitExceeded } from '../../src/graphql/errors/errors.ts';
import type { ResultsFile } from '../../src/graphql/results-file.ts';
import { noToken, RestError } from '../../src/rest/contract/rest-error.ts';
import { type DatasetMetadata, decodeMetadata } from '../../src/rest/contract/wire.ts';
import type { RestAccess, RestSession } from '../../src/rest/session.ts';
import { breakOff, onResponseClosed } from '../../src/server/connections/connection.ts';
import { reportInternalError } from '../../src/server/requests/observe-requests.ts';
import { encodingSink, plainSink } from '../../src/server/responses/chunk-sinks.ts';
import { chooseCoding, varyBy } from '../../src/server/responses/content-negotiation.ts';
import { resultsFileHeaders } from '../file-headers.ts';
import { writeResultsFile } from '../results-file-stream.ts';
import { TicketError, type Tickets } from '../tickets.ts';
import { rejectTicket, sendFailure, sendRequestError } from './download-responses.ts';
import { DOWNLOAD_METHODS } from './download-route.ts';
import type { DownloadSlots } from './download-slots.ts';
import { queryOf, readQuery } from './results-file-query.ts';

/** The path of files of results, before a ticket or a dataset id. */
export const RESULTS_PATH = '/download/results/';

export interface ResultsFileRouteOptions {
  readonly rest: RestAccess;
  /** Undefined if there are no tickets. */
  readonly tickets: Tickets | undefined;
  readonly slots: DownloadSlots;
}

type FileRequest = FastifyRequest<{ Params: { key: string } }>;

/** A file of results that a request asks for. */
interface RequestedFile {
  readonly datasetId: string;
  readonly file: ResultsFile;
  readonly authorization: BearerAuthorization;
}

/** Whether a request asks for results by a ticket. With an Authorization header it asks by the id of the dataset. */
function opensByTicket({ headers }: FastifyRequest): boolean {
  return headers.authorization === undefined;
}

/** Serves results as files: by a ticket, or with the Authorization header by dataset id, with the filter in the query. */
export function serveResultsFiles(app: FastifyInstance, options: ResultsFileRouteOptions): void {
  app.route<{ Params: { key: string } }>({
    method: DOWNLOAD_METHODS,
    url: `${RESULTS_PATH}:key`,
    config: { isPublic: opensByTicket },
    handler: async (request, reply) => {
      try {
        const requested = opensByTicket(request) ? await openTicket(request, options.tickets) : readRequest(request);
        return await options.slots.run(reply, requested.authorization, (signal) =>
          serveFile(request, reply, requested, options, signal),
        );
      } catch (error) {
        if (error instanceof TicketError) return rejectTicket(reply, error);
        if (error instanceof RestError) return sendFailure(reply, error);
        return sendRequestError(reply, error);
      }
    },
  });
}

/** @throws TicketError */
async function openTicket({ params }: FileRequest, tickets: Tickets | undefined): Promise<RequestedFile> {
  if (tickets === undefined) throw new TicketError('invalid', undefined);
  const { datasetId, authorization, results = '' } = await tickets.open(params.key, 'results');
  return { datasetId, authorization, file: readQuery(results) };
}

/**
 * @throws GraphQLError for an invalid request
 * @throws RestError `noToken`
 */
function readRequest({ params: { key }, url, raw }: FileRequest): RequestedFile {
  if (!isDatasetId(key))
    throw badUserInput('The dataset id in the path is invalid. A ticket needs no Authorization header.');
  const start = url.indexOf('?');
  const file = readQuery(start === -1 ? '' : url.slice(start + 1));
  const authorization = clientAuthorization(raw.rawHeaders);
  if (!isUsable(authorization)) throw noToken('getDatasetResults', authorization);
  return { datasetId: key, authorization, file };
}

/** Sends a file, with backpressure. Errors before its first bytes become a response. @throws RestError */
async function serveFile(
  request: FileRequest,
  reply: FastifyReply,
  requested: RequestedFile,
  { rest }: ResultsFileRouteOptions,
  signal: AbortSignal,
): Promise<void> {
  const { datasetId, file, authorization } = requested;
  const { filter } = file;
  const session = rest.open(authorization, request.observation);
  session.memory.use = 'files';
  session.memory.maxWaitMs = rest.shared.timeoutMs;
  // At once if the client has left while its ticket was opened.
  onResponseClosed(reply.raw, () => session.end());
  const pieces = writeResultsFile(datasetId, file, {
    stream: () => session.resultsFile(datasetId, filter, signal),
    whole: async () => readAll(await session.results(datasetId, filter, signal)),
    invalidBody: (body) => session.cachedBody?.(body)?.discard(),
    metadata: () => readMetadata(session, datasetId),
    memory: session.memory,
    errorOfLimit: limitExceeded,
  });
  try {
    await sendFile(pieces, request, reply, requested);
  } finally {
    await pieces.return();
    session.release();
  }
}

/** Sends the pieces of a file, each before it asks for the next one. @throws RestError before the first of them */
async function sendFile(
  pieces: AsyncGenerator<Buffer, void>,
  { method, headers: { 'accept-encoding': acceptEncoding }, observation }: FileRequest,
  reply: FastifyReply,
  { datasetId, file }: RequestedFile,
): Promise<void> {
  let piece = await pieces.next();
  // Parquet is compressed already.
  const coding = file.format === 'parquet' ? undefined : chooseCoding(acceptEncoding);
  if (file.format !== 'parquet') varyBy(reply, 'Accept-Encoding');
  const { raw } = reply.hijack();
  const headers = {
    ...reply.getHeaders(),
    ...resultsFileHeaders(datasetId, file, queryOf(file)),
    ...(coding !== undefined && { 'content-encoding': coding }),
  };
  raw.writeHead(200, headers as Record<string, string>);
  const reportInternal = (error: unknown) => reportInternalError(reply, error);
  try {
    if (method === 'HEAD') raw.end();
    else {
      const sink = coding === undefined ? plainSink(raw) : encodingSink(raw, coding, reportInternal);
      for (; piece.done !== true; piece = await pieces.next()) if (!(await sink.send(piece.value))) return;
      sink.end();
    }
  } catch (error) {
    const code = codeOf(error);
    if (code !== undefined) observation?.error(code);
    else reportInternal(error);
    // A truncated file must not look complete.
    breakOff(raw);
  }
}

async function readMetadata(session: RestSession, datasetId: string): Promise<DatasetMetadata> {
  const body = await session.metadata(datasetId);
  try {
    return await decodeMetadata(body.bytes);
  } catch (error) {
    session.cachedBody?.(body)?.discard();
    throw error;
  } finally {
    body.release();
  }
}
