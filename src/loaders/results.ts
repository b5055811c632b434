import DataLoader from 'dataloader';
import type { TimeRange } from '../rest/results-filter.ts';
import { type FoundAsset, pickAsset, type Results, type ResultsResponse } from '../results/results.ts';
import { DatasetProgress, keyOf, type ResultsLoaderOptions } from './dataset-progress.ts';
import type { Part, ResultsRequest } from './request-state.ts';
import { filterOf } from './results-calls.ts';

/** Which results of a dataset. An absent part does not restrict. */
export interface RowsFilter {
  readonly assetIds?: readonly string[] | undefined;
  readonly timeRange?: TimeRange | undefined;
}

/** The responses that serve one request. */
type Parts = readonly Part<ResultsResponse>[];

/** A request as DataLoader knows it. */
interface Key {
  readonly datasetId: string;
  readonly request: ResultsRequest;
}

/**
 * The results of datasets, within one GraphQL operation. Requests of one turn of the event loop are planned together
 * (results-plan.ts). Later requests use earlier responses where these hold the data.
 */
export class ResultsLoader {
  readonly #options: ResultsLoaderOptions;
  readonly #datasets = new Map<string, DatasetProgress>();
  /** Loads an object with the parts to come, and not the parts: so no request of a batch waits for the others. */
  readonly #requests: DataLoader<Key, { readonly parts: Promise<Parts> }, string>;
  readonly #joined = new WeakMap<Parts, Promise<Results>>();

  constructor(options: ResultsLoaderOptions) {
    this.#options = options;
    this.#requests = new DataLoader(async (keys) => this.#register(keys), {
      cacheKeyFn: ({ datasetId, request }) => `${keyOf(request)} ${datasetId}`,
    });
  }

  /**
   * The results under one filter. Rejects with a RestError.
   *
   * @param signal cancels the request; a call that no request needs is aborted
   */
  async rows(datasetId: string, { assetIds, timeRange }: RowsFilter, signal?: AbortSignal): Promise<Results> {
    const { reader, merging, fastPath } = this.#options;
    if (assetIds?.length === 0) return reader.empty;
    const filter = filterOf(assetIds, timeRange);
    const parts = await this.#load(datasetId, { kind: 'rows', filter, mergeable: merging.isOn }, signal);
    const results = this.#joined.get(parts) ?? reader.join(parts, fastPath);
    this.#joined.set(parts, results);
    return results;
  }

  /**
   * The attributes of one asset, from any results of this operation that ask for it. Rejects with a RestError.
   *
   * @param signal as for `rows`
   */
  async asset(datasetId: string, assetId: string, signal?: AbortSignal): Promise<FoundAsset> {
    const filter = filterOf([assetId], undefined);
    const request: ResultsRequest = { kind: 'attributes', filter, mergeable: this.#options.merging.isOn };
    return pickAsset(await this.#load(datasetId, request, signal), assetId);
  }

  async #load(datasetId: string, request: ResultsRequest, signal: AbortSignal | undefined): Promise<Parts> {
    const loading = this.#requests.load({ datasetId, request });
    this.#dataset(datasetId).join(request, signal);
    const { parts } = await loading;
    return parts;
  }

  #register(keys: readonly Key[]): { readonly parts: Promise<Parts> }[] {
    const added = keys.map(({ datasetId, request }) => ({ parts: this.#dataset(datasetId).add(request) }));
    for (const datasetId of new Set(keys.map((key) => key.datasetId))) this.#dataset(datasetId).advance();
    return added;
  }

  #dataset(datasetId: string): DatasetProgress {
    const known = this.#datasets.get(datasetId);
    if (known !== undefined) return known;
    const dataset = new DatasetProgress(datasetId, this.#options);
    this.#datasets.set(datasetId, dataset);
    return dataset;
  }
}
