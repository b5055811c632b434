import type { DatasetDownloadResolvers, DownloadAuth } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import { forbidden, limitExceeded } from '../errors.ts';
import { UNITS_PER_TICKET } from '../limits.ts';

async function urlFor(datasetId: string, auth: DownloadAuth, context: OperationContext): Promise<string> {
  if (auth === 'TICKET') return urlWithTicket(datasetId, context);
  const withToken = auth === 'TOKEN_IN_URL';
  if (withToken && !context.tokenInUrlAllowed) throw forbidden('Tokens in URLs are not enabled in this subgraph.');
  return context.downloadUrl(datasetId, withToken);
}

/** The URLs with a ticket of each operation, by dataset. Encrypting a ticket is expensive. */
const ticketUrls = new WeakMap<OperationContext, Map<string, Promise<string>>>();

function urlWithTicket(datasetId: string, context: OperationContext): Promise<string> {
  const urls = ticketUrls.get(context) ?? new Map<string, Promise<string>>();
  ticketUrls.set(context, urls);
  const url = urls.get(datasetId) ?? createUrlWithTicket(datasetId, context);
  urls.set(datasetId, url);
  return url;
}

async function createUrlWithTicket(datasetId: string, { ticketUrl, budget }: OperationContext): Promise<string> {
  if (ticketUrl === undefined) throw forbidden('Download tickets are not enabled in this subgraph.');
  budget.spendWork(UNITS_PER_TICKET);
  const url = await ticketUrl(datasetId);
  if (url === undefined) throw limitExceeded('The bearer token is too long for a download ticket.');
  return url;
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
