import type { DatasetDownloadResolvers } from '../../generated/resolvers.ts';
import type { DownloadAuth } from '../../generated/schema.ts';
import type { ResultsFile } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { forbidden, limitExceeded } from '../errors/errors.ts';
import { UNITS_PER_TICKET } from '../limits.ts';

async function urlFor(datasetId: string, auth: DownloadAuth, context: OperationContext): Promise<string> {
  if (auth === 'TICKET') return ticketUrl(datasetId, context);
  const withToken = auth === 'TOKEN_IN_URL';
  if (withToken && !context.tokenInUrlAllowed) throw forbidden('Tokens in URLs are not enabled in this subgraph.');
  return context.downloadUrl(datasetId, withToken);
}

/** The URLs with a ticket of each operation, by what they open. Encrypting a ticket is expensive. */
const ticketUrls = new WeakMap<OperationContext, Map<string, Promise<string>>>();

/**
 * A URL with a ticket for the file of a static dataset, or for results if `file` is given.
 *
 * @throws GraphQLError FORBIDDEN if there are no tickets, REQUEST_LIMIT_EXCEEDED if the ticket would be too long
 * @throws RestError `noToken`
 */
export async function ticketUrl(datasetId: string, context: OperationContext, file?: ResultsFile): Promise<string> {
  if (context.ticketUrl === undefined) throw forbidden('Download tickets are not enabled in this subgraph.');
  const urls = ticketUrls.get(context) ?? new Map<string, Promise<string>>();
  ticketUrls.set(context, urls);
  const key = file === undefined ? datasetId : context.resultsFileUrl(datasetId, file);
  const url = urls.get(key) ?? createUrlWithTicket(datasetId, context, file);
  urls.set(key, url);
  return url;
}

async function createUrlWithTicket(
  datasetId: string,
  { ticketUrl: make, budget }: OperationContext,
  file: ResultsFile | undefined,
): Promise<string> {
  budget.spendWork(UNITS_PER_TICKET);
  const url = await make?.(datasetId, file);
  if (url !== undefined) return url;
  const what = file === undefined ? 'bearer token is' : 'bearer token, with the asset ids of the filter, is';
  throw limitExceeded(`The ${what} too long for a download ticket.`);
}

export const DatasetDownload: DatasetDownloadResolvers = {
  url: async ({ datasetId }, { auth }, context) => {
    const url = await urlFor(datasetId, auth, context);
    context.budget.spendText(url.length, 1);
    return url;
  },
  method: () => 'GET',
  requiredHeaders: () => ['Authorization: Bearer <ACCESS_TOKEN>'],
};
