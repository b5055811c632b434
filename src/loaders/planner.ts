/**
 * Plans the results calls (REST specification, section 4.3) of one dataset.
 *
 * One GraphQL operation may ask for the same dataset in many ways: filters under aliases, single assets, entity
 * references. One call for each would be as many POSTs. The planner merges them into the fewest calls that give the same
 * data:
 *
 *     requests --nextCalls--> calls --(responses)--> calls with outcomes --stateOf--> the parts of each request
 *
 * The planner is a pure function of the requests and of the calls made so far. It runs again whenever a call ends, until
 * every request is settled. The rules:
 *
 * 1. A call for exactly the filter of a request serves it as received, and the failure of the call is the request's own.
 * 2. Requests for the same time range are merged: one call asks for the union of their asset ids, in chunks. Where a
 *    request needs all assets, that call goes alone, and a second one asks for the assets that its response did not hold
 *    (the service might page silently). Different time ranges are never merged, because the specification leaves open
 *    whether the bounds belong to a range.
 * 3. The attributes of an asset come with any request for rows that asks for the asset anyway: its carriers. Only if none
 *    of them finds the asset does a call ask for it without a time range. Such calls wait until nothing else is running,
 *    so that they are merged too.
 * 4. If merging fails, each request that relied on the merged call gets calls of its own. Merging fails when a response
 *    holds an asset that its call did not ask for, or when the service rejects the request as such.
 *
 * An example. The operation selects the rows of assets `a` and `b` (1), the rows of `b` and `c` (2), and the attributes
 * of `c` (3), all of all time:
 *
 *     first run   (1) missing [a b]   (2) missing [b c]   (3) waiting, (2) carries it
 *                 -> one merged call [a b c]
 *     it ends with a response that holds a, b and c
 *     second run  (1) resolved, [a b] of the response     (2) resolved, [b c] of it    (3) resolved, [c] of it
 *                 -> no further call
 *
 *     or it ends with status 400
 *     second run  (1) missing [a b], isolated             (2) missing [b c], isolated  (3) waiting
 *                 -> two calls, [a b] and [b c]
 */

import { carriersOf, type Progress, type RequestState, type ResultsRequest, stateOf } from './request-state.ts';
import { chunksOf, type Filter, filterOf, type HeldAssets, type PlannedCall } from './results-calls.ts';

/** A request that no call covers yet, with the part of its filter that is missing. */
interface MissingRequest {
  readonly request: ResultsRequest;
  readonly missing: Filter;
}

/**
 * The calls to make now.
 *
 * @param pending the requests that are neither settled nor cancelled
 * @param isMerging whether calls may still be merged; if not, each request gets a call for its own filter
 */
export function nextCalls<R extends HeldAssets>(
  pending: readonly ResultsRequest[],
  progress: Progress<R>,
  isMerging: boolean,
): PlannedCall[] {
  const { calls, idsPerCall, carriers } = progress;
  const planned = new Map<string, PlannedCall>();
  const toMerge = new Map<string, MissingRequest[]>();
  const plan = (call: PlannedCall) => {
    const merged = call.merged || planned.get(call.filter.key)?.merged === true;
    planned.set(call.filter.key, { ...call, merged });
  };
  const add = (request: ResultsRequest, state: RequestState<R>) => {
    if (state.state !== 'missing') return;
    const { filter, isolated } = state;
    if (isolated === 'whole' || !isMerging) plan({ filter: request.filter, merged: false });
    else if (isolated === 'chunked') {
      // Long filters may have chunks in common.
      for (const call of ownCalls(filter, idsPerCall)) if (!calls.has(call.filter.key)) plan(call);
    } else {
      const group = toMerge.get(filter.rangeKey) ?? [];
      toMerge.set(filter.rangeKey, group);
      group.push({ missing: filter, request });
    }
  };

  for (const request of pending) if (request.kind === 'rows') add(request, stateOf(request, progress));
  const isRunning = calls.some((call) => call.outcome === undefined);
  const isIdle = !isRunning && planned.size === 0 && toMerge.size === 0;
  for (const request of pending) {
    if (request.kind !== 'attributes') continue;
    // Rule 3: attributes that should have come with other requests wait until those are done.
    const hasCarriers = carriersOf(request, carriers).length > 0;
    if (!hasCarriers || isIdle || toMerge.has('')) add(request, stateOf(request, progress));
  }
  for (const group of toMerge.values()) for (const call of mergedCalls(group, idsPerCall)) plan(call);
  return [...planned.values()];
}

/** Rule 2, for requests of one time range. */
function mergedCalls(group: readonly MissingRequest[], idsPerCall: number): PlannedCall[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const ofAllAssets = group.find(({ missing }) => missing.assetIds === undefined);
  if (ofAllAssets !== undefined) return [{ filter: ofAllAssets.missing, merged: others.length > 0 }];
  if (others.length === 0 && first.missing.key === first.request.filter.key) return ownCalls(first.missing, idsPerCall);
  const union = filterOf(
    group.flatMap(({ missing }) => [...(missing.assetIds ?? [])]),
    first.missing.timeRange,
  );
  return chunksOf(union, idsPerCall).map((filter) => ({ filter, merged: true }));
}

/** The calls for one request alone: one, or as many as its asset ids need. */
function ownCalls(filter: Filter, idsPerCall: number): PlannedCall[] {
  const chunks = chunksOf(filter, idsPerCall);
  if (chunks.length === 1) return [{ filter, merged: false }];
  return chunks.map((chunk) => ({ filter: chunk, merged: true }));
}
