/** A thread that asks for the same large response many times at once, half of them slow to read it. */
import { type IncomingMessage, request as send } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { LoadRequest } from './load.ts';

/** What the thread is to do. */
export interface CrowdLoad {
  readonly request: LoadRequest;
  readonly clients: number;
  /** How fast every other caller reads. */
  readonly slowBytesPerSecond: number;
  /** The size in bytes of the whole response. */
  readonly responseBytes: number;
}

/** What became of the callers. */
export interface CrowdCounts {
  /** Callers with the whole response. */
  readonly answered: number;
  /** Callers with an error that has a code. */
  readonly refused: number;
  /** Callers with neither. */
  readonly left: number;
}

const PATIENCE_MS = 90_000;
const START_BYTES = 4096;

const { request, clients, slowBytesPerSecond, responseBytes }: CrowdLoad = workerData;

function ask(): Promise<IncomingMessage> {
  const { origin, path, method, headers, body } = request;
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, timeout: PATIENCE_MS };
    const outgoing = send(origin + path, options, resolve);
    outgoing.on('error', reject).on('timeout', () => outgoing.destroy(new Error('no response in time')));
    outgoing.end(body);
  });
}

async function outcome(isSlow: boolean): Promise<keyof CrowdCounts> {
  try {
    const response = await ask();
    const started = performance.now();
    let bytes = 0;
    let start = '';
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (start.length < START_BYTES) start += chunk.toString('utf8', 0, START_BYTES);
      bytes += chunk.length;
      const aheadMs = (bytes / slowBytesPerSecond) * 1000 - (performance.now() - started);
      if (isSlow && aheadMs > 0) await setTimeout(aheadMs);
    }
    if (!response.complete) return 'left';
    if (response.statusCode === 200 && bytes === responseBytes) return 'answered';
    return /"code":"[A-Z_]+"/.test(start) ? 'refused' : 'left';
  } catch {
    return 'left';
  }
}

parentPort?.postMessage('started');
const outcomes = await Promise.all(Array.from({ length: clients }, (_, index) => outcome(index % 2 === 1)));
const count = (kind: keyof CrowdCounts) => outcomes.filter((other) => other === kind).length;
parentPort?.postMessage({
  answered: count('answered'),
  refused: count('refused'),
  left: count('left'),
} satisfies CrowdCounts);
