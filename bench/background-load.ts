/** A thread that keeps one request in flight. It is a thread so that it does not disturb the measurement meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import { type LoadRequest, repeat, saturate } from './load.ts';

/** The task of the thread. */
export interface BackgroundLoad {
  readonly request: LoadRequest;
  readonly seconds: number;
}

const { request, seconds }: BackgroundLoad = workerData;
parentPort?.postMessage('started');
await saturate(repeat(request), { connections: 1, isEnough: (elapsed) => elapsed >= seconds });
