import type { DatasetDownloadResolvers } from '../../generated/resolvers.ts';
import { forbidden } from '../errors.ts';

export const DatasetDownload: DatasetDownloadResolvers = {
  url: ({ datasetId }, { auth }, { downloadUrl, tokenInUrlAllowed }) => {
    const withToken = auth === 'TOKEN_IN_URL';
    if (withToken && !tokenInUrlAllowed) throw forbidden('This subgraph does not put tokens into URLs.');
    return downloadUrl(datasetId, withToken);
  },
  method: () => 'GET',
  requiredHeaders: () => ['Authorization: Bearer <ACCESS_TOKEN>'],
};
