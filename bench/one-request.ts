/** A thread that makes one request, so that to read its response does not disturb the clock of the thread that measures. */
import { parentPort, workerData } from 'node:worker_threads';
import { request as send } from 'undici';
import type { LoadRequest } from './load.ts';

/** What came back. */
export interface Response {
  readonly status: number;
  /** The size in bytes of its body, and the first few thousand characters. */
  readonly bytes: number;
  readonly start: string;
}

const PATIENCE_MS = 60_000;
const START_BYTES = 4096;

const { origin, path, ...options }: LoadRequest = workerData;
parentPort?.postMessage('started');
const { statusCode: status, body } = await send(origin + path, {
  ...options,
  headersTimeout: PATIENCE_MS,
  bodyTimeout: PATIENCE_MS,
});
let bytes = 0;
let start = '';
for await (const chunk of body as AsyncIterable<Buffer>) {
  if (start.length < START_BYTES) start += chunk.toString('utf8', 0, START_BYTES - start.length);
  bytes += chunk.length;
}
parentPort?.postMessage({ status, bytes, start } satisfies Response);
