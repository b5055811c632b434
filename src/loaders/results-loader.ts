import type { TimeRange } from '../rest/contract/wire.ts';
import { type FoundAsset, pickAsset, Results } from '../results/results.ts';
import { DatasetProgress, type ResultsLoaderOptions } from './dataset-progress.ts';
import type { Parts, ResultsRequest } from './request-state.ts';
import { filterOf } from './results-calls.ts';
import type { Reader } from './results-passing.ts';

/** Which results of a dataset. An absent part does not restrict. */
export interface RowsFilter {
  readonly assetIds?: readonly string[] | undefined;
  readonly timeRange?: TimeRange | undefined;
}

/**
 * The results of datasets, within one GraphQL operation. Requests of one turn of the event loop are planned together
 * (results-plan.ts). Later requests use earlier responses where these hold the data.
 */
export class ResultsLoader {
  readonly #options: ResultsLoaderOptions;
  readonly #datasets = new Map<string, DatasetProgress>();
  readonly #joined = new WeakMap<Parts, Results>();

  constructor(options: ResultsLoaderOptions) {
    this.#options = options;
  }

  /** So many fields will read results of a dataset later, as announced readers. Call it before the first one does. */
  announceReaders(datasetId: string, count: number): void {
    this.#dataset(datasetId).announceReaders(count);
  }

  /**
   * The results under one filter. Rejects with a RestError.
   *
   * @param signal cancels the request; a call that no request needs is aborted
   * @param reader who reads them, once; undefined for someone who may read all of them, at any time
   */
  async rows(
    datasetId: string,
    { assetIds, timeRange }: RowsFilter,
    signal?: AbortSignal,
    reader?: Reader,
  ): Promise<Results> {
    if (assetIds?.length === 0) return Results.none();
    const filter = filterOf(assetIds, timeRange);
    const parts = await this.#dataset(datasetId).load({ kind: 'rows', filter, mergeable: true }, signal, reader);
    const results = this.#joined.get(parts) ?? new Results(parts);
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
    const request: ResultsRequest = { kind: 'attributes', filter, mergeable: true };
    return pickAsset(await this.#dataset(datasetId).load(request, signal), assetId);
  }

  /** Plans requests of one dataset together, and makes their calls. Returns a promise for each. */
  plan(datasetId: string, requests: readonly ResultsRequest[]): Promise<Parts>[] {
    return this.#dataset(datasetId).plan(requests);
  }

  /** The results calls as text, line by line, dataset by dataset. */
  *print(): Generator<string> {
    for (const dataset of this.#datasets.values()) yield* dataset.print();
  }

  #dataset(datasetId: string): DatasetProgress {
    const known = this.#datasets.get(datasetId);
    if (known !== undefined) return known;
    const dataset = new DatasetProgress(datasetId, this.#options);
    this.#datasets.set(datasetId, dataset);
    return dataset;
  }
}
