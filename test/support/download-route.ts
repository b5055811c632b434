import { get, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'vitest';
import { DATASET_ID, listen, start, type TestBed, TOKEN } from './harness.ts';

export const PATH = `/download/dataset/${DATASET_ID}`;
export const CONTENT = 'date,value\n';
export const bearer = { authorization: `Bearer ${TOKEN}` };

/** What every answer of these routes says. */
export const always = {
  'cache-control': 'no-store',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'request-1',
};

interface Received {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** Whether the answer came to its end, as HTTP tells it. */
  complete: boolean;
}

/** Downloads a file, and waits for the end of it, whatever that is. */
export async function download(bed: TestBed, { method = 'GET', headers = {}, path = PATH } = {}): Promise<Received> {
  const all = { ...bearer, 'x-request-id': 'request-1', ...headers };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpRequest(new URL(path, bed.subgraph.url), { method, agent: false, headers: all }, resolve)
    .on('error', reject)
    .end();
  const response = await promise;
  const chunks: Buffer[] = [];
  response.on('data', (chunk) => chunks.push(chunk));
  const ended = new Promise<void>((close) => response.once('close', close));
  response.on('error', () => {});
  await ended;
  const { statusCode: status = 0, headers: told, complete } = response;
  return { status, headers: told, text: Buffer.concat(chunks).toString('latin1'), complete };
}

/** Begins a download and reads nothing of its body yet. */
export function begin(bed: TestBed, signal?: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: bearer, ...(signal && { signal }) };
    get(new URL(PATH, bed.subgraph.url), options, resolve).on('error', reject);
  });
}

/** A subgraph before a service that answers each request with what this writes. */
export async function startRaw(write: (socket: Socket) => void, env: Record<string, string> = {}): Promise<TestBed> {
  const serviceUrl = await listen((socket) => socket.once('data', () => write(socket)));
  return start({ env, serviceUrl });
}

export const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

/** An error answer, but for its message. */
export const failure = (code: string, rest?: Record<string, unknown>) => ({
  errors: [
    {
      message: expect.stringMatching(/^[A-Z].*\.$/),
      extensions: {
        code,
        ...(rest && {
          rest: {
            operation: 'downloadStaticDataset',
            status: null,
            label: null,
            labelSource: null,
            requestId: 'request-1',
            retryable: false,
            ...rest,
          },
        }),
      },
    },
  ],
});
