import type { AssetResult, DatasetMetadata, MetricValue, Row, WireField } from '../rest/wire.ts';
import type { Column, Columns, Results, Series, SeriesPage } from '../results/results.ts';

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
export type AssetSeriesModel = Series;
export type AssetSeriesConnectionModel = SeriesPage;
