/** A thread that keeps one request in flight, so that this does not disturb the clock of what is measured meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import { type LoadRequest, saturate } from './load.ts';

/** What the thread is to do. */
export interface BackgroundLoad {
  readonly request: LoadRequest;
  readonly seconds: number;
}

const { request, seconds }: BackgroundLoad = workerData;
parentPort?.postMessage('started');
await saturate(request, { connections: 1, enough: (elapsed) => elapsed >= seconds });
