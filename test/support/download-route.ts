import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect } from 'vitest';
import { DATASET_ID, listen, start, type TestBed, TOKEN } from './harness.ts';
import { type ReceivedFile, receive } from './results-files.ts';

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

/** Downloads a file, and waits for its end, whatever that is. */
export function download(bed: TestBed, { method = 'GET', headers = {}, path = PATH } = {}): Promise<ReceivedFile> {
  return receive(bed, path, { ...bearer, 'x-request-id': 'request-1', ...headers }, method);
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
