import type { DatasetDownloadResolvers, DownloadAuth } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import { forbidden, limitExceeded } from '../errors.ts';

async function urlFor(datasetId: string, auth: DownloadAuth, context: OperationContext): Promise<string> {
  if (auth === 'TICKET') return urlWithTicket(datasetId, context);
  const withToken = auth === 'TOKEN_IN_URL';
  if (withToken && !context.tokenInUrlAllowed) throw forbidden('This subgraph does not put tokens into URLs.');
  return context.downloadUrl(datasetId, withToken);
}

async function urlWithTicket(datasetId: string, { ticketUrl }: OperationContext): Promise<string> {
  if (ticketUrl === undefined) throw forbidden('This subgraph makes no download tickets.');
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
