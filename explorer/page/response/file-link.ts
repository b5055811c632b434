import type { Operation } from '../operation.ts';
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
  /** Where the dataset is in the `data` of its response. */
  readonly path: readonly (string | number)[];
}

/**
 * Asks for the link of a file, and opens it. The link has a ticket instead of the token.
 *
 * @returns what to say to the user
 * @throws TypeError when the server cannot be reached
 */
export async function startDownload({ operationOf, path }: Files, access: Access, format: FileFormat): Promise<string> {
  const response = await post(access, JSON.stringify(operationOf(format)));
  const body: { data?: unknown } = await response.json();
  const url = urlIn(body.data, path);
  if (url === undefined) return errorsOf(body)[0]?.message ?? 'The server made no link.';
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
  return `The download of the ${fileNames[format]} has started.`;
}

/** The link in a response; undefined if it has none. */
function urlIn(data: unknown, path: Files['path']): string | undefined {
  const keys = [...path, 'results', 'rowsFile', 'ticketUrl'];
  const found = keys.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | null)?.[key], data);
  return typeof found === 'string' ? found : undefined;
}
