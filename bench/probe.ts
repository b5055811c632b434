import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Client } from 'undici';
import type { Contestant } from './contestants.ts';
import type { LoadRequest } from './load.ts';
import type { Response } from './one-request.ts';
import { cpuSeconds } from './process-figures.ts';

/** What one request did while it was answered. */
export interface Probe {
  readonly response: Response;
  /** The longest time in milliseconds that a health check waited meanwhile: nothing else was answered for so long. */
  readonly blockMs: number;
  /** The CPU seconds of the process; undefined where the system does not say. */
  readonly cpuSeconds: number | undefined;
}

const CHECK_EVERY_MS = 5;
/** How long the checks go on after the response: what is left behind has to be cleared away, too. */
const AFTER_MS = 100;

/** Makes a request, and meanwhile asks for the health of the process every 5 ms on a kept connection. */
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
    // Reported where it is awaited.
    responded.catch(() => {});
    let blockMs = 0;
    for (let afterMs = 0; !isDone || afterMs < AFTER_MS; afterMs += isDone ? CHECK_EVERY_MS : 0) {
      const asked = performance.now();
      // After a block of seconds Node.js may close the connection in place of an answer.
      await check().catch(() => {});
      const waited = performance.now() - asked;
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
