/**
 * How far a request is, given the calls made so far. A pure function of both; results-plan.ts has the rules and an example.
 */

import type { RestError } from '../rest/contract/rest-error.ts';
import type { ResultsResponse } from '../results/results.ts';
import type { CallIndex } from './call-index.ts';
import { chunksOf, type Filter, filterOf, type HeldAssets, type MadeCall } from './results-calls.ts';

/** What one GraphQL field or entity reference requests of a dataset's results. */
export interface ResultsRequest {
  /** `rows`: everything that the filter names. `attributes`: the attributes of the filter's one asset, from any time range. */
  readonly kind: 'rows' | 'attributes';
  readonly filter: Filter;
  /** Whether calls made for other requests may serve it. Known when it is planned. */
  mergeable: boolean;
}

/** Equal for requests with the same results. */
export function keyOf({ kind, filter }: ResultsRequest): string {
  return `${kind} ${filter.key}`;
}

/** A response that serves a request: as received, or only these assets of it. */
export interface Part<R extends HeldAssets> {
  readonly response: R;
  readonly only?: ReadonlySet<string>;
}

/** The responses that serve a request. */
export type Parts = readonly Part<ResultsResponse>[];

/**
 * How far a request is:
 * - `resolved`: these parts are its results;
 * - `failed`: with this error;
 * - `waiting`: the calls that serve it are running;
 * - `missing`: no call covers this filter yet. `isolated` says that merging has failed for it: it needs calls of its own,
 *   in chunks, or one call for its whole filter.
 */
export type RequestState<R extends HeldAssets> =
  | { readonly state: 'resolved'; readonly parts: readonly Part<R>[] }
  | { readonly state: 'failed'; readonly error: RestError }
  | { readonly state: 'waiting' }
  | { readonly state: 'missing'; readonly filter: Filter; readonly isolated?: 'chunked' | 'whole' };

/** The requests for rows, by the assets that they ask for. They carry attributes along (rule 3). */
export interface Carriers {
  readonly ofAsset: ReadonlyMap<string, readonly ResultsRequest[]>;
  readonly ofAllAssets: readonly ResultsRequest[];
}

/** The state of one dataset's results within one GraphQL operation. */
export interface Progress<R extends HeldAssets> {
  /** Among all requests so far, settled ones included, cancelled ones not. */
  readonly carriers: Carriers;
  /** The settled requests: resolved or failed. Later calls do not change their state. */
  readonly settled: ReadonlyMap<ResultsRequest, RequestState<R>>;
  /** Every call so far. */
  readonly calls: CallIndex<MadeCall<R>>;
  /** The maximum number of asset ids in a merged call. */
  readonly idsPerCall: number;
  /** The states of other requests, computed since the last call was made or ended: many requests look at the same carrier. */
  readonly states: Map<ResultsRequest, RequestState<R>>;
}

/** Indexes requests for rows once, because every request for attributes looks for its carriers again and again. */
export function carriersAmong(requests: readonly ResultsRequest[]): Carriers {
  const ofAsset = new Map<string, ResultsRequest[]>();
  const ofAllAssets: ResultsRequest[] = [];
  for (const request of requests) {
    if (request.kind !== 'rows') continue;
    if (request.filter.assetIds === undefined) ofAllAssets.push(request);
    for (const assetId of request.filter.assetIds ?? []) {
      const carriers = ofAsset.get(assetId);
      if (carriers === undefined) ofAsset.set(assetId, [request]);
      else carriers.push(request);
    }
  }
  return { ofAsset, ofAllAssets };
}

/** The requests that ask for an asset anyway: by its id, or else, where calls may be merged, by asking for all assets. */
export function carriersOf(request: ResultsRequest, { ofAsset, ofAllAssets }: Carriers): readonly ResultsRequest[] {
  const [assetId = ''] = request.filter.assetIds ?? [];
  return ofAsset.get(assetId) ?? (request.mergeable ? ofAllAssets : []);
}

/** How far a request is. */
export function stateOf<R extends HeldAssets>(request: ResultsRequest, progress: Progress<R>): RequestState<R> {
  const known = progress.settled.get(request) ?? progress.states.get(request);
  if (known !== undefined) return known;
  const state =
    request.kind === 'rows'
      ? stateOfFilter(request.filter, request.mergeable, progress)
      : stateOfAttributes(request, progress);
  progress.states.set(request, state);
  return state;
}

/** The calls that serve the requests or may do so, those for their carriers included. */
export function callsFor<R extends HeldAssets>(
  requests: readonly ResultsRequest[],
  progress: Progress<R>,
): Set<MadeCall<R>> {
  const served = new Set<ResultsRequest>();
  for (const request of requests) {
    served.add(request);
    if (request.kind === 'attributes') {
      for (const carrier of carriersOf(request, progress.carriers)) served.add(carrier);
    }
  }
  const calls = new Set<MadeCall<R>>();
  for (const { filter } of served) for (const call of progress.calls.overlapping(filter)) calls.add(call);
  return calls;
}

function stateOfFilter<R extends HeldAssets>(
  filter: Filter,
  mergeable: boolean,
  { calls, idsPerCall }: Progress<R>,
): RequestState<R> {
  const own = calls.get(filter.key);
  if (own !== undefined) return stateOfOwnCalls([own]);
  if (!mergeable) return { state: 'missing', filter, isolated: 'whole' };
  if (filter.assetIds === undefined) return { state: 'missing', filter };
  const chunks = chunksOf(filter, idsPerCall).map(({ key }) => calls.get(key));
  if (chunks.every((call) => call !== undefined)) {
    return chunks.some(heldUnrequested) ? { state: 'missing', filter, isolated: 'whole' } : stateOfOwnCalls(chunks);
  }
  return stateOfMerged(filter, filter.assetIds, calls);
}

/** Rule 1: a filter's own call, or the calls for its chunks. */
function stateOfOwnCalls<R extends HeldAssets>(own: readonly MadeCall<R>[]): RequestState<R> {
  const parts: Part<R>[] = [];
  let isWaiting = false;
  for (const { outcome } of own) {
    if (outcome === undefined) isWaiting = true;
    else if ('error' in outcome) return { state: 'failed', error: outcome.error };
    else parts.push({ response: outcome.response });
  }
  return isWaiting ? { state: 'waiting' } : { state: 'resolved', parts };
}

/** A filter that is joined from calls made for others too. */
function stateOfMerged<R extends HeldAssets>(
  filter: Filter,
  assetIds: ReadonlySet<string>,
  calls: CallIndex<MadeCall<R>>,
): RequestState<R> {
  const merged = calls.overlapping(filter);

  // Rule 4.
  if (merged.some((call) => call.merged && heldUnrequested(call))) {
    return { state: 'missing', filter, isolated: 'whole' };
  }
  if (merged.some(failedAsRequest)) return { state: 'missing', filter, isolated: 'chunked' };

  const found = new Map<MadeCall<R>, Set<string>>();
  const missing: string[] = [];
  let isWaiting = false;
  for (const assetId of assetIds) {
    const finding = findAsset(assetId, calls.asking(filter.rangeKey, assetId), found);
    if (finding === 'missing') missing.push(assetId);
    else if (finding === 'waiting') isWaiting = true;
    else if (finding !== 'found') return { state: 'failed', error: finding };
  }
  if (missing.length > 0) return { state: 'missing', filter: filterOf(missing, filter.timeRange) };
  if (isWaiting) return { state: 'waiting' };
  const parts: Part<R>[] = [];
  for (const call of merged) {
    const only = found.get(call);
    if (only !== undefined && call.outcome !== undefined && 'response' in call.outcome) {
      parts.push({ response: call.outcome.response, only });
    }
  }
  return { state: 'resolved', parts };
}

/**
 * Looks for one asset in the calls that ask for it, and adds it to the calls that hold it. An asset that a call asked for
 * by its id is found also where the response lacks it: the service reported no such asset.
 */
function findAsset<R extends HeldAssets>(
  assetId: string,
  calls: readonly MadeCall<R>[],
  found: Map<MadeCall<R>, Set<string>>,
): 'found' | 'waiting' | 'missing' | RestError {
  let isWaiting = false;
  let isReported = false;
  let error: RestError | undefined;
  for (const call of calls) {
    const { outcome } = call;
    if (outcome === undefined) isWaiting = true;
    else if ('error' in outcome) error ??= outcome.error;
    else if (!heldUnrequested(call)) {
      const held = found.get(call) ?? new Set<string>();
      found.set(call, held);
      if (outcome.response.assetIds.has(assetId)) {
        held.add(assetId);
        return 'found';
      }
      isReported ||= call.filter.assetIds !== undefined;
    }
  }
  if (isWaiting) return 'waiting';
  if (isReported) return 'found';
  return error ?? 'missing';
}

/** Rule 3. */
function stateOfAttributes<R extends HeldAssets>(request: ResultsRequest, progress: Progress<R>): RequestState<R> {
  const only = request.filter.assetIds ?? new Set();
  const parts: Part<R>[] = [];
  let isFound = false;
  let isAskedForAllTime = false;
  let error: RestError | undefined;
  for (const carrier of carriersOf(request, progress.carriers)) {
    const { assetIds, timeRange } = carrier.filter;
    const state = stateOf(carrier, progress);
    if (state.state === 'waiting' || state.state === 'missing') return { state: 'waiting' };
    if (state.state === 'failed') {
      // Rule 4: an HTTP error for a request that names more than this asset tells nothing about this asset.
      if (!state.error.concernsRequest || assetIds?.size === 1) error ??= state.error;
      continue;
    }
    isAskedForAllTime ||= timeRange === undefined && assetIds !== undefined;
    const own = state.parts.map(({ response }) => ({ response, only }));
    const isHeld = own.some(({ response }) => !only.isDisjointFrom(response.assetIds));
    // Results of all time hold every version of the asset.
    if (isHeld && timeRange === undefined) return { state: 'resolved', parts: own };
    isFound ||= isHeld;
    parts.push(...own);
  }
  if (isFound) return { state: 'resolved', parts };
  if (error !== undefined) return { state: 'failed', error };
  if (isAskedForAllTime) return { state: 'resolved', parts };
  return stateOfFilter(request.filter, request.mergeable, progress);
}

function heldUnrequested<R extends HeldAssets>({ outcome }: MadeCall<R>): boolean {
  return outcome !== undefined && 'response' in outcome && outcome.hasUnrequestedAssets;
}

function failedAsRequest<R extends HeldAssets>({ outcome }: MadeCall<R>): boolean {
  return outcome !== undefined && 'error' in outcome && outcome.error.concernsRequest;
}
