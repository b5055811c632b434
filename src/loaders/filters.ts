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

/**
 * The results calls of one dataset, indexed by what they ask for. With thousands of calls, searching all of them for each
 * request takes longer than the calls themselves.
 */
export class CallIndex<C extends { readonly filter: Filter }> {
  readonly #byKey = new Map<string, C>();
  readonly #ranges = new Map<string, CallsOfRange<C>>();

  /** Adds a call. Of two for the same filter, the later one is that of the filter. */
  add(call: C): void {
    const { key, rangeKey, assetIds } = call.filter;
    this.#byKey.set(key, call);
    const range = this.#ranges.get(rangeKey) ?? new CallsOfRange<C>();
    this.#ranges.set(rangeKey, range);
    range.add(call, assetIds);
  }

  delete(call: C): void {
    const { key, rangeKey, assetIds } = call.filter;
    this.#byKey.delete(key);
    this.#ranges.get(rangeKey)?.delete(call, assetIds);
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** The call for exactly a filter. */
  get(key: string): C | undefined {
    return this.#byKey.get(key);
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  some(matches: (call: C) => boolean): boolean {
    return this.#byKey.values().some(matches);
  }

  filter(matches: (call: C) => boolean): C[] {
    return [...this.#byKey.values().filter(matches)];
  }

  /** The calls that ask for an asset in a time range, by its id or for all assets, in the order made. */
  asking(rangeKey: string, assetId: string): readonly C[] {
    return this.#ranges.get(rangeKey)?.asking([assetId]) ?? [];
  }

  /** The calls that ask for any asset of a filter in its time range, in the order made. */
  overlapping({ rangeKey, assetIds }: Filter): readonly C[] {
    const range = this.#ranges.get(rangeKey);
    if (range === undefined) return [];
    return assetIds === undefined ? range.all() : range.asking(assetIds);
  }
}

/** The calls for one time range. */
class CallsOfRange<C> {
  /** Each call with its number in the order made. */
  readonly #orders = new Map<C, number>();
  readonly #ofAsset = new Map<string, Set<C>>();
  readonly #ofAllAssets = new Set<C>();
  #made = 0;

  add(call: C, assetIds: ReadonlySet<string> | undefined): void {
    this.#orders.set(call, this.#made);
    this.#made += 1;
    if (assetIds === undefined) this.#ofAllAssets.add(call);
    for (const assetId of assetIds ?? []) {
      const calls = this.#ofAsset.get(assetId) ?? new Set();
      this.#ofAsset.set(assetId, calls.add(call));
    }
  }

  delete(call: C, assetIds: ReadonlySet<string> | undefined): void {
    this.#orders.delete(call);
    this.#ofAllAssets.delete(call);
    for (const assetId of assetIds ?? []) this.#ofAsset.get(assetId)?.delete(call);
  }

  all(): readonly C[] {
    return [...this.#orders.keys()];
  }

  asking(assetIds: Iterable<string>): readonly C[] {
    const calls = new Set(this.#ofAllAssets);
    for (const assetId of assetIds) for (const call of this.#ofAsset.get(assetId) ?? []) calls.add(call);
    const order = (call: C) => this.#orders.get(call) ?? 0;
    return [...calls].sort((one, other) => order(one) - order(other));
  }
}
