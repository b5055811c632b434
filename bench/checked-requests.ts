import type { Checked } from './check.ts';
import type { Contestant } from './contestants.ts';
import { type RequestSource, repeat } from './load.ts';
import { Mixture } from './mixture.ts';
import { graphqlRequest, requestFor } from './requests.ts';
import type { Workload } from './workloads.ts';

/** The requests of work to a contestant, with the sizes of the checked responses; undefined if it cannot serve them. */
export function requestsOf(
  contestant: Contestant,
  work: Workload | Mixture,
  checks: ReadonlyMap<Workload, Checked>,
): RequestSource | undefined {
  const sizeOf = (workload: Workload) => checks.get(workload)?.responseBytes.get(contestant.name);
  if (!(work instanceof Mixture)) {
    const [first, ...others] = (work.variants ?? [work]).flatMap((variant) => {
      const request = requestFor(contestant, { ...work, ...variant });
      return request === undefined ? [] : [{ ...request, responseBytes: sizeOf(work) }];
    });
    return first && repeat(first, ...others);
  }
  const next = () => {
    const { kind, query } = work.next();
    return { ...graphqlRequest(contestant, query), responseBytes: sizeOf(kind) };
  };
  return { origin: new URL(contestant.url).origin, next };
}
