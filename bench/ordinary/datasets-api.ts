import { type AugmentedRequest, type DataSourceConfig, RESTDataSource } from '@apollo/datasource-rest';
import DataLoader from 'dataloader';

export interface DatasetMetadata {
  id: string;
  name?: string;
  description?: string;
  asset_count?: number;
  attributionText?: string;
  attributionFile?: string;
  sharedOption?: string;
  processing_id?: string;
  processing_name?: string;
  source_id?: string;
  source_name?: string;
  start_date?: number;
  stop_date?: number;
}

export interface Metric {
  name?: string;
  value?: number;
}

export interface Result {
  value_date?: string;
  metrics?: Metric[];
}

export interface AssetResult {
  asset_id: string;
  asset_name?: string;
  asset_version?: number;
  asset_categories?: string[];
  asset_centroid_latitude?: number;
  asset_centroid_longitude?: number;
  asset_surface_area_m2?: number;
  parent_asset_id?: string;
  parent_asset_name?: string;
  parent_asset_version?: number;
  results?: Result[];
}

export interface DatasetResults {
  processing_id?: string;
  source_id?: string;
  assets?: AssetResult[];
}

/** The key of an asset. */
interface AssetKey {
  datasetId: string;
  assetId: string;
}

export class DatasetsAPI extends RESTDataSource {
  override baseURL: string;
  private authorization: string;

  constructor(options: DataSourceConfig & { baseURL: string; authorization: string }) {
    super(options);
    this.baseURL = options.baseURL;
    this.authorization = options.authorization;
  }

  override willSendRequest(_path: string, request: AugmentedRequest) {
    request.headers.authorization = this.authorization;
  }

  /** RESTDataSource deduplicates concurrent calls for the same dataset. */
  getDataset(id: string): Promise<DatasetMetadata> {
    return this.get<DatasetMetadata>(`v1/collection/dataset/summary/${encodeURIComponent(id)}`);
  }

  getResults(id: string, assetIds?: string[]): Promise<DatasetResults> {
    return this.post<DatasetResults>(`v1/processingresult/dataset/${encodeURIComponent(id)}`, {
      body: assetIds === undefined ? {} : { mo_ids: assetIds },
    });
  }

  getAsset(datasetId: string, assetId: string): Promise<AssetResult | undefined> {
    return this.assetLoader.load({ datasetId, assetId });
  }

  /** One uncacheable POST can request several assets. For this case Apollo's documentation recommends batching. */
  private assetLoader = new DataLoader<AssetKey, AssetResult | undefined, string>(
    async (keys) => {
      const assetIds = Map.groupBy(keys, ({ datasetId }) => datasetId);
      const assets = new Map<string, Map<string, AssetResult>>();
      await Promise.all(
        [...assetIds].map(async ([datasetId, requested]) => {
          const results = await this.getResults(
            datasetId,
            requested.map(({ assetId }) => assetId),
          );
          assets.set(datasetId, new Map(results.assets?.map((asset) => [asset.asset_id, asset])));
        }),
      );
      return keys.map(({ datasetId, assetId }) => assets.get(datasetId)?.get(assetId));
    },
    { cacheKeyFn: ({ datasetId, assetId }) => JSON.stringify([datasetId, assetId]) },
  );
}
