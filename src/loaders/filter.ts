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
