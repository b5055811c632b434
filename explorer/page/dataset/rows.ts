import type { Operation } from '../operation.ts';
import type { FileFormat, Files } from '../response/file-link.ts';
import type { PageOperations } from '../settings.ts';
import { timeRange } from './operation.ts';
import type { Shown } from './view.ts';

/** What selects all rows of a view: those that the charts leave out, too. Quantiles are those of all assets. */
function selectionOf(datasetId: string, { assetIds, metrics, days, hasQuantiles }: Shown): object {
  return { id: datasetId, ...(!hasQuantiles && { assetIds }), metrics, ...timeRange(days) };
}

/** The operation that reads all rows of a view. */
export function rowsOperation(datasetId: string, shown: Shown, { columns }: PageOperations): Operation {
  return { query: columns, variables: selectionOf(datasetId, shown) };
}

/** The files of all rows of a view. */
export function rowsFiles(datasetId: string, shown: Shown, { rowsFile }: PageOperations): Files {
  const variables = selectionOf(datasetId, shown);
  const operationOf = (format: FileFormat): Operation => ({ query: rowsFile, variables: { ...variables, format } });
  return { operationOf, path: ['dataset', 'results', 'rowsFile', 'ticketUrl'] };
}
