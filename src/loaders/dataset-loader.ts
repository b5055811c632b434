import DataLoader from 'dataloader';
import type { DatasetMetadata } from '../rest/contract/wire.ts';
import { keyOf, type Parts, type ResultsRequest } from './request-state.ts';

/** What is requested of a dataset: its metadata, or some of its results. */
interface DatasetRequest {
  readonly datasetId: string;
  readonly results: ResultsRequest | undefined;
}

/** A request whose calls have started. Its promise is in an object, so that no request waits for the others of its batch. */
interface StartedRequest {
  readonly loading: Promise<DatasetMetadata | Parts>;
}

/** Starts the calls for requests. Never throws. */
export interface DatasetCalls {
  metadata(datasetId: string): Promise<DatasetMetadata>;
  /** Plans requests for results of one dataset together. Returns a promise for each of them. */
  results(datasetId: string, requests: readonly ResultsRequest[]): readonly Promise<Parts>[];
}

/**
 * The requests of one operation. Equal requests are loaded once. What one turn of the event loop requests is a batch, whose
 * calls start dataset by dataset, as the operation names them. If `UPSTREAM_MAX_CALLS` is too low, the first datasets get all
 * their calls, instead of every dataset its metadata and none its results.
 */
export class DatasetLoader {
  readonly #calls: DatasetCalls;
  readonly #loader: DataLoader<DatasetRequest, StartedRequest, string>;
  /** The requests so far, by their keys. */
  readonly #requests = new Map<string, Promise<StartedRequest>>();

  constructor(calls: DatasetCalls) {
    this.#calls = calls;
    this.#loader = new DataLoader(async (requests) => this.#start(requests), {
      // The id of a dataset has no line feed.
      cacheMap: this.#requests,
      cacheKeyFn: ({ datasetId, results }) => (results === undefined ? datasetId : `${datasetId}\n${keyOf(results)}`),
    });
  }

  /** Loads the metadata of a dataset. Rejects with a RestError. */
  async metadata(datasetId: string): Promise<DatasetMetadata> {
    const { loading } = await this.#loader.load({ datasetId, results: undefined });
    return loading as Promise<DatasetMetadata>;
  }

  /** Loads the responses that serve a request. Rejects with a RestError. */
  async results(datasetId: string, results: ResultsRequest): Promise<Parts> {
    const { loading } = await this.#loader.load({ datasetId, results });
    return loading as Promise<Parts>;
  }

  /** The datasets whose metadata was requested. */
  get datasetIds(): string[] {
    return [...this.#requests.keys()].filter((key) => !key.includes('\n'));
  }

  #start(requests: readonly DatasetRequest[]): StartedRequest[] {
    const started = new Map<DatasetRequest, StartedRequest>();
    for (const [datasetId, ofDataset] of Map.groupBy(requests, ({ datasetId }) => datasetId)) {
      const forResults: DatasetRequest[] = [];
      for (const request of ofDataset) {
        if (request.results === undefined) started.set(request, { loading: this.#calls.metadata(datasetId) });
        else forResults.push(request);
      }
      if (forResults.length === 0) continue;
      const loading = this.#calls.results(
        datasetId,
        forResults.map(({ results }) => results as ResultsRequest),
      );
      for (const [index, request] of forResults.entries()) {
        started.set(request, { loading: loading[index] as Promise<Parts> });
      }
    }
    return requests.map((request) => started.get(request) as StartedRequest);
  }
}
