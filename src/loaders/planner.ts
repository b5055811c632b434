/**
 * Plans the results calls (REST specification, section 4.3) of one dataset.
 *
 * One GraphQL operation may ask for the same dataset in many ways: filters under aliases, single assets, entity
 * references. One call for each would be as many POSTs. The planner merges them into the fewest calls that give the same
 * data. It is a pure function of the requests and of the calls so far:
 *
 *     requests, calls --plan--> the requests that are settled, the calls to abort, the calls to make
 *
 * It runs again whenever a request comes or goes and whenever a call ends, until every request is settled. The rules:
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
 *     first plan   (1) and (2) need calls, (3) waits for (2), its carrier
 *                  -> make one merged call [a b c]
 *     it ends with a response that holds a, b and c
 *     second plan  -> settle (1) with [a b] of the response, (2) with [b c] of it, (3) with [c] of it
 *
 *     or it ends with status 400
 *     second plan  -> make two calls, [a b] and [b c]
 */

import type { RestError } from '../rest/contract/rest-error.ts';
import type { CallIndex } from './filters.ts';
import { chunksOf, type Filter, filterOf } from './filters.ts';

/** What one GraphQL field or entity reference requests of a dataset's results. */
export interface Request<C> {
  /** `rows`: everything that the filter names. `attributes`: the attributes of the filter's one asset, from any time range. */
  readonly kind: 'rows' | 'attributes';
  readonly filter: Filter;
  /** Whether calls made for other requests may serve it. */
  readonly mergeable: boolean;
  /** Whether anyone waits for it. If not, it is cancelled. */
  readonly isWanted: boolean;
  /** What came of it. Later calls do not change it. */
  readonly settled: Settled<C> | undefined;
}

/** A call to make. */
export interface PlannedCall {
  readonly filter: Filter;
  /** Whether several requests use parts of its response, so that the response must hold no asset that it did not ask for. */
  readonly merged: boolean;
}

/** A call that was made. */
export interface MadeCall extends PlannedCall {
  /** Undefined while it is running. */
  readonly outcome: CallOutcome | undefined;
}

/** What came of a call: a response with these assets, or an error. */
export type CallOutcome =
  | {
      readonly assetIds: ReadonlySetLike<string>;
      /** Whether any of them was not asked for. */
      readonly hasUnrequestedAssets: boolean;
    }
  | { readonly error: RestError };

/** A call whose response serves a request: as received, or only these assets of it. */
export interface Part<C> {
  readonly call: C;
  readonly only?: ReadonlySet<string>;
}

/** What came of a request: its results are these parts, or it failed. */
export type Settled<C> =
  | { readonly state: 'resolved'; readonly parts: readonly Part<C>[] }
  | { readonly state: 'failed'; readonly error: RestError };

/**
 * How far a request is: settled; or the calls that serve it are running; or no call covers this filter yet. `isolated` says that
 * merging has failed for it: it needs calls of its own, in chunks, or one call for its whole filter.
 */
type State<C> =
  | Settled<C>
  | { readonly state: 'waiting' }
  | { readonly state: 'missing'; readonly filter: Filter; readonly isolated?: 'chunked' | 'whole' };

/** What is to be done now, in this order. */
export interface Plan<Q, C> {
  readonly settle: ReadonlyMap<Q, Settled<C>>;
  /** The running calls that no request needs. */
  readonly abort: readonly C[];
  readonly make: readonly PlannedCall[];
}

export interface PlanOptions {
  /** The maximum number of asset ids in a merged call. */
  readonly idsPerCall: number;
  /** Whether calls may serve several of so many requests; if not, each request gets a call for its own filter. */
  readonly mayMerge: (requests: number) => boolean;
}

/**
 * Plans.
 *
 * @param requests all so far, in the order asked
 * @param calls all so far but the aborted ones
 */
export function plan<C extends MadeCall, Q extends Request<C>>(
  requests: readonly Q[],
  calls: CallIndex<C>,
  options: PlanOptions,
): Plan<Q, C> {
  const states = new RequestStates(requests, calls, options.idsPerCall);
  const settle = new Map<Q, Settled<C>>();
  const pending: Q[] = [];
  for (const request of requests) {
    if (request.settled !== undefined) continue;
    const state = states.of(request);
    if (state.state === 'resolved' || state.state === 'failed') settle.set(request, state);
    else if (request.isWanted) pending.push(request);
  }
  const running = calls.filter(({ outcome }) => outcome === undefined);
  const needed = running.length === 0 ? undefined : states.callsFor(pending);
  const abort = running.filter((call) => needed?.has(call) === false);
  const make = pending.length === 0 ? [] : callsToMake(pending, states, running.length > abort.length, options);
  return { settle, abort, make };
}

/** @param isRunning whether any call is running that is not to be aborted */
function callsToMake<C extends MadeCall, Q extends Request<C>>(
  pending: readonly Q[],
  states: RequestStates<C, Q>,
  isRunning: boolean,
  { idsPerCall, mayMerge }: PlanOptions,
): PlannedCall[] {
  const planned = new Map<string, PlannedCall>();
  const toMerge = new Map<string, MissingFilter[]>();
  const isMerging = mayMerge(pending.length);
  const make = (call: PlannedCall) => {
    const merged = call.merged || planned.get(call.filter.key)?.merged === true;
    planned.set(call.filter.key, { ...call, merged });
  };
  const add = (request: Q) => {
    const state = states.of(request);
    if (state.state !== 'missing') return;
    const { filter, isolated } = state;
    if (isolated === 'whole' || !isMerging) make({ filter: request.filter, merged: false });
    else if (isolated === 'chunked') {
      // Long filters may have chunks in common.
      for (const call of ownCalls(filter, idsPerCall)) if (!states.hasCall(call.filter)) make(call);
    } else {
      const group = toMerge.get(filter.rangeKey) ?? [];
      toMerge.set(filter.rangeKey, group);
      group.push({ missing: filter, asked: request.filter });
    }
  };

  for (const request of pending) if (request.kind === 'rows') add(request);
  const isIdle = !isRunning && planned.size === 0 && toMerge.size === 0;
  for (const request of pending) {
    if (request.kind !== 'attributes') continue;
    // Rule 3: attributes that should have come with other requests wait until those are done.
    if (states.carriersOf(request).length === 0 || isIdle || toMerge.has('')) add(request);
  }
  for (const group of toMerge.values()) for (const call of mergedCalls(group, idsPerCall)) make(call);
  return [...planned.values()];
}

/** What no call covers yet of a filter that was asked for. */
interface MissingFilter {
  readonly missing: Filter;
  readonly asked: Filter;
}

/** Rule 2, for requests of one time range. */
function mergedCalls(group: readonly MissingFilter[], idsPerCall: number): PlannedCall[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const ofAllAssets = group.find(({ missing }) => missing.assetIds === undefined);
  if (ofAllAssets !== undefined) return [{ filter: ofAllAssets.missing, merged: others.length > 0 }];
  if (others.length === 0 && first.missing.key === first.asked.key) return ownCalls(first.missing, idsPerCall);
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

/** How far each request is, given the calls so far. */
export class RequestStates<C extends MadeCall, Q extends Request<C>> {
  readonly #calls: CallIndex<C>;
  readonly #idsPerCall: number;
  /** The requests for rows that are not cancelled, by the assets that they ask for. They carry attributes along (rule 3). */
  readonly #carriers = new Map<string, Q[]>();
  readonly #carriersOfAll: Q[] = [];
  /** Many requests look at the same carrier. */
  readonly #known = new Map<Q, State<C>>();

  constructor(requests: readonly Q[], calls: CallIndex<C>, idsPerCall: number) {
    this.#calls = calls;
    this.#idsPerCall = idsPerCall;
    for (const request of requests) {
      if (request.kind !== 'rows' || (request.settled === undefined && !request.isWanted)) continue;
      if (request.filter.assetIds === undefined) this.#carriersOfAll.push(request);
      for (const assetId of request.filter.assetIds ?? []) {
        const carriers = this.#carriers.get(assetId);
        if (carriers === undefined) this.#carriers.set(assetId, [request]);
        else carriers.push(request);
      }
    }
  }

  of(request: Q): State<C> {
    const known = request.settled ?? this.#known.get(request);
    if (known !== undefined) return known;
    const { kind, filter, mergeable } = request;
    const state = kind === 'rows' ? this.#ofFilter(filter, mergeable) : this.#ofAttributes(request);
    this.#known.set(request, state);
    return state;
  }

  /** The requests that ask for an asset anyway: by its id, or else, where calls may be merged, by asking for all assets. */
  carriersOf({ filter, mergeable }: Q): readonly Q[] {
    const [assetId = ''] = filter.assetIds ?? [];
    return this.#carriers.get(assetId) ?? (mergeable ? this.#carriersOfAll : []);
  }

  /** Whether a call for exactly this filter was made. */
  hasCall({ key }: Filter): boolean {
    return this.#calls.has(key);
  }

  /** The calls that serve the requests or may do so, those for their carriers included. */
  callsFor(requests: readonly Q[]): Set<C> {
    const served = new Set<Q>();
    for (const request of requests) {
      served.add(request);
      if (request.kind === 'attributes') for (const carrier of this.carriersOf(request)) served.add(carrier);
    }
    const calls = new Set<C>();
    for (const { filter } of served) for (const call of this.#calls.overlapping(filter)) calls.add(call);
    return calls;
  }

  #ofFilter(filter: Filter, mergeable: boolean): State<C> {
    const calls = this.#calls;
    const own = calls.get(filter.key);
    if (own !== undefined) return stateOfOwn([own]);
    if (!mergeable) return { state: 'missing', filter, isolated: 'whole' };
    if (filter.assetIds === undefined) return { state: 'missing', filter };
    const chunks = chunksOf(filter, this.#idsPerCall).map(({ key }) => calls.get(key));
    const made = chunks.filter((call) => call !== undefined);
    if (made.length < chunks.length) return this.#ofMerged(filter, filter.assetIds, made);
    return made.some(heldUnrequested) ? { state: 'missing', filter, isolated: 'whole' } : stateOfOwn(made);
  }

  /** A filter that is joined from calls made for others too. @param chunks the calls for chunks of it */
  #ofMerged(filter: Filter, assetIds: ReadonlySet<string>, chunks: readonly C[]): State<C> {
    const merged = this.#calls.overlapping(filter);

    // Rule 4.
    if (merged.some((call) => call.merged && heldUnrequested(call)))
      return { state: 'missing', filter, isolated: 'whole' };
    if (merged.some(failedAsRequest)) {
      // What a chunk of its own has failed with is its own failure. The other chunks need not be asked for.
      const own = stateOfOwn(chunks);
      return own.state === 'failed' ? own : { state: 'missing', filter, isolated: 'chunked' };
    }

    const found = new Map<C, Set<string>>();
    const missing: string[] = [];
    let isWaiting = false;
    for (const assetId of assetIds) {
      const finding = findAsset(assetId, this.#calls.asking(filter.rangeKey, assetId), found);
      if (finding === 'missing') missing.push(assetId);
      else if (finding === 'waiting') isWaiting = true;
      else if (finding !== 'found') return { state: 'failed', error: finding };
    }
    if (missing.length > 0) return { state: 'missing', filter: filterOf(missing, filter.timeRange) };
    if (isWaiting) return { state: 'waiting' };
    const parts: Part<C>[] = [];
    for (const call of merged) {
      const only = found.get(call);
      if (only !== undefined) parts.push({ call, only });
    }
    return { state: 'resolved', parts };
  }

  /** Rule 3. */
  #ofAttributes(request: Q): State<C> {
    const only = request.filter.assetIds ?? new Set();
    const parts: Part<C>[] = [];
    let isFound = false;
    let isAskedForAllTime = false;
    let error: RestError | undefined;
    for (const carrier of this.carriersOf(request)) {
      const { assetIds, timeRange } = carrier.filter;
      const state = this.of(carrier);
      if (state.state === 'waiting' || state.state === 'missing') return { state: 'waiting' };
      if (state.state === 'failed') {
        // Rule 4: an HTTP error for a request that names more than this asset tells nothing about this asset.
        if (!state.error.concernsRequest || assetIds?.size === 1) error ??= state.error;
        continue;
      }
      isAskedForAllTime ||= timeRange === undefined && assetIds !== undefined;
      const own = state.parts.map(({ call }) => ({ call, only }));
      const isHeld = own.some(({ call }) => !only.isDisjointFrom(idsIn(call)));
      // Results of all time hold every version of the asset.
      if (isHeld && timeRange === undefined) return { state: 'resolved', parts: own };
      isFound ||= isHeld;
      parts.push(...own);
    }
    if (isFound) return { state: 'resolved', parts };
    if (error !== undefined) return { state: 'failed', error };
    if (isAskedForAllTime) return { state: 'resolved', parts };
    return this.#ofFilter(request.filter, request.mergeable);
  }
}

/** Rule 1: a filter's own call, or the calls for its chunks. */
function stateOfOwn<C extends MadeCall>(own: readonly C[]): State<C> {
  const error = own.map(errorOf).find((each) => each !== undefined);
  if (error !== undefined) return { state: 'failed', error };
  if (own.some(({ outcome }) => outcome === undefined)) return { state: 'waiting' };
  return { state: 'resolved', parts: own.map((call) => ({ call })) };
}

/**
 * Looks for one asset in the calls that ask for it, and adds it to the calls that hold it. An asset that a call asked for
 * by its id is found also where the response lacks it: the service reported no such asset.
 *
 * @param found the calls that have a response, with the assets that were found in it
 */
function findAsset<C extends MadeCall>(
  assetId: string,
  calls: readonly C[],
  found: Map<C, Set<string>>,
): 'found' | 'waiting' | 'missing' | RestError {
  let isWaiting = false;
  let isReported = false;
  let error: RestError | undefined;
  for (const call of calls) {
    const { outcome } = call;
    if (outcome === undefined) isWaiting = true;
    else if ('error' in outcome) error ??= outcome.error;
    else if (!outcome.hasUnrequestedAssets) {
      const held = found.get(call) ?? new Set<string>();
      found.set(call, held);
      if (outcome.assetIds.has(assetId)) {
        held.add(assetId);
        return 'found';
      }
      isReported ||= call.filter.assetIds !== undefined;
    }
  }
  if (isReported) return 'found';
  if (isWaiting) return 'waiting';
  return error ?? 'missing';
}

const noIds: ReadonlySetLike<string> = new Set<string>();

function idsIn({ outcome }: MadeCall): ReadonlySetLike<string> {
  return outcome !== undefined && 'assetIds' in outcome ? outcome.assetIds : noIds;
}

function errorOf({ outcome }: MadeCall): RestError | undefined {
  return outcome !== undefined && 'error' in outcome ? outcome.error : undefined;
}

function heldUnrequested({ outcome }: MadeCall): boolean {
  return outcome !== undefined && 'assetIds' in outcome && outcome.hasUnrequestedAssets;
}

function failedAsRequest(call: MadeCall): boolean {
  return errorOf(call)?.concernsRequest === true;
}

/**
 * Whether a response holds an asset that its call did not ask for. Then the service reads asset ids in another way than
 * the specification says, and a merged call would give one request the data of another.
 */
export function hasUnrequestedAssets({ assetIds }: Filter, held: ReadonlySetLike<string>): boolean {
  return assetIds !== undefined && !assetIds.isSupersetOf(held);
}
