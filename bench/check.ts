import { createHash } from 'node:crypto';
import type { Contestant, ContestantName } from './contestants.ts';
import { requestFor, restRequest, sendOnce } from './requests.ts';
import type { Workload } from './workloads.ts';

/** The sizes found by the check of a workload. */
export interface Checked {
  /** The size in bytes of the REST responses, if the workload lists its calls. */
  readonly restBytes: number | undefined;
  /** The size in bytes of each contestant's response. */
  readonly responseBytes: ReadonlyMap<ContestantName, number>;
}

/**
 * Checks that all contestants return the same. GraphQL contestants must return the same data, with the workload's number of
 * errors. REST contestants must return the data of the service.
 *
 * @throws Error when two responses differ
 */
export async function check(
  workload: Workload,
  contestants: readonly Contestant[],
  upstreamUrl: string,
): Promise<Checked> {
  const expected = new Map<Contestant['speaks'], string>();
  let computed: unknown;
  const responseBytes = new Map<ContestantName, number>();
  let restBytes: number | undefined;
  if (workload.rest !== undefined) {
    const bodies = await Promise.all(workload.rest.map((call) => sendOnce(restRequest(upstreamUrl, call))));
    const values: unknown[] = bodies.map((body) => JSON.parse(body.toString()));
    expected.set('rest', fingerprint(values.length === 1 ? values[0] : values));
    restBytes = bodies.reduce((sum, { length }) => sum + length, 0);
  }
  for (const contestant of contestants) {
    const request = requestFor(contestant, workload);
    if (request === undefined) continue;
    const body = await sendOnce(request);
    responseBytes.set(contestant.name, body.length);
    if (workload.file !== undefined && contestant.speaks === 'graphql') {
      checkFile(workload, body);
      continue;
    }
    const response = JSON.parse(body.toString());
    const { speaks, title } = contestant;
    if (speaks === 'graphql' && (response.errors?.length ?? 0) !== (workload.errors ?? 0)) {
      throw new Error(
        `${title} responds to «${workload.title}» with ${JSON.stringify(response.errors).slice(0, 1000)}`,
      );
    }
    if (workload.tolerance !== undefined) {
      computed ??= response.data;
      if (!isClose(response.data, computed, workload.tolerance)) throw different(contestant, workload);
      continue;
    }
    const found = fingerprint(speaks === 'graphql' ? response.data : response);
    if (found !== (expected.get(speaks) ?? found)) {
      throw different(contestant, workload);
    }
    expected.set(speaks, found);
  }
  return { restBytes, responseBytes };
}

/** @throws Error unless a file has a line for each metric of each date of the dataset, and a header */
function checkFile({ title, query }: Workload, file: Buffer): void {
  const expected = String(query.variables.id)
    .split('x')
    .reduce((product, count) => product * Number(count), 1);
  const lines = file.toString().split('\n').length - 2;
  if (lines !== expected) throw new Error(`«${title}» has ${lines} lines instead of ${expected}.`);
}

function different(contestant: Contestant, { title }: Workload): Error {
  return new Error(`${contestant.title} returns different data for «${title}» than the others.`);
}

/** Whether values are deeply equal with the same order of keys, apart from numbers, which differ by this at most. */
function isClose(value: unknown, other: unknown, tolerance: number): boolean {
  if (typeof value === 'number' && typeof other === 'number')
    return Math.abs(value - other) <= tolerance * Math.abs(other);
  if (typeof value !== 'object' || typeof other !== 'object' || value === null || other === null)
    return value === other;
  const [entries, others] = [Object.entries(value), Object.entries(other)];
  return (
    entries.length === others.length &&
    entries.every(([key, item], index) => {
      const [otherKey, otherItem] = others[index] as [string, unknown];
      return key === otherKey && isClose(item, otherItem, tolerance);
    })
  );
}

/** A digest that is equal for deeply equal values with the same order of keys, as GraphQL requires. */
function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
