/** A thread that requests the same large response with many clients at once. Half of them read it slowly. */
import { type IncomingMessage, request as send } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { LoadRequest } from './load.ts';

/** The task of the thread. */
export interface CrowdLoad {
  readonly request: LoadRequest;
  readonly clients: number;
  /** How fast every other client reads. */
  readonly slowBytesPerSecond: number;
  /** The size in bytes of the whole response. */
  readonly responseBytes: number;
}

/** The number of clients by their outcome. */
export interface CrowdCounts {
  /** Clients with the whole response. */
  readonly complete: number;
  /** Clients with an error that has a code. */
  readonly codedError: number;
  /** Clients with neither. */
  readonly failed: number;
}

const TIMEOUT_MS = 120_000;
const START_BYTES = 4096;

const { request, clients, slowBytesPerSecond, responseBytes }: CrowdLoad = workerData;

function sendRequest(): Promise<IncomingMessage> {
  const { origin, path, method, headers, body } = request;
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, timeout: TIMEOUT_MS };
    const outgoing = send(origin + path, options, resolve);
    outgoing.on('error', reject).on('timeout', () => outgoing.destroy(new Error('no response in time')));
    outgoing.end(body);
  });
}

async function outcome(isSlow: boolean): Promise<keyof CrowdCounts> {
  try {
    const response = await sendRequest();
    const started = performance.now();
    let bytes = 0;
    let start = '';
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (start.length < START_BYTES) start += chunk.toString('utf8', 0, START_BYTES);
      bytes += chunk.length;
      const aheadMs = (bytes / slowBytesPerSecond) * 1000 - (performance.now() - started);
      if (isSlow && aheadMs > 0) await setTimeout(aheadMs);
    }
    if (!response.complete) return 'failed';
    if (response.statusCode === 200 && bytes === responseBytes) return 'complete';
    return /"code":"[A-Z_]+"/.test(start) ? 'codedError' : 'failed';
  } catch {
    return 'failed';
  }
}

parentPort?.postMessage('started');
const outcomes = await Promise.all(Array.from({ length: clients }, (_, index) => outcome(index % 2 === 1)));
const count = (kind: keyof CrowdCounts) => outcomes.filter((other) => other === kind).length;
parentPort?.postMessage({
  complete: count('complete'),
  codedError: count('codedError'),
  failed: count('failed'),
} satisfies CrowdCounts);
