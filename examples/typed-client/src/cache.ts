import {
  type FieldMergeFunction,
  type FieldPolicy,
  InMemoryCache,
  isReference,
  type StoreObject,
  type StoreValue,
} from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';

/**
 * A cache for Apollo Client in which queries of the same dataset keep each other's fields. Without these policies, two
 * queries that are mounted at the same time can fetch each other's fields again and again.
 *
 * It needs `id` in each selection on Dataset and Asset, which costs no REST call. A query without that of a dataset ends
 * with an error. An asset without it is not shared between queries.
 */
export function createCache(): InMemoryCache {
  return new InMemoryCache({
    typePolicies: {
      // With SCHEMA_NAMES, some of these types have other names.
      Dataset: {
        keyFields: ['id'],
        fields: {
          // Each filter has results of its own, because their key has all arguments. They have no id.
          results: { merge: true },
          download: { merge: true },
          processing: { merge: true },
          source: { merge: true },
        },
      },
      // Their ids are not keys of this schema.
      DatasetProcessing: { keyFields: false },
      DatasetSource: { keyFields: false },
      DatasetResults: {
        fields: {
          series: seriesPolicy(),
          rowsFile: { merge: true },
          seriesPeriodsFile: { merge: true },
          seriesStatisticsFile: { merge: true },
          byDateFile: { merge: true },
        },
      },
      AssetSeriesConnection: { fields: { edges: { merge: mergeDeeply }, nodes: { merge: mergeDeeply } } },
      // Not normalised by its asset: the same asset has other series under other filters.
      AssetSeries: {
        keyFields: false,
        fields: { columns: { merge: mergeDeeply }, rows: { merge: mergeDeeply } },
      },
      // By default its key is `id`. For queries that select `datasetId` and `assetId` in its place, add this line:
      // keyFields: ['datasetId', 'assetId'],
      Asset: {
        fields: {
          // Each filter has a series of its own.
          series: { merge: true },
          centroid: { merge: true },
          parent: { merge: true },
        },
      },
    },
  });
}

/**
 * Pages are joined only by their edges, whose cursors say where a page belongs. So a query that selects `edges` reads all
 * pages of one size that were fetched. A query that selects only `nodes` reads the page of its own arguments.
 */
function seriesPolicy(): FieldPolicy {
  const { read, merge, keyArgs } = relayStylePagination((args, { field }) => {
    const selections = field?.selectionSet?.selections ?? [];
    const hasEdges = selections.some((selection) => selection.kind === 'Field' && selection.name.value === 'edges');
    return hasEdges ? `series by edges, first: ${args?.first}` : ['first', 'after'];
  }) as FieldPolicy & { merge: FieldMergeFunction };
  return {
    ...(read && { read }),
    ...(keyArgs !== undefined && { keyArgs }),
    // relayStylePagination would make an empty list of null.
    merge: (existing, incoming, options) =>
      incoming === null ? null : merge(existing ?? undefined, incoming, options),
  };
}

/** What identifies an item of a list whose type has no id. */
const itemKeys: Readonly<Record<string, string>> = {
  AssetSeriesEdge: 'cursor',
  AssetSeries: 'asset',
  Result: 'valueDate',
  Metric: 'name',
  MetricColumn: 'name',
};

/**
 * Adds the fields that were read before to objects without an id, also in lists. An item of a list is the same as before if
 * it has the same key, at the same distance from the first one. Otherwise the list has changed, and the new item counts.
 */
function mergeDeeply(existing: StoreValue, incoming: StoreValue): StoreValue {
  if (Array.isArray(existing) && Array.isArray(incoming)) {
    const first = keyOf(incoming[0]);
    const offset = first === undefined ? -1 : existing.findIndex((item) => keyOf(item) === first);
    return incoming.map((item: StoreValue, index) => {
      const before = offset < 0 ? undefined : existing[offset + index];
      const key = keyOf(item);
      return key !== undefined && key === keyOf(before) ? mergeDeeply(before, item) : item;
    });
  }
  if (!isPlain(existing) || !isPlain(incoming)) return incoming;
  const merged: Record<string, StoreValue> = { ...existing };
  for (const [name, value] of Object.entries(incoming)) merged[name] = mergeDeeply(existing[name], value);
  return merged as StoreObject;
}

function keyOf(item: StoreValue): unknown {
  if (!isPlain(item)) return undefined;
  const value = item[itemKeys[item.__typename ?? ''] ?? ''];
  return isReference(value) ? value.__ref : (value ?? undefined);
}

function isPlain(value: StoreValue): value is StoreObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isReference(value);
}
