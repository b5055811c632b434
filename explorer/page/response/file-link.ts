import type { Operation } from '../operation.ts';
import { bodyIn, OperationError } from '../operation-error.ts';
import { type Access, post } from '../post.ts';
import { errorsOf } from './worker/errors.ts';

/** The formats of files of results that the page offers, each with the name of its file. */
export const fileNames = {
  CSV: 'CSV file',
  CSV_SPREADSHEET: 'CSV file for spreadsheets',
  PARQUET: 'Parquet file',
  ARROW: 'Arrow file',
  NDJSON: 'NDJSON file',
} as const;
export type FileFormat = keyof typeof fileNames;

/** What makes links to files of one dataset. */
export interface Files {
  /** The operation that makes the link: it selects `results { rowsFile { ticketUrl } }` of the dataset. */
  readonly operationOf: (format: FileFormat) => Operation;
  /** Where the link is in the `data` of its response. */
  readonly path: LinkPath;
}

type LinkPath = readonly (string | number)[];

/**
 * Asks for the link of a file, and opens it. The link has a ticket instead of the token.
 *
 * @param operation makes the link
 * @param path where the link is in the `data` of its response
 * @throws OperationError when there is no link
 * @throws TypeError when the server cannot be reached
 */
export async function startDownload(access: Access, operation: Operation, path: LinkPath): Promise<void> {
  const body = (await bodyIn(await post(access, JSON.stringify(operation)))) as { data?: unknown };
  const url = path.reduce<unknown>(
    (value, key) => (value as Record<string | number, unknown> | null)?.[key],
    body.data,
  );
  if (typeof url !== 'string') throw new OperationError(errorsOf(body), 'The server made no link.');
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
