import type { DatasetMetadata } from '../rest/wire.ts';
import { DatasetLoader } from './dataset-loader.ts';
import type { ResultsLoaderOptions } from './dataset-progress.ts';
import { readMetadata } from './metadata.ts';
import { ResultsLoader } from './results.ts';

/** What the loaders of one operation work with. */
export type LoadersOptions = Omit<ResultsLoaderOptions, 'loader'>;

/** The loaders of one GraphQL operation. They hold what its client may see, so each request gets new ones. */
export class Loaders {
  readonly #options: ResultsLoaderOptions;
  #results: ResultsLoader | undefined;

  constructor(options: LoadersOptions) {
    const loader = new DatasetLoader({
      metadata: (datasetId) => readMetadata(options.session, datasetId),
      results: (datasetId, requests) => this.results.plan(datasetId, requests),
    });
    this.#options = { ...options, loader };
  }

  /** Loads the metadata of a dataset. Rejects with a RestError. */
  metadata(datasetId: string): Promise<DatasetMetadata> {
    return this.#options.loader.metadata(datasetId);
  }

  /** Made on first use: many operations read only metadata. */
  get results(): ResultsLoader {
    this.#results ??= new ResultsLoader(this.#options);
    return this.#results;
  }
}
