import DataLoader from 'dataloader';
import { Pool } from 'undici';
import type { AssetResult, DatasetMetadata, DatasetResults } from './datasets-api.ts';

/** What one asset is asked for by. */
interface AssetKey {
  readonly datasetId: string;
  readonly assetId: string;
}

const baseURL = new URL(process.env.DATASET_SERVICE_URL ?? 'http://127.0.0.1:8080/');
const pool = new Pool(baseURL.origin, { connections: 64 });

/** The REST service for one request, by undici and DataLoader, as the documentation of Mercurius and graphql-jit has it. */
export class CompiledDatasetsAPI {
  readonly #authorization: string;
  readonly #datasets: DataLoader<string, DatasetMetadata>;
  readonly #results: DataLoader<string, DatasetResults>;
  readonly #assets: DataLoader<AssetKey, AssetResult | undefined, string>;

  constructor(authorization: string) {
    this.#authorization = authorization;
    this.#datasets = new DataLoader((ids) =>
      Promise.all(ids.map((id) => this.#call<DatasetMetadata>('GET', `/v1/collection/dataset/summary/${id}`))),
    );
    this.#results = new DataLoader((ids) => Promise.all(ids.map((id) => this.#post(id, '{}'))));
    this.#assets = new DataLoader((keys) => this.#batch(keys), { cacheKeyFn: (key) => JSON.stringify(key) });
  }

  getDataset(id: string): Promise<DatasetMetadata> {
    return this.#datasets.load(encodeURIComponent(id));
  }

  getResults(id: string): Promise<DatasetResults> {
    return this.#results.load(encodeURIComponent(id));
  }

  getAsset(datasetId: string, assetId: string): Promise<AssetResult | undefined> {
    return this.#assets.load({ datasetId, assetId });
  }

  async #batch(keys: readonly AssetKey[]): Promise<(AssetResult | undefined)[]> {
    const assets = new Map<string, Map<string, AssetResult>>();
    await Promise.all(
      [...Map.groupBy(keys, ({ datasetId }) => datasetId)].map(async ([datasetId, asked]) => {
        const body = JSON.stringify({ mo_ids: asked.map(({ assetId }) => assetId) });
        const results = await this.#post(encodeURIComponent(datasetId), body);
        assets.set(datasetId, new Map(results.assets?.map((asset) => [asset.asset_id, asset])));
      }),
    );
    return keys.map(({ datasetId, assetId }) => assets.get(datasetId)?.get(assetId));
  }

  #post(id: string, body: string): Promise<DatasetResults> {
    return this.#call('POST', `/v1/processingresult/dataset/${id}`, body);
  }

  async #call<T>(method: 'GET' | 'POST', path: string, body: string | null = null): Promise<T> {
    const headers = { authorization: this.#authorization, 'content-type': 'application/json' };
    const response = await pool.request({ method, path, headers, body });
    if (response.statusCode !== 200) throw new Error(`The REST service responded with ${response.statusCode}.`);
    return (await response.body.json()) as T;
  }
}
