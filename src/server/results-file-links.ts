import { pathSegment } from '../core/dataset-id.ts';
import type { TicketContents, Tickets } from '../downloads/tickets.ts';
import type { ResultsFile } from '../results/results.ts';
import { DOWNLOAD_PATH } from './download-route.ts';
import { queryOf } from './results-file-query.ts';
import { RESULTS_PATH } from './results-file-route.ts';

/** The URLs of files of this subgraph. */
export interface FileLinks {
  /** With a ticket, for a file of results or of a static dataset; undefined if the ticket would be too long. */
  readonly ticketUrl: ((contents: TicketContents, file?: ResultsFile) => Promise<string | undefined>) | undefined;
  /** For a request with the client's token. */
  readonly resultsUrl: (datasetId: string, file: ResultsFile) => string;
}

/**
 * @param tickets undefined if there are none
 * @param publicUrl the URL of the subgraph as clients see it, without a trailing slash
 */
export function fileLinks(tickets: Tickets | undefined, publicUrl: () => string): FileLinks {
  const ticketUrl = async (contents: TicketContents, file?: ResultsFile) => {
    const ticket = await tickets?.make(file === undefined ? contents : { ...contents, results: queryOf(file) });
    return ticket && `${publicUrl()}${file === undefined ? DOWNLOAD_PATH : RESULTS_PATH}${ticket}`;
  };
  return {
    ticketUrl: tickets && ticketUrl,
    resultsUrl: (datasetId, file) => `${publicUrl()}${RESULTS_PATH}${pathSegment(datasetId)}?${queryOf(file)}`,
  };
}
