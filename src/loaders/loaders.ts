import type { RestSession } from '../rest/session.ts';
import type { FastWayCounter } from '../results/counter.ts';
import { createMetadataLoader, type MetadataLoader } from './metadata.ts';
import { ResultsLoader } from './results.ts';
import type { Sharing } from './sharing.ts';

/** The loaders of one GraphQL operation. They hold what its caller may see, so they are made anew for each request. */
export interface Loaders {
  readonly metadata: MetadataLoader;
  readonly results: ResultsLoader;
}

/** What loaders are made of. */
export interface LoadersOptions {
  readonly session: RestSession;
  readonly sharing: Sharing;
  readonly fastWay: FastWayCounter | undefined;
  readonly assetIdsPerCall: number;
}

/** Makes the loaders of one GraphQL operation. */
export function createLoaders(options: LoadersOptions): Loaders {
  return { metadata: createMetadataLoader(options.session), results: new ResultsLoader(options) };
}
