import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { BackgroundLoad } from './background-load.ts';
import type { Contestant } from './contestants.ts';
import { type Load, type LoadRequest, pace, saturate } from './load.ts';
import { cpuSeconds, watchPeak } from './process-figures.ts';
import { graphqlRequest, sendOnce } from './requests.ts';
import { quantile } from './statistics.ts';
import type { Workload } from './workloads.ts';

/** What one contestant did at one workload in one round. What the system does not say is undefined. */
export interface Sample {
  readonly responsesPerSecond: number;
  /** Milliseconds from a request's leaving to the end of its answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The most memory that the process held, in bytes above what it held when idle. */
  readonly peakBytes: number | undefined;
  /** CPU milliseconds of the process for each answer. */
  readonly cpuMs: number | undefined;
  /** REST calls for each answer; undefined where something else is in flight as well. */
  readonly restCalls: number | undefined;
}

/** A contestant at a workload. */
export interface Lane {
  readonly contestant: Contestant;
  readonly workload: Workload;
  readonly request: LoadRequest;
  /** The memory in bytes that the contestant held after its start; undefined where the system does not say. */
  readonly idleBytes: number | undefined;
  /** The size in bytes of its answer. */
  readonly responseBytes: number;
}

const PACE_MS = 20;
const HEAD_START_MS = 300;

/** Measures a lane for so many seconds, and as long as its last answers take. */
export async function measure(lane: Lane, seconds: number, upstreamUrl: string): Promise<Sample> {
  const { contestant, workload, request, idleBytes, responseBytes } = lane;
  await callsSince(upstreamUrl);
  const peak = watchPeak(contestant.pid);
  const cpu = cpuSeconds(contestant.pid);
  const load =
    workload.background === undefined
      ? await saturate(request, { connections: workload.connections, enough: (elapsed) => elapsed >= seconds })
      : await paceWhile(graphqlRequest(contestant, workload.background), request, seconds);
  const cpuAfter = cpuSeconds(contestant.pid);
  const peakBytes = peak();
  const calls = await callsSince(upstreamUrl);
  const { latenciesMs } = load;
  const responses = latenciesMs.length;
  if (load.bytes !== responses * responseBytes) {
    throw new Error(`${contestant.title} gives other answers to «${workload.title}» under load than alone.`);
  }
  const alone = workload.background === undefined;
  return {
    responsesPerSecond: responses / load.seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    peakBytes: peakBytes !== undefined && idleBytes !== undefined ? peakBytes - idleBytes : undefined,
    cpuMs: alone && cpu !== undefined && cpuAfter !== undefined ? ((cpuAfter - cpu) * 1000) / responses : undefined,
    restCalls: alone ? calls / responses : undefined,
  };
}

/** Paces a request while one of the other after another is in flight; waits for the last of both. */
async function paceWhile(background: LoadRequest, request: LoadRequest, seconds: number): Promise<Load> {
  const worker = new Worker(new URL('background-load.ts', import.meta.url), {
    workerData: { request: background, seconds: HEAD_START_MS / 1000 + seconds } satisfies BackgroundLoad,
  });
  // Rejects with what has gone wrong in the worker.
  const ended = once(worker, 'exit');
  ended.catch(() => {});
  await once(worker, 'message');
  await setTimeout(HEAD_START_MS);
  const load = await pace(request, { everyMs: PACE_MS, enough: (elapsed) => elapsed >= seconds });
  await ended;
  return load;
}

/** The REST calls since this was asked last. */
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
