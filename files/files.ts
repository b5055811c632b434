import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { BearerAuthorization } from '../src/core/bearer-token.ts';
import { pathSegment } from '../src/core/dataset-id.ts';
import type { FileLinks, ResultsFile } from '../src/graphql/results-file.ts';
import { secureDownloads } from './routes/download-responses.ts';
import { DOWNLOAD_PATH, serveDownloads } from './routes/download-route.ts';
import { DownloadSlots } from './routes/download-slots.ts';
import { queryOf } from './routes/results-file-query.ts';
import { RESULTS_PATH, type ResultsFileRouteOptions, serveResultsFiles } from './routes/results-file-route.ts';
import { type TicketOptions, Tickets } from './tickets.ts';

export interface FilesOptions extends Pick<ResultsFileRouteOptions, 'rest'> {
  /** The maximum number of concurrent downloads. */
  readonly maxRunning: number;
  /** Undefined if there are no tickets. */
  readonly tickets: TicketOptions | undefined;
  /** The URL of the subgraph as clients see it, without a trailing slash. */
  readonly publicUrl: () => string;
}

/** The files of a subgraph: those of static datasets, and results. */
export interface Files {
  /** Serves the files. */
  readonly plugin: FastifyPluginAsync;
  readonly links: FileLinks;
  /** The downloads that run. */
  readonly slots: Pick<DownloadSlots, 'running' | 'isContended'>;
}

/** Makes the files. It serves nothing yet. */
export function createFiles({ rest, tickets: ticketOptions, maxRunning, publicUrl }: FilesOptions): Files {
  const tickets = ticketOptions && new Tickets(ticketOptions);
  const slots = new DownloadSlots(maxRunning);
  const plugin = async (app: FastifyInstance) => {
    secureDownloads(app);
    serveDownloads(app, { client: rest.shared.client, tickets, slots });
    serveResultsFiles(app, { rest, tickets, slots });
  };
  return { plugin, links: linksOf(tickets, publicUrl), slots };
}

function linksOf(tickets: Tickets | undefined, publicUrl: () => string): FileLinks {
  const ticketUrl = async (datasetId: string, authorization: BearerAuthorization, file?: ResultsFile) => {
    const ticket = await tickets?.make({ datasetId, authorization, ...(file && { results: queryOf(file) }) });
    return ticket && `${publicUrl()}${file === undefined ? DOWNLOAD_PATH : RESULTS_PATH}${ticket}`;
  };
  return {
    ticketUrl: tickets && ticketUrl,
    resultsUrl: (datasetId, file) => `${publicUrl()}${RESULTS_PATH}${pathSegment(datasetId)}?${queryOf(file)}`,
  };
}
