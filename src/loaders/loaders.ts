import type { RestSession } from '../rest/session.ts';
import type { FastPathCounter } from '../results/counter.ts';
import type { CallMerging } from './call-merging.ts';
import { createMetadataLoader, type MetadataLoader } from './metadata.ts';
import { ResultsLoader } from './results.ts';

/** The loaders of one GraphQL operation. They hold what its caller may see, so they are made anew for each request. */
export class Loaders {
  readonly metadata: MetadataLoader;
  readonly #options: LoadersOptions;
  #results: ResultsLoader | undefined;

  constructor(options: LoadersOptions) {
    this.#options = options;
    this.metadata = createMetadataLoader(options.session);
  }

  /** Made when it is first needed: many operations read nothing but metadata. */
  get results(): ResultsLoader {
    this.#results ??= new ResultsLoader(this.#options);
    return this.#results;
  }
}

/** What loaders are made of. */
export interface LoadersOptions {
  readonly session: RestSession;
  readonly sharing: CallMerging;
  readonly fastPath: FastPathCounter | undefined;
  readonly assetIdsPerCall: number;
}
