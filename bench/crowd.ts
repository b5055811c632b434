import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { imageSettings } from '../deploy/image-settings.ts';
import { FORTY_EIGHT } from './arriving.ts';
import type { Contestant } from './contestants.ts';
import type { CrowdCounts, CrowdLoad } from './crowd-load.ts';
import type { Hazard } from './hazards.ts';
import { pace, repeat } from './load.ts';
import { watchPeak } from './process-figures.ts';
import { graphqlRequest, sendOnce } from './requests.ts';
import { quantile } from './statistics.ts';
import { metadata, passing } from './workloads.ts';

const CLIENTS = 60;
const SLOW_BYTES_PER_SECOND = 5e6;
const METADATA_EVERY_MS = 20;

const MEGABYTE = 1e6;
const BUDGET_BYTES = 256 * 2 ** 20;

/** Many clients request a large response at once. Every other one reads it slowly. */
export const crowd: Hazard = {
  title: `${CLIENTS} clients x 48 MB at once`,
  env: { ...imageSettings, MEMORY_BUDGET: String(BUDGET_BYTES), OPERATION_TIMEOUT_MS: '110000' },
  rounds: 1,
  figures: [
    { figure: 'clients with the whole response', limit: 'at least', must: CLIENTS, unit: '' },
    { figure: 'peak of resident memory', limit: 'at most', must: 600, aim: 400, unit: ' MB' },
    { figure: 'p99 of metadata meanwhile', limit: 'at most', must: 50, aim: 25, unit: ' ms' },
  ],
  measure,
};

async function measure(contestant: Contestant) {
  const request = graphqlRequest(contestant, passing(FORTY_EIGHT, '').query);
  const responseBytes = (await sendOnce(request)).length;
  const metadataRequest = graphqlRequest(contestant, metadata.query);
  const metadataRequests = repeat({
    ...metadataRequest,
    responseBytes: (await sendOnce(metadataRequest)).length,
  });
  const peak = watchPeak(contestant.pid);
  const worker = new Worker(new URL('crowd-load.ts', import.meta.url), {
    workerData: {
      request,
      clients: CLIENTS,
      slowBytesPerSecond: SLOW_BYTES_PER_SECOND,
      responseBytes,
    } satisfies CrowdLoad,
  });
  await once(worker, 'message');
  let isDone = false;
  const counted = once(worker, 'message').then(([counts]) => {
    isDone = true;
    return counts as CrowdCounts;
  });
  const started = performance.now();
  const meanwhile = await pace(metadataRequests, { everyMs: METADATA_EVERY_MS, isEnough: () => isDone }).catch(
    () => undefined,
  );
  const { complete, codedError, failed } = await counted;
  const seconds = (performance.now() - started) / 1000;
  const peakBytes = peak();
  return {
    measured: [
      complete,
      peakBytes && peakBytes / MEGABYTE,
      meanwhile ? quantile(meanwhile.latenciesMs, 0.99) : Number.POSITIVE_INFINITY,
    ],
    note: [`${codedError} coded errors, ${failed} broken off, in ${seconds.toFixed(0)} s`],
  };
}
