import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { DATASET_ID, ofDataset, type TestBed, TOKEN } from './harness.ts';

/** Tickets are on. */
export const tickets = { DOWNLOAD_TICKET_SECRET: 'a-secret-of-this-subgraph-of-32-c' };

/** A file as it came. */
export interface ReceivedFile {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Whether it came to its end, as HTTP tells it. */
  readonly isComplete: boolean;
}

/** The path of results with a query. */
export const resultsPath = (query: string, id = DATASET_ID) => `/download/results/${encodeURIComponent(id)}?${query}`;

/**
 * The URL of a file, as the API gives it.
 *
 * @param field with its arguments, such as `rowsFile(format: CSV)`
 */
export async function fileUrl(
  { query }: TestBed,
  field: string,
  filter = '',
  kind: 'url' | 'ticketUrl' = 'url',
): Promise<string> {
  const { body } = await query(ofDataset(`results${filter} { file: ${field} { url: ${kind} } }`));
  const url = body.data?.dataset?.results?.file?.url;
  if (typeof url !== 'string') throw new Error(JSON.stringify(body));
  return url;
}

/** The same with a ticket. */
export function fileTicketUrl(bed: TestBed, field: string, filter = ''): Promise<string> {
  return fileUrl(bed, field, filter, 'ticketUrl');
}

/** Downloads a file, and waits for its end, whatever that is. */
export async function receive(
  { subgraph }: TestBed,
  path: string,
  headers: Record<string, string | string[]> = { authorization: `Bearer ${TOKEN}` },
  method = 'GET',
): Promise<ReceivedFile> {
  return new Promise((resolve, reject) => {
    httpRequest(new URL(path, subgraph.url), { method, agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => {});
      response.on('close', () => {
        const bytes = Buffer.concat(chunks);
        const { statusCode: status = 0, complete } = response;
        resolve({ status, headers: response.headers, bytes, text: bytes.toString(), isComplete: complete });
      });
    })
      .on('error', reject)
      .end();
  });
}
