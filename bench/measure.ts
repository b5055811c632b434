import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { BackgroundLoad } from './background-load.ts';
import type { Contestant } from './contestants.ts';
import { type Load, type LoadRequest, pace, type RequestSource, saturate } from './load.ts';
import { cpuSeconds, watchPeak } from './process-figures.ts';
import { graphqlRequest, sendOnce } from './requests.ts';
import { quantile } from './statistics.ts';
import type { Work } from './workloads.ts';

/** The figures of one contestant at one kind of work in one round. A figure is undefined if the system does not report it. */
export interface Sample {
  readonly responsesPerSecond: number;
  /** Milliseconds from sending a request to the end of its response. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The peak memory of the process, in bytes above its idle memory. */
  readonly peakBytes: number | undefined;
  /** CPU milliseconds of the process for each response. */
  readonly cpuMs: number | undefined;
  /** REST calls for each response; undefined with a background load. */
  readonly restCalls: number | undefined;
}

/** A contestant at some work. */
export interface Lane {
  readonly contestant: Contestant;
  readonly work: Work;
  readonly requests: RequestSource;
  /** The contestant's idle memory in bytes; undefined if the system does not report it. */
  readonly idleBytes: number | undefined;
}

const PACE_MS = 20;
const HEAD_START_MS = 300;

/** Measures a lane for so many seconds, and until its last response ends. */
export async function measure(lane: Lane, seconds: number, upstreamUrl: string): Promise<Sample> {
  const { contestant, work, requests, idleBytes } = lane;
  await callsSince(upstreamUrl);
  const peak = watchPeak(contestant.pid);
  const cpu = cpuSeconds(contestant.pid);
  const load =
    work.background === undefined
      ? await saturate(requests, { connections: work.connections, isEnough: (elapsed) => elapsed >= seconds })
      : await paceWhile(graphqlRequest(contestant, work.background), requests, { everyMs: PACE_MS, seconds });
  const cpuAfter = cpuSeconds(contestant.pid);
  const peakBytes = peak();
  const calls = await callsSince(upstreamUrl);
  const { latenciesMs } = load;
  const responses = latenciesMs.length;
  const alone = work.background === undefined;
  return {
    responsesPerSecond: responses / load.seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    peakBytes: peakBytes !== undefined && idleBytes !== undefined ? peakBytes - idleBytes : undefined,
    cpuMs: alone && cpu !== undefined && cpuAfter !== undefined ? ((cpuAfter - cpu) * 1000) / responses : undefined,
    restCalls: alone ? calls / responses : undefined,
  };
}

/** Paces requests while the background request is repeated. Waits for the last response of both. */
export async function paceWhile(
  background: LoadRequest,
  requests: RequestSource,
  { everyMs, seconds }: { everyMs: number; seconds: number },
): Promise<Load> {
  const worker = new Worker(new URL('background-load.ts', import.meta.url), {
    workerData: { request: background, seconds: HEAD_START_MS / 1000 + seconds } satisfies BackgroundLoad,
  });
  // Rejects with an error of the worker.
  const ended = once(worker, 'exit');
  ended.catch(() => {});
  await once(worker, 'message');
  await setTimeout(HEAD_START_MS);
  const load = await pace(requests, { everyMs, isEnough: (elapsed) => elapsed >= seconds });
  await ended;
  return load;
}

/** The number of REST calls since the previous call of this function. */
async function callsSince(upstreamUrl: string): Promise<number> {
  const body = await sendOnce({
    origin: new URL(upstreamUrl).origin,
    path: '/__calls',
    method: 'GET',
    headers: {},
    body: null,
  });
  return JSON.parse(body.toString()).calls;
}
