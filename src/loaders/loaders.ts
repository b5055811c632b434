import { CallOrder } from './call-order.ts';
import type { ResultsLoaderOptions } from './dataset-progress.ts';
import { MetadataLoader } from './metadata.ts';
import { ResultsLoader } from './results.ts';

/** What the loaders of one operation work with. */
export type LoadersOptions = Omit<ResultsLoaderOptions, 'order'>;

/** The loaders of one GraphQL operation. They hold what its client may see, so each request gets new ones. */
export class Loaders {
  readonly metadata: MetadataLoader;
  readonly #options: ResultsLoaderOptions;
  #results: ResultsLoader | undefined;

  constructor(options: LoadersOptions) {
    const order = new CallOrder();
    this.#options = { ...options, order };
    this.metadata = new MetadataLoader(options.session, order);
  }

  /** Made on first use: many operations read only metadata. */
  get results(): ResultsLoader {
    this.#results ??= new ResultsLoader(this.#options);
    return this.#results;
  }
}
