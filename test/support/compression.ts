import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect } from 'vitest';
import { assetResult, ofDataset, type Request, type Setup, start, type TestBed, TOKEN } from './harness.ts';

/** The rows of all assets of a dataset. */
export const ROWS_SELECTION = 'results { series { nodes { rows { valueDate metrics { name value } } } } }';
export const ROWS = ofDataset(ROWS_SELECTION);
export const NAME = ofDataset('name');

/** A response with its bytes as received. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Starts a subgraph that compresses. */
export function startCompressing({ env, ...setup }: Setup = {}): Promise<TestBed> {
  return start({ ...setup, env: { COMPRESSION: 'on', ...env } });
}

/** Sends a query of a client that accepts these codings; undefined for no such header. Resolves when the headers are there. */
export function begin(
  { subgraph }: Pick<TestBed, 'subgraph'>,
  document: string,
  acceptEncoding: string | string[] | undefined,
  { headers = {}, variables }: Pick<Request, 'headers' | 'variables'> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      subgraph.url,
      {
        agent: false,
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'application/json',
          // Errors of REST calls have it.
          'x-request-id': 'the-same-for-all',
          ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
          ...headers,
        },
      },
      resolve,
    );
    request.on('error', reject);
    request.end(JSON.stringify({ query: document, variables }));
  });
}

/** Reads a response to its end. */
export async function readAll(response: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) };
}

/** The same, with the whole response. */
export async function ask(...request: Parameters<typeof begin>): Promise<RawAnswer> {
  return readAll(await begin(...request));
}

/** The text of a response, decoded as its headers say. */
export function decode({ headers, bytes }: RawAnswer): string {
  const coding = headers['content-encoding'];
  if (coding === 'zstd') return zstdDecompressSync(bytes).toString();
  if (coding === 'gzip') return gunzipSync(bytes).toString();
  expect(coding).toBeUndefined();
  return bytes.toString();
}

/** Expects a response to be the same as without compression, in fewer bytes. */
export function expectCoded(answer: RawAnswer, coding: string, plain: RawAnswer): void {
  expect(answer.headers).toMatchObject({ 'content-encoding': coding, 'content-type': plain.headers['content-type'] });
  expect(answer.status).toBe(plain.status);
  // Not toEqual: of a difference in megabytes it would make a page of text.
  expect(decode(answer) === plain.bytes.toString()).toBe(true);
  expect(answer.bytes.length).toBeLessThan(plain.bytes.length);
}

/** A results response of one asset with so many rows, of about 100 bytes each in the GraphQL response. */
export function rowsOf(count: number, last: unknown = 1): string {
  const results = Array.from({ length: count }, (_, row) => ({
    value_date: `row ${row}`,
    metrics: [
      { name: 'moisture', value: row === count - 1 ? last : Math.sin(row) },
      { name: 'temperature', value: Math.cos(row) },
    ],
  }));
  return JSON.stringify({ assets: [{ ...assetResult('a'), results }] });
}
