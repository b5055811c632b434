import type { RestError } from '../rest/contract/rest-error.ts';
import type { TimeRange } from '../rest/contract/wire.ts';

/**
 * A results filter in a form in which filters are compared. The filter of the assets `a` and `b` from 0 on:
 *
 *     { key: '["0..",["a","b"]]', rangeKey: '0..', timeRange: { start: 0n }, assetIds: Set { 'a', 'b' } }
 */
export interface Filter {
  /** Equal exactly for identical filters. */
  readonly key: string;
  readonly timeRange: TimeRange | undefined;
  /** Equal exactly for identical time ranges. */
  readonly rangeKey: string;
  /** Without duplicates; undefined for all assets. */
  readonly assetIds: ReadonlySet<string> | undefined;
}

/** Makes a filter comparable. */
export function filterOf(assetIds: Iterable<string> | undefined, timeRange: TimeRange | undefined): Filter {
  const ids = assetIds === undefined ? undefined : new Set(assetIds);
  const rangeKey = timeRange === undefined ? '' : `${timeRange.start ?? ''}..${timeRange.stop ?? ''}`;
  return { key: JSON.stringify([rangeKey, ids && [...ids]]), timeRange, rangeKey, assetIds: ids };
}

/** Splits a filter into chunks of at most `idsPerCall` asset ids. A smaller filter is its only chunk. */
export function chunksOf(filter: Filter, idsPerCall: number): Filter[] {
  if (filter.assetIds === undefined || filter.assetIds.size <= idsPerCall) return [filter];
  const ids = [...filter.assetIds];
  const chunks: Filter[] = [];
  for (let start = 0; start < ids.length; start += idsPerCall) {
    chunks.push(filterOf(ids.slice(start, start + idsPerCall), filter.timeRange));
  }
  return chunks;
}

/** A call to make. */
export interface PlannedCall {
  readonly filter: Filter;
  /** Whether several requests use parts of its response, so that the response must hold no asset that it did not ask for. */
  readonly merged: boolean;
}

/** What the planner reads of a response. */
export interface HeldAssets {
  /** The ids of the assets in the response. */
  readonly assetIds: ReadonlySetLike<string>;
}

/** A call that was made. Its outcome is undefined while it is running. */
export interface MadeCall<R extends HeldAssets> extends PlannedCall {
  readonly outcome: CallSuccess<R> | CallFailure | undefined;
}

/** The outcome of a call with a response. */
export interface CallSuccess<R extends HeldAssets> {
  readonly response: R;
  /** Whether the response holds an asset that the call did not ask for. */
  readonly hasUnrequestedAssets: boolean;
}

/** The outcome of a call that failed. */
export interface CallFailure {
  readonly error: RestError;
}

/**
 * Whether a response holds an asset that its call did not ask for. Then the service reads asset ids in another way than
 * the specification says, and a merged call would give one request the data of another.
 */
export function hasUnrequestedAssets({ assetIds }: Filter, response: HeldAssets): boolean {
  return assetIds !== undefined && !assetIds.isSupersetOf(response.assetIds);
}
