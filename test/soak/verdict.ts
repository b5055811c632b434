import { median } from '../../bench/statistics.ts';
import type { Sample } from './subject.ts';

/**
 * A sample at rest: without requests in flight, and after a garbage collection. So it excludes temporary memory and shows
 * only what remains.
 */
export interface Rest {
  readonly requests: number;
  readonly sample: Sample;
  /** Whether the pool had freed its buffers. */
  readonly isLong: boolean;
}

/** The counts of a sample. They must not exceed those of the first rest. */
const countsOf = ({ sockets, descriptors, handles, timers }: Sample) => ({
  sockets,
  descriptors,
  handles,
  timers,
});

/** A line for each count above that of the first rest. */
export function surplus(first: Sample, now: Sample): string[] {
  const before = countsOf(first);
  return Object.entries(countsOf(now)).flatMap(([name, value]) => {
    const allowed = before[name as keyof typeof before];
    return value !== null && allowed !== null && value > allowed ? [`${value} ${name} where ${allowed} were`] : [];
  });
}

/** Gauges of what the process holds only while it works, as patterns of Prometheus' text format. */
const gauges = [
  'http_server_active_requests',
  'http_server_open_connections',
  'graphql_operations_in_flight',
  'downloads_in_flight',
  'http_client_queue_length',
  'http_client_connections\\{.*state="(?:running|pending)".*\\}',
  'rest_memory_held_bytes',
  'rest_memory_use_bytes\\{use="(?:responses|read_ahead|files)"\\}',
  'rest_memory_waiting_responses',
];

/** A line for each gauge that is not zero at rest, or is missing. */
export function unrested(metrics: string): string[] {
  return gauges.flatMap((gauge) => {
    const samples = metrics.match(new RegExp(`^${gauge} .*$`, 'gm')) ?? [];
    if (samples.length === 0) return [`there is no ${gauge}`];
    return samples.filter((sample) => !sample.endsWith(' 0')).map((sample) => `${sample} at rest`);
  });
}

const MB = 2 ** 20;

/** The allowed growth of each kind of memory over a run, in bytes. */
const allowances = {
  /** Compiled code and caches of the engine vary by so much. */
  heapUsed: 4 * MB,
  external: 8 * MB,
  /** The system's allocator returns memory late and in parts: of the same load it keeps 110 MB, or 320. */
  native: 256 * MB,
};

/** The slope of a robust line of best fit: the median of the slopes between all pairs (Theil-Sen). */
function slope(points: readonly { x: number; y: number }[]): number {
  const slopes = points.flatMap((a, index) =>
    points.slice(index + 1).flatMap((b) => (b.x === a.x ? [] : [(b.y - a.y) / (b.x - a.x)])),
  );
  return median(slopes);
}

/**
 * A line for each kind of memory that grows.
 *
 * - Heap and native memory leak if the fitted line rises over the run by more than the allowance, and if every sample of
 *   the last third is above every sample of the first third. The second condition excludes noise.
 * - External memory includes pooled buffers, so only the long rests count. It leaks if the last one is above the first by
 *   more than the allowance.
 * - Resident memory as a whole is not judged: between two long rests it includes the buffers of the pool.
 */
export function growing(rests: readonly Rest[]): string[] {
  const third = Math.max(1, Math.floor(rests.length / 3));
  const requests = (rests.at(-1)?.requests ?? 0) - (rests[0]?.requests ?? 0);
  const line = (name: string, rise: number) =>
    `${name} grows by ${Math.round(rise / requests)} bytes a request (${Math.round(rise / MB)} MB in all)`;
  const steady = (['heapUsed', 'native'] as const).flatMap((name) => {
    const points = rests.map(({ requests: x, sample }) => ({ x, y: sample[name] }));
    const rise = slope(points) * requests;
    const values = points.map(({ y }) => y);
    const isAbove = Math.min(...values.slice(-third)) > Math.max(...values.slice(0, third));
    return isAbove && rise > allowances[name] ? [line(name, rise)] : [];
  });
  const long = rests.filter(({ isLong }) => isLong).map(({ sample }) => sample.external);
  const rise = (long.at(-1) ?? 0) - (long[0] ?? 0);
  return [...steady, ...(rise > allowances.external ? [line('external', rise)] : [])];
}

/**
 * The maximum growth of an idle process's resident memory since its start, in bytes. Runs of ten minutes, with the same heap
 * and external memory, had 340 and 403 MB: the rest is free memory that the C library keeps.
 */
const MAX_RESIDENT_AT_REST = 512 * MB;

/** A line if an idle process has not returned its memory. Both arguments are in bytes. */
export function unreturned(atStart: number, atRest: number): string[] {
  const more = atRest - atStart;
  if (more <= MAX_RESIDENT_AT_REST) return [];
  return [
    `${Math.round(more / MB)} MB more resident memory at rest than at the start, of ${MAX_RESIDENT_AT_REST / MB}`,
  ];
}
