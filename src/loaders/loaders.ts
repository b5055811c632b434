import type { ResultsLoaderOptions } from './dataset-progress.ts';
import { MetadataLoader } from './metadata.ts';
import { ResultsLoader } from './results.ts';

/** What the loaders of one operation work with. */
export type LoadersOptions = ResultsLoaderOptions;

/** The loaders of one GraphQL operation. They hold what its client may see, so each request gets new ones. */
export class Loaders {
  readonly metadata: MetadataLoader;
  readonly #options: LoadersOptions;
  #results: ResultsLoader | undefined;

  constructor(options: LoadersOptions) {
    this.#options = options;
    this.metadata = new MetadataLoader(options.session);
  }

  /** Made on first use: many operations read only metadata. */
  get results(): ResultsLoader {
    this.#results ??= new ResultsLoader(this.#options);
    return this.#results;
  }
}
