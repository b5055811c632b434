/** A thread that sends one request, so that reading the response does not disturb the measuring thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { request as send } from 'undici';
import type { LoadRequest } from './load.ts';

/** The response. */
export interface Response {
  readonly status: number;
  /** The size of its body in bytes. */
  readonly bytes: number;
  /** The first few thousand characters of its body. */
  readonly start: string;
}

const TIMEOUT_MS = 60_000;
const START_BYTES = 4096;

const { origin, path, ...options }: LoadRequest = workerData;
parentPort?.postMessage('started');
const { statusCode: status, body } = await send(origin + path, {
  ...options,
  headersTimeout: TIMEOUT_MS,
  bodyTimeout: TIMEOUT_MS,
});
let bytes = 0;
let start = '';
for await (const chunk of body as AsyncIterable<Buffer>) {
  if (start.length < START_BYTES) start += chunk.toString('utf8', 0, START_BYTES - start.length);
  bytes += chunk.length;
}
parentPort?.postMessage({ status, bytes, start } satisfies Response);
