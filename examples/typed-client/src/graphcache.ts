import type { Exchange } from '@urql/core';
import { cacheExchange, type KeyGenerator } from '@urql/exchange-graphcache';

/** A type without a key of its own is kept inside of the object that has it. */
const embedded: KeyGenerator = () => null;

/**
 * A cache for urql in which queries of the same dataset keep each other's fields. It needs `id` in each selection on
 * Dataset and Asset.
 */
export function createGraphcache(): Exchange {
  return cacheExchange({
    // With SCHEMA_NAMES, some of these types have other names.
    keys: {
      // By default the key of an Asset is `id`. For queries that select `datasetId` and `assetId` in its place, add this line:
      // Asset: ({ datasetId, assetId }) => JSON.stringify([datasetId, assetId]),
      AssetParent: embedded,
      AssetSeries: embedded,
      AssetSeriesConnection: embedded,
      AssetSeriesEdge: embedded,
      DatasetDownload: embedded,
      // Their ids are not keys of this schema.
      DatasetProcessing: embedded,
      DatasetSource: embedded,
      DatasetResults: embedded,
      GeoPoint: embedded,
      Metric: embedded,
      MetricColumn: embedded,
      PageInfo: embedded,
      Result: embedded,
      SeriesColumns: embedded,
    },
    // No relayPagination for the series: their entries have no key of their own, so an entry that was read with other
    // arguments would be in the list twice. Each page is kept by its arguments, and the application puts them together.
  });
}
