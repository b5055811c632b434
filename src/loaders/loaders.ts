import type { DerivedData } from '../core/buffer-pool.ts';
import { type DatasetMetadata, decodeMetadata } from '../rest/contract/wire.ts';
import type { RestSession } from '../rest/session.ts';
import { DatasetLoader } from './dataset-loader.ts';
import type { ResultsLoaderOptions } from './dataset-progress.ts';
import { ResultsLoader } from './results-loader.ts';

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

  /** Reserves memory for the operation. Waits for the promise, if it returns one. */
  reserveMemory(bytes: number): Promise<void> | undefined {
    return this.#options.session.memory.reserve(bytes);
  }

  /** The calls as text, line by line. The cache can answer them too. */
  *print(): Generator<string> {
    for (const datasetId of this.#options.loader.datasetIds) yield `GET metadata of ${JSON.stringify(datasetId)}`;
    if (this.#results !== undefined) yield* this.#results.print();
  }

  /** Made on first use: many operations read only metadata. */
  get results(): ResultsLoader {
    this.#results ??= new ResultsLoader(this.#options);
    return this.#results;
  }
}

/** About the bytes of memory of decoded metadata, and those for each byte of its body. */
const DECODED_BYTES = 500;
const BYTES_PER_BYTE = 2;

/** What was decoded from a body, for everyone who reads it. */
class DecodedMetadata implements DerivedData {
  readonly metadata: DatasetMetadata;
  readonly bytes: number;

  constructor(metadata: DatasetMetadata, bodyBytes: number) {
    this.metadata = metadata;
    this.bytes = DECODED_BYTES + bodyBytes * BYTES_PER_BYTE;
  }

  /** The garbage collector does it. */
  release(): void {}
}

/** Reads the metadata of a dataset (REST specification, section 4.1), decoded once for each body. Rejects with a RestError. */
async function readMetadata(session: RestSession, datasetId: string): Promise<DatasetMetadata> {
  const body = await session.getDatasetMetadata(datasetId);
  try {
    const known = session.derivedData(body);
    if (known instanceof DecodedMetadata) return known.metadata;
    const decoded = new DecodedMetadata(await decodeMetadata(body.bytes), body.bytes.length);
    session.attach(body, decoded);
    return decoded.metadata;
  } catch (error) {
    session.invalidBody(body);
    throw error;
  } finally {
    body.release();
  }
}
