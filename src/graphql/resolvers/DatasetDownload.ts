import type { DatasetDownloadResolvers } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import { forbidden, limitExceeded } from '../errors.ts';

async function urlWithTicket(datasetId: string, { ticketUrl }: OperationContext): Promise<string> {
  if (ticketUrl === undefined) throw forbidden('This subgraph makes no download tickets.');
  const url = await ticketUrl(datasetId);
  if (url === undefined) throw limitExceeded('The bearer token is too long for a download ticket.');
  return url;
}

export const DatasetDownload: DatasetDownloadResolvers = {
  url: ({ datasetId }, { auth }, context) => {
    if (auth === 'TICKET') return urlWithTicket(datasetId, context);
    const withToken = auth === 'TOKEN_IN_URL';
    if (withToken && !context.tokenInUrlAllowed) throw forbidden('This subgraph does not put tokens into URLs.');
    return context.downloadUrl(datasetId, withToken);
  },
  method: () => 'GET',
  requiredHeaders: () => ['Authorization: Bearer <ACCESS_TOKEN>'],
};
