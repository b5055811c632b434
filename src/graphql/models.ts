import type { AssetResult, DatasetMetadata, MetricValue, Row, WireField } from '../rest/wire.ts';
import type { AssetEntry, Results } from '../results/answer.ts';
import type { AssetEntries } from '../results/asset-entries.ts';
import type { Column, Columns } from '../results/columns.ts';

/** What resolvers of `Dataset` work on. `metadata` is null where no field that needs it was selected. */
export interface DatasetModel {
  readonly id: string;
  readonly metadata: DatasetMetadata | Error | null;
}

/**
 * What resolvers of `Asset` work on. `entry` holds the attributes; it is null where none was selected.
 */
export interface AssetModel {
  readonly datasetId: string;
  readonly assetId: string;
  readonly entry: AssetResult | Error | null;
  /** Whether the look-ahead has seen what is selected on it, and counted its series. */
  readonly isPlanned: boolean;
}

/** What resolvers of `DatasetResults` work on. */
export interface DatasetResultsModel {
  readonly datasetId: string;
  readonly results: Results;
}

/** What resolvers of `AssetSeries` work on: one entry of the results of one filter. */
export interface AssetSeriesModel {
  readonly datasetId: string;
  readonly entry: AssetEntry;
  /** The entry of the same asset, in the same results, with the highest version. */
  readonly latest: AssetEntry;
}

/** What resolvers of `AssetSeriesConnection` work on: the entries from `start` up to, but without, `end`. */
export interface AssetSeriesConnectionModel {
  readonly datasetId: string;
  /** All entries, of which the page is a slice. */
  readonly entries: AssetEntries;
  readonly latest: Results['latest'];
  readonly start: number;
  readonly end: number;
}

/** What resolvers of `DatasetProcessing` and `DatasetSource` work on. */
export interface NamedModel {
  readonly id: WireField<string>;
  readonly name: WireField<string>;
}

/** What resolvers of `AssetParent` work on. */
export interface AssetParentModel {
  readonly assetId: WireField<string>;
  readonly name: WireField<string>;
  readonly version: WireField<bigint>;
}

/** What resolvers of `GeoPoint` work on. */
export interface GeoPointModel {
  readonly latitude: number | Error;
  readonly longitude: number | Error;
}

/** What resolvers of `DatasetDownload` work on. */
export interface DatasetDownloadModel {
  readonly datasetId: string;
}

export type ResultModel = Row;
export type MetricModel = MetricValue;
export type SeriesColumnsModel = Columns;
export type MetricColumnModel = Column;
