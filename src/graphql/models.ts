import type { RowsFilter } from '../loaders/loaders.ts';
import type { DatasetMetadata, WireField } from '../rest/contract/wire.ts';
import type { AssetAttributes, PageEntries, Results, Series } from '../results/results.ts';
import type { ResultsFile } from './results-file.ts';

/** The model of `Dataset`. `metadata` is null if no selected field needs it. */
export interface DatasetModel {
  readonly id: string;
  readonly metadata: DatasetMetadata | Error | null;
  /** Its results, which are loading, by the fields that need them, as they are planned. Absent if none does. */
  readonly results?: ReadonlyMap<object, Promise<Results>> | undefined;
  /** All its results, which are loading. Absent if no field is made of them. */
  readonly allResults?: Promise<Results> | undefined;
}

/** The model of `Asset`. `entry` has the attributes. It is null if none is selected. */
export interface AssetModel {
  readonly datasetId: string;
  readonly assetId: string;
  readonly entry: AssetAttributes | Error | null;
  /** Whether its series are counted already, with the plan of their field. */
  readonly isSeriesCounted: boolean;
}

/** The model of `DatasetResults`. `results` is null if no selected field needs them. */
export interface DatasetResultsModel {
  readonly datasetId: string;
  readonly filter: RowsFilter;
  readonly results: Results | null;
}

/** The model of `DatasetProcessing` and `DatasetSource`. */
export interface NamedModel {
  readonly id: WireField<string>;
  readonly name: WireField<string>;
}

/** The model of `AssetParent`. */
export interface AssetParentModel {
  readonly datasetId: string;
  readonly assetId: WireField<string>;
  readonly name: WireField<string>;
  readonly version: WireField<bigint>;
}

/** The model of `GeoPoint`. */
export interface GeoPointModel {
  readonly latitude: WireField<number>;
  readonly longitude: WireField<number>;
}

/** The model of `DatasetDownload`: the file of a static dataset, or of results. */
export interface DatasetDownloadModel {
  readonly datasetId: string;
  /** Undefined for the file of a static dataset. */
  readonly file?: ResultsFile;
}

export type AssetSeriesModel = Series;

/** The model of `AssetSeriesConnection`. */
export interface AssetSeriesConnectionModel extends PageEntries {
  /** The entry with this index among all entries. */
  at(index: number): Series;
}
