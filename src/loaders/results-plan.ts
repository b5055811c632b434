/**
 * Which results calls (REST specification, section 4.3) one dataset needs, and which call answers which request.
 *
 * One GraphQL operation may ask for the same dataset in many ways: filters under aliases, single assets, entity
 * references. Asked for one by one they would be as many POSTs. Here they become the fewest that give the same data:
 *
 *     requests  --nextCalls-->  calls  --(made and answered)-->  calls  --read-->  what each request gets
 *
 * Everything in this file is a pure function of the requests and of the calls made so far; it is run again whenever a
 * call has ended, until every request is answered. The rules:
 *
 * 1. A call that asks for exactly what a request asks for answers it as received, and its failure is the request's own.
 * 2. Requests for the same time range are put together: the union of their asset ids, cut into chunks; where a call
 *    without asset ids is needed anyway, that call alone, and then one for the assets that it did not hold (the
 *    service might page silently). Different time ranges are never put together, because the specification leaves
 *    open whether the bounds belong to a range.
 * 3. An asset's attributes come with any request that asks for the asset anyway; only where none of these finds it is it
 *    asked for without a time range. Such calls wait until nothing else is under way, so that they too are one.
 * 4. What goes wrong with a shared call is undone: when its answer holds an asset that it did not ask for, or the
 *    service refused the request as such, each request that relied on it is asked for apart.
 */

import type { TimeRange } from '../rest/client.ts';
import type { RestError } from '../rest/errors.ts';
import type { CallIndex } from './call-index.ts';

/** A results filter in a form in which filters are compared: `key` is equal exactly for identical filters. */
export interface Filter {
  readonly key: string;
  readonly timeRange: TimeRange | undefined;
  /** Equal exactly for identical time ranges. */
  readonly rangeKey: string;
  /** Without repetitions; undefined for all assets. */
  readonly assetIds: ReadonlySet<string> | undefined;
}

/** What one GraphQL field or entity reference requests of a dataset's results. */
export interface ResultsRequest {
  /** `rows`: everything that the filter names. `attributes`: the attributes of the filter's one asset, from any time range. */
  readonly kind: 'rows' | 'attributes';
  readonly filter: Filter;
  /** Whether it may be answered by calls made for others. */
  readonly sharing: boolean;
}

/** A call to make. */
export interface PlannedCall {
  readonly filter: Filter;
  /** Whether its answer will be taken apart or joined, so that it may hold nothing that it did not ask for. */
  readonly shared: boolean;
}

/** What an answer must tell so that it can be shared. */
export interface Answered {
  /** The ids of the assets that it holds. */
  readonly assetIds: ReadonlySetLike<string>;
}

/** A call that was made, and how it has ended, once it has. */
export interface MadeCall<A extends Answered> extends PlannedCall {
  readonly outcome: Answer<A> | { readonly error: RestError } | undefined;
}

/** How a call has ended that was answered. */
export interface Answer<A extends Answered> {
  readonly answer: A;
  /** Whether the answer holds an asset that the call did not ask for. */
  readonly hasUnrequestedAssets: boolean;
}

/** One of the answers that a request is put together from: as received, or these assets of it. */
export interface Part<A extends Answered> {
  readonly answer: A;
  readonly only?: ReadonlySet<string>;
}

/** How far a request is. `missing` names the filter that is still to be asked for on its behalf. */
export type Reading<A extends Answered> =
  | { readonly state: 'answered'; readonly parts: readonly Part<A>[] }
  | { readonly state: 'failed'; readonly error: RestError }
  | { readonly state: 'waiting' }
  | { readonly state: 'missing'; readonly filter: Filter; readonly apart?: 'chunked' | 'whole' };

/** Requests for rows by what they ask for: with these, attributes come along (rule 3). */
export interface Carriers {
  readonly ofAsset: ReadonlyMap<string, readonly ResultsRequest[]>;
  readonly ofAllAssets: readonly ResultsRequest[];
}

/** The state of one dataset's results within one GraphQL operation. */
export interface Progress<A extends Answered> {
  /** Of every request so far, answered ones included, but without those that were given up. */
  readonly carriers: Carriers;
  /** How the requests were read that are answered or have failed: what is asked for on behalf of others changes it no more. */
  readonly ended: ReadonlyMap<ResultsRequest, Reading<A>>;
  /** Every call so far. */
  readonly calls: CallIndex<MadeCall<A>>;
  /** The most asset ids in one call, where calls may be shared. */
  readonly idsPerCall: number;
  /** How the other requests were read since the last call was made or has ended: many may look at the same one. */
  readonly readings: Map<ResultsRequest, Reading<A>>;
}

/** Sorts requests once, since every request for attributes looks for its carriers again and again. */
export function carriersAmong(requests: readonly ResultsRequest[]): Carriers {
  const ofAsset = new Map<string, ResultsRequest[]>();
  const ofAllAssets: ResultsRequest[] = [];
  for (const request of requests) {
    if (request.kind !== 'rows') continue;
    if (request.filter.assetIds === undefined) ofAllAssets.push(request);
    for (const assetId of request.filter.assetIds ?? []) append(ofAsset, assetId, request);
  }
  return { ofAsset, ofAllAssets };
}

/** A filter in its comparable form. */
export function filterOf(assetIds: Iterable<string> | undefined, timeRange: TimeRange | undefined): Filter {
  const ids = assetIds === undefined ? undefined : new Set(assetIds);
  const rangeKey = timeRange === undefined ? '' : `${timeRange.start ?? ''}..${timeRange.stop ?? ''}`;
  return { key: JSON.stringify([rangeKey, ids && [...ids]]), timeRange, rangeKey, assetIds: ids };
}

/**
 * Whether an answer holds an asset that its call did not ask for. If it does, the service reads asset ids in another
 * way than the specification says, and a shared call would hand one request's data to another.
 */
export function hasUnrequestedAssets({ assetIds }: Filter, answer: Answered): boolean {
  return assetIds !== undefined && !assetIds.isSupersetOf(answer.assetIds);
}

/**
 * The calls to make now, for requests that are neither answered nor given up.
 *
 * @param sharing whether calls may still be shared at all; if not, each filter is asked for as it is
 */
export function nextCalls<A extends Answered>(
  open: readonly ResultsRequest[],
  progress: Progress<A>,
  sharing: boolean,
): PlannedCall[] {
  const { calls, idsPerCall } = progress;
  const planned = new Map<string, PlannedCall>();
  const together = new Map<string, { missing: Filter; request: ResultsRequest }[]>();
  const plan = (call: PlannedCall) => {
    const shared = call.shared || planned.get(call.filter.key)?.shared === true;
    planned.set(call.filter.key, { ...call, shared });
  };
  const add = (request: ResultsRequest, reading: Reading<A>) => {
    if (reading.state !== 'missing') return;
    const { filter, apart } = reading;
    if (apart === 'whole' || !sharing) plan({ filter: request.filter, shared: false });
    else if (apart === 'chunked') {
      // Long filters may have chunks in common.
      for (const call of ownCalls(filter, idsPerCall)) if (!calls.has(call.filter.key)) plan(call);
    } else append(together, filter.rangeKey, { missing: filter, request });
  };

  for (const request of open) if (request.kind === 'rows') add(request, read(request, progress));
  const underWay = calls.some((call) => call.outcome === undefined);
  const nothingElse = !underWay && planned.size === 0 && together.size === 0;
  for (const request of open) {
    if (request.kind !== 'attributes') continue;
    // Rule 3: attributes that should have come with other requests are asked for when those are done.
    const comesWithOthers = carriersOf(request, progress.carriers).length > 0;
    if (!comesWithOthers || nothingElse || together.has('')) add(request, read(request, progress));
  }
  for (const group of together.values()) for (const call of sharedCalls(group, idsPerCall)) plan(call);
  return [...planned.values()];
}

/** How far a request is. */
export function read<A extends Answered>(request: ResultsRequest, progress: Progress<A>): Reading<A> {
  const known = progress.ended.get(request) ?? progress.readings.get(request);
  if (known !== undefined) return known;
  const reading =
    request.kind === 'rows' ? readFilter(request.filter, request.sharing, progress) : readAttributes(request, progress);
  progress.readings.set(request, reading);
  return reading;
}

/** The calls that have answered the requests or may do so, those for carriers of theirs included. */
export function callsFor<A extends Answered>(
  requests: readonly ResultsRequest[],
  progress: Progress<A>,
): Set<MadeCall<A>> {
  const askers = new Set<ResultsRequest>();
  for (const request of requests) {
    askers.add(request);
    if (request.kind === 'attributes')
      for (const carrier of carriersOf(request, progress.carriers)) askers.add(carrier);
  }
  const calls = new Set<MadeCall<A>>();
  for (const { filter } of askers) for (const call of progress.calls.overlapping(filter)) calls.add(call);
  return calls;
}

/** Rule 2, for requests of one time range. */
function sharedCalls(
  group: readonly { missing: Filter; request: ResultsRequest }[],
  idsPerCall: number,
): PlannedCall[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const unfiltered = group.find(({ missing }) => missing.assetIds === undefined);
  if (unfiltered !== undefined) return [{ filter: unfiltered.missing, shared: others.length > 0 }];
  if (others.length === 0 && first.missing.key === first.request.filter.key) return ownCalls(first.missing, idsPerCall);
  const union = filterOf(
    group.flatMap(({ missing }) => [...(missing.assetIds ?? [])]),
    first.missing.timeRange,
  );
  return chunksOf(union, idsPerCall).map((filter) => ({ filter, shared: true }));
}

/** The calls for one request alone: one, or as many as its asset ids need. */
function ownCalls(filter: Filter, idsPerCall: number): PlannedCall[] {
  const chunks = chunksOf(filter, idsPerCall);
  if (chunks.length === 1) return [{ filter, shared: false }];
  return chunks.map((chunk) => ({ filter: chunk, shared: true }));
}

function chunksOf(filter: Filter, idsPerCall: number): Filter[] {
  if (filter.assetIds === undefined || filter.assetIds.size <= idsPerCall) return [filter];
  const ids = [...filter.assetIds];
  const chunks: Filter[] = [];
  for (let start = 0; start < ids.length; start += idsPerCall) {
    chunks.push(filterOf(ids.slice(start, start + idsPerCall), filter.timeRange));
  }
  return chunks;
}

function readFilter<A extends Answered>(
  filter: Filter,
  sharing: boolean,
  { calls, idsPerCall }: Progress<A>,
): Reading<A> {
  const own = calls.get(filter.key);
  if (own !== undefined) return readOwn([own]);
  if (!sharing) return { state: 'missing', filter, apart: 'whole' };
  if (filter.assetIds === undefined) return { state: 'missing', filter };
  const chunks = chunksOf(filter, idsPerCall).map(({ key }) => calls.get(key));
  if (chunks.every((call) => call !== undefined)) {
    return chunks.some(tookTooMuch) ? { state: 'missing', filter, apart: 'whole' } : readOwn(chunks);
  }
  return readShared(filter, filter.assetIds, calls);
}

/** Rule 1: a filter's own call, or the chunks of it. */
function readOwn<A extends Answered>(own: readonly MadeCall<A>[]): Reading<A> {
  const parts: Part<A>[] = [];
  let waiting = false;
  for (const { outcome } of own) {
    if (outcome === undefined) waiting = true;
    else if ('error' in outcome) return { state: 'failed', error: outcome.error };
    else parts.push({ answer: outcome.answer });
  }
  return waiting ? { state: 'waiting' } : { state: 'answered', parts };
}

/** A filter that is put together from calls made for others too. */
function readShared<A extends Answered>(
  filter: Filter,
  assetIds: ReadonlySet<string>,
  calls: CallIndex<MadeCall<A>>,
): Reading<A> {
  const shared = calls.overlapping(filter);

  // Rule 4.
  if (shared.some((call) => call.shared && tookTooMuch(call))) return { state: 'missing', filter, apart: 'whole' };
  if (shared.some(wasRefused)) return { state: 'missing', filter, apart: 'chunked' };

  const found = new Map<MadeCall<A>, Set<string>>();
  const missing: string[] = [];
  let waiting = false;
  for (const assetId of assetIds) {
    const finding = find(assetId, calls.asking(filter.rangeKey, assetId), found);
    if (finding === 'missing') missing.push(assetId);
    else if (finding === 'waiting') waiting = true;
    else if (finding !== 'found') return { state: 'failed', error: finding };
  }
  if (missing.length > 0) return { state: 'missing', filter: filterOf(missing, filter.timeRange) };
  if (waiting) return { state: 'waiting' };
  const parts: Part<A>[] = [];
  for (const call of shared) {
    const only = found.get(call);
    if (only !== undefined && call.outcome !== undefined && 'answer' in call.outcome) {
      parts.push({ answer: call.outcome.answer, only });
    }
  }
  return { state: 'answered', parts };
}

/**
 * Looks for one asset in the calls that ask for it, and notes the calls that told something of it. An asset that a
 * call asked for by its id is found also where the answer lacks it: the service reported none.
 */
function find<A extends Answered>(
  assetId: string,
  calls: readonly MadeCall<A>[],
  found: Map<MadeCall<A>, Set<string>>,
): 'found' | 'waiting' | 'missing' | RestError {
  let waiting = false;
  let reported = false;
  let error: RestError | undefined;
  for (const call of calls) {
    const { outcome } = call;
    if (outcome === undefined) waiting = true;
    else if ('error' in outcome) error ??= outcome.error;
    else if (!tookTooMuch(call)) {
      const held = found.get(call) ?? new Set<string>();
      found.set(call, held);
      if (outcome.answer.assetIds.has(assetId)) {
        held.add(assetId);
        return 'found';
      }
      reported ||= call.filter.assetIds !== undefined;
    }
  }
  if (waiting) return 'waiting';
  if (reported) return 'found';
  return error ?? 'missing';
}

/** Rule 3. */
function readAttributes<A extends Answered>(request: ResultsRequest, progress: Progress<A>): Reading<A> {
  const only = request.filter.assetIds ?? new Set();
  const carriers = carriersOf(request, progress.carriers);
  const parts: Part<A>[] = [];
  let found = false;
  let askedInAllTime = false;
  let error: RestError | undefined;
  for (const carrier of carriers) {
    const { assetIds, timeRange } = carrier.filter;
    const reading = read(carrier, progress);
    if (reading.state === 'waiting' || reading.state === 'missing') return { state: 'waiting' };
    if (reading.state === 'failed') {
      // Rule 4: that a request for more than this asset was refused says nothing of this one.
      if (!reading.error.concernsRequest || assetIds?.size === 1) error ??= reading.error;
      continue;
    }
    askedInAllTime ||= timeRange === undefined && assetIds !== undefined;
    const own = reading.parts.map(({ answer }) => ({ answer, only }));
    const holds = own.some(({ answer }) => !only.isDisjointFrom(answer.assetIds));
    // All time is where the asset stands with every version that it has.
    if (holds && timeRange === undefined) return { state: 'answered', parts: own };
    found ||= holds;
    parts.push(...own);
  }
  if (found) return { state: 'answered', parts };
  if (error !== undefined) return { state: 'failed', error };
  if (askedInAllTime) return { state: 'answered', parts };
  return readFilter(request.filter, request.sharing, progress);
}

/** The requests that ask for an asset anyway: by its id, or else, where calls may be merged, by asking for all assets. */
function carriersOf(request: ResultsRequest, { ofAsset, ofAllAssets }: Carriers): readonly ResultsRequest[] {
  const [assetId = ''] = request.filter.assetIds ?? [];
  return ofAsset.get(assetId) ?? (request.sharing ? ofAllAssets : []);
}

function tookTooMuch<A extends Answered>({ outcome }: MadeCall<A>): boolean {
  return outcome !== undefined && 'answer' in outcome && outcome.hasUnrequestedAssets;
}

function wasRefused<A extends Answered>(call: MadeCall<A>): boolean {
  return call.outcome !== undefined && 'error' in call.outcome && call.outcome.error.concernsRequest;
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
