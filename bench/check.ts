import { createHash } from 'node:crypto';
import type { Contestant, ContestantName } from './contestants.ts';
import { requestFor, restRequest, sendOnce } from './requests.ts';
import type { Workload } from './workloads.ts';

/** What the check of a workload has found out. */
export interface Checked {
  /** The size in bytes of the REST answer's body, where the workload comes to one call. */
  readonly restBytes: number | undefined;
  /** The size in bytes of each contestant's answer. */
  readonly responseBytes: ReadonlyMap<ContestantName, number>;
}

/**
 * Makes sure that all contestants give the same: in GraphQL the same data, without errors unless the workload has some;
 * in REST what the service itself gives.
 *
 * @throws Error where two differ
 */
export async function check(
  workload: Workload,
  contestants: readonly Contestant[],
  upstreamUrl: string,
): Promise<Checked> {
  const expected = new Map<Contestant['speaks'], string>();
  const responseBytes = new Map<ContestantName, number>();
  let restBytes: number | undefined;
  if (workload.rest !== undefined) {
    const body = await sendOnce(restRequest(upstreamUrl, workload.rest));
    expected.set('rest', fingerprint(JSON.parse(body.toString())));
    restBytes = body.length;
  }
  for (const contestant of contestants) {
    const request = requestFor(contestant, workload);
    if (request === undefined) continue;
    const body = await sendOnce(request);
    responseBytes.set(contestant.name, body.length);
    const response = JSON.parse(body.toString());
    const { speaks, title } = contestant;
    if (speaks === 'graphql' && (response.errors?.length ?? 0) !== (workload.errors ?? 0)) {
      throw new Error(`${title} answers «${workload.title}» with ${JSON.stringify(response.errors).slice(0, 1000)}`);
    }
    const found = fingerprint(speaks === 'graphql' ? response.data : response);
    if (found !== (expected.get(speaks) ?? found)) {
      throw new Error(`${title} gives other data than the others for «${workload.title}».`);
    }
    expected.set(speaks, found);
  }
  return { restBytes, responseBytes };
}

/** Equal for values that are deeply equal and have their keys in the same order, as GraphQL demands. */
function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
