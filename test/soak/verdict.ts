import type { Sample } from './subject.ts';

/**
 * What the process held at rest: before each sample no request was under way, and the garbage was collected. So what
 * work needs while it runs, however much, does not count; only what it leaves behind does.
 */
export interface Rest {
  readonly requests: number;
  readonly sample: Sample;
  /** Whether the memory that is kept a while for the next answer had been let go of. */
  readonly isLong: boolean;
}

/** Numbers of things: at rest, so many as at the first rest and no more. */
export const countsOf = ({ sockets, descriptors, handles, timers }: Sample) => ({
  sockets,
  descriptors,
  handles,
  timers,
});

/** What is held in larger numbers than at the first rest, a line each. */
export function surplus(first: Sample, now: Sample): string[] {
  const before = countsOf(first);
  return Object.entries(countsOf(now)).flatMap(([name, value]) => {
    const allowed = before[name as keyof typeof before];
    return value !== null && allowed !== null && value > allowed ? [`${value} ${name} where ${allowed} were`] : [];
  });
}

const MB = 2 ** 20;

/** How far each kind of memory may drift over a run without counting as a leak, in bytes. */
const allowances = {
  /** Compiled code and caches of the engine come and go by so much. */
  heapUsed: 4 * MB,
  external: 8 * MB,
  /** The system's allocator gives memory back late and in pieces, and the engine some seconds after a collection. */
  rss: 256 * MB,
};

/** A line of best fit that single odd samples do not move: the median of the slopes between all pairs (Theil, Sen). */
export function slope(points: readonly { x: number; y: number }[]): number {
  const slopes = points.flatMap((a, index) =>
    points.slice(index + 1).flatMap((b) => (b.x === a.x ? [] : [(b.y - a.y) / (b.x - a.x)])),
  );
  return median(slopes);
}

/**
 * What grows, a line each. Heap and resident memory count as leaked when both hold: the line through the samples rises
 * over the run by more than the allowance; and every sample of the last third is above every one of the first, as it is
 * with a leak and seldom with noise. External memory, which is kept for the next answer, tells something only at the
 * long rests: it counts as leaked when the last one is above the first by more than the allowance. The rest that ends
 * the warm-up is not among them.
 */
export function growing(rests: readonly Rest[]): string[] {
  const third = Math.max(1, Math.floor(rests.length / 3));
  const requests = (rests.at(-1)?.requests ?? 0) - (rests[0]?.requests ?? 0);
  const line = (name: string, rise: number) =>
    `${name} grows by ${Math.round(rise / requests)} bytes a request (${Math.round(rise / MB)} MB in all)`;
  const steady = (['heapUsed', 'rss'] as const).flatMap((name) => {
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

/** The resident memory in bytes that an idle process may hold beyond that of its start. */
const MAX_RESIDENT_AT_REST = 400 * MB;

/** What an idle process has not given back, a line; both in bytes. */
export function unreturned(atStart: number, atRest: number): string[] {
  const more = atRest - atStart;
  if (more <= MAX_RESIDENT_AT_REST) return [];
  return [
    `${Math.round(more / MB)} MB more resident memory at rest than at the start, of ${MAX_RESIDENT_AT_REST / MB}`,
  ];
}

/** The middle one of some numbers; 0 for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
