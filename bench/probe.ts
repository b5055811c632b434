import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Client } from 'undici';
import type { Contestant } from './contestants.ts';
import type { LoadRequest } from './load.ts';
import type { Response } from './one-request.ts';
import { cpuSeconds } from './process-figures.ts';

/** The effect of one request on the process. */
export interface Probe {
  readonly response: Response;
  /** The maximum response time in milliseconds of health checks meanwhile: how long the process was blocked. */
  readonly blockMs: number;
  /** The CPU seconds of the process; undefined if the system does not report them. */
  readonly cpuSeconds: number | undefined;
}

const CHECK_EVERY_MS = 5;
/** How long the checks continue after the response, to include its clean-up. */
const AFTER_MS = 100;

/** Sends a request, and meanwhile a health check every 5 ms on a kept connection. */
export async function probe(contestant: Contestant, request: LoadRequest): Promise<Probe> {
  const client = new Client(request.origin);
  const check = async () => (await client.request({ path: '/health/live', method: 'GET' })).body.dump();
  try {
    await check();
    const worker = new Worker(new URL('one-request.ts', import.meta.url), { workerData: request });
    await once(worker, 'message');
    const cpuBefore = cpuSeconds(contestant.pid);
    let isDone = false;
    const responded = once(worker, 'message')
      .then(([response]) => response as Response)
      .finally(() => {
        isDone = true;
      });
    // The await below reports the error.
    responded.catch(() => {});
    let blockMs = 0;
    for (let afterMs = 0; !isDone || afterMs < AFTER_MS; afterMs += isDone ? CHECK_EVERY_MS : 0) {
      const sent = performance.now();
      // After a block of seconds, Node.js may close the connection instead of responding.
      await check().catch(() => {});
      const waited = performance.now() - sent;
      blockMs = Math.max(blockMs, waited);
      await setTimeout(Math.max(0, CHECK_EVERY_MS - waited));
    }
    const response = await responded;
    const cpuAfter = cpuSeconds(contestant.pid);
    const cpu = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
    return { response, blockMs, cpuSeconds: cpu };
  } finally {
    await client.destroy();
  }
}
