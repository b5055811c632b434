import type { DatasetDownloadResolvers } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import { forbidden, limitExceeded } from '../errors/errors.ts';
import { UNITS_PER_TICKET } from '../limits.ts';
import type { DatasetDownloadModel } from '../models.ts';
import { MAX_FILE_URL_LENGTH, urlTooLong } from './results-files.ts';

/** The URLs with a ticket of each operation, by the URLs without one. Encrypting a ticket is expensive. */
const ticketUrls = new WeakMap<OperationContext, Map<string, Promise<string>>>();

/** @throws GraphQLError FORBIDDEN if there are no tickets, and as `createTicketUrl` */
async function ticketUrlOf(model: DatasetDownloadModel, context: OperationContext): Promise<string> {
  if (context.ticketUrl === undefined) throw forbidden('Download tickets are not enabled in this subgraph.');
  const urls = ticketUrls.get(context) ?? new Map<string, Promise<string>>();
  ticketUrls.set(context, urls);
  const key = urlOf(model, context);
  const url = urls.get(key) ?? createTicketUrl(model, context);
  urls.set(key, url);
  return url;
}

/**
 * @throws GraphQLError REQUEST_LIMIT_EXCEEDED if the ticket would be too long
 * @throws RestError `noToken`
 */
async function createTicketUrl(
  { datasetId, file }: DatasetDownloadModel,
  { ticketUrl: make, budget }: OperationContext,
): Promise<string> {
  budget.spendWork(UNITS_PER_TICKET);
  const url = await make?.(datasetId, file);
  if (url !== undefined) return url;
  const what = file === undefined ? 'bearer token is' : 'bearer token, with the asset ids of the filter, is';
  throw limitExceeded(`The ${what} too long for a download ticket.`);
}

function urlOf({ datasetId, file }: DatasetDownloadModel, context: OperationContext): string {
  return file === undefined ? context.downloadUrl(datasetId, false) : context.resultsFileUrl(datasetId, file);
}

/** A URL, which counts as text. @throws GraphQLError REQUEST_LIMIT_EXCEEDED if no request can have it */
function spent(url: string, { file }: DatasetDownloadModel, { budget }: OperationContext): string {
  if (file !== undefined && url.length > MAX_FILE_URL_LENGTH) throw urlTooLong();
  budget.spendText(url.length, 1);
  return url;
}

/** How the file of a static dataset, or of results, is downloaded. */
export const DatasetDownload: DatasetDownloadResolvers = {
  url: (model, _args, context) => spent(urlOf(model, context), model, context),
  method: () => 'GET',
  requiredHeaders: () => ['Authorization: Bearer <ACCESS_TOKEN>'],
  ticketUrl: async (model, _args, context) => spent(await ticketUrlOf(model, context), model, context),
};
