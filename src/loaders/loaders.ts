import DataLoader from 'dataloader';
import type { DerivedData } from '../core/buffer-pool.ts';
import { type DatasetMetadata, decodeMetadata, type TimeRange } from '../rest/contract/wire.ts';
import type { RestSession } from '../rest/session.ts';
import { Results } from '../results/results.ts';
import { DatasetCalls, type DatasetCallsOptions, ResultsRequest } from './dataset-calls.ts';
import { type Filter, filterOf } from './filters.ts';
import type { Reader } from './suspensions.ts';

/** What the loaders of one operation work with. */
export type LoadersOptions = DatasetCallsOptions;

/** Which results of a dataset. An absent part does not restrict. */
export interface RowsFilter {
  readonly assetIds?: readonly string[] | undefined;
  readonly timeRange?: TimeRange | undefined;
}

/**
 * The loaders of one GraphQL operation: of metadata by dataset, and of results by dataset and request. They hold what its client may see,
 * so each operation gets new ones.
 *
 * What one turn of the event loop requests is a batch of each loader. Each batch returns at once, with a promise for each key, so that no
 * key waits for the others. The calls of both start together, dataset by dataset, as the operation names them: if `UPSTREAM_MAX_CALLS` is
 * too low, the first datasets get all their calls, instead of every dataset its metadata and none its results.
 */
export class Loaders {
  readonly #options: LoadersOptions;
  readonly #metadataOf = new Map<string, Promise<Promise<DatasetMetadata>>>();
  readonly #metadata: DataLoader<string, Promise<DatasetMetadata>>;
  readonly #results: DataLoader<ResultsRequest, Promise<Results>>;
  readonly #datasets = new Map<string, DatasetCalls>();
  /** What the batches of this turn request. */
  readonly #batch: (MetadataRequest | ResultsRequest)[] = [];
  /** The datasets of which something was requested in this turn, in their order. */
  readonly #order: string[] = [];

  constructor(options: LoadersOptions) {
    this.#options = options;
    this.#metadata = new DataLoader(
      async (datasetIds) => datasetIds.map((id) => this.#add({ datasetId: id, loading: Promise.withResolvers() })),
      { cacheMap: this.#metadataOf },
    );
    this.#results = new DataLoader(async (requests) => requests.map((request) => this.#add(request)));
  }

  /** The metadata of a dataset. Rejects with a RestError. */
  async metadata(datasetId: string): Promise<DatasetMetadata> {
    this.#order.push(datasetId);
    return this.#metadata.load(datasetId);
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
    return this.#load(datasetId, 'rows', filterOf(assetIds, timeRange), signal, reader);
  }

  /**
   * Results with the attributes of one asset, from any results of this operation that ask for it. Rejects with a RestError.
   *
   * @param signal as for `rows`
   */
  async attributes(datasetId: string, assetId: string, signal?: AbortSignal): Promise<Results> {
    return this.#load(datasetId, 'attributes', filterOf([assetId], undefined), signal);
  }

  /** So many fields will read results of a dataset later, as announced readers. Call it before the first one does. */
  announceReaders(datasetId: string, count: number): void {
    this.#dataset(datasetId).announceReaders(count);
  }

  /** Reserves memory for the operation. Waits for the promise, if it returns one. */
  reserveMemory(bytes: number): Promise<void> | undefined {
    return this.#options.session.memory.reserve(bytes);
  }

  /** The calls as text, line by line. The cache can answer them too. */
  *print(): Generator<string> {
    for (const datasetId of this.#metadataOf.keys()) yield `GET metadata of ${JSON.stringify(datasetId)}`;
    for (const dataset of this.#datasets.values()) yield* dataset.print();
  }

  async #load(
    datasetId: string,
    kind: ResultsRequest['kind'],
    filter: Filter,
    signal?: AbortSignal,
    reader?: Reader,
  ): Promise<Results> {
    this.#order.push(datasetId);
    const request = this.#dataset(datasetId).request(kind, filter, signal, reader);
    const results = await this.#results.load(request);
    for (const response of results.responses) if (response.isHeldInPart) response.open(reader);
    return results;
  }

  #add<T>(request: (MetadataRequest | ResultsRequest) & { readonly loading: PromiseWithResolvers<T> }): Promise<T> {
    if (this.#batch.push(request) === 1) queueMicrotask(() => this.#startBatch());
    return request.loading.promise;
  }

  /** Starts the calls, dataset by dataset. */
  #startBatch(): void {
    const byDataset = Map.groupBy(this.#batch.splice(0), (request) => request.datasetId);
    for (const datasetId of new Set([...this.#order.splice(0), ...byDataset.keys()])) {
      const ofResults: ResultsRequest[] = [];
      for (const request of byDataset.get(datasetId) ?? []) {
        if (request instanceof ResultsRequest) ofResults.push(request);
        else request.loading.resolve(readMetadata(this.#options.session, datasetId));
      }
      if (ofResults.length > 0) this.#dataset(datasetId).start(ofResults);
    }
  }

  #dataset(datasetId: string): DatasetCalls {
    const known = this.#datasets.get(datasetId);
    if (known !== undefined) return known;
    const dataset = new DatasetCalls(datasetId, this.#options);
    this.#datasets.set(datasetId, dataset);
    return dataset;
  }
}

/** A request for the metadata of one dataset. */
interface MetadataRequest {
  readonly datasetId: string;
  readonly loading: PromiseWithResolvers<DatasetMetadata>;
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
  const body = await session.metadata(datasetId);
  const cached = session.cachedBody?.(body);
  try {
    const known = cached?.derivedData();
    if (known instanceof DecodedMetadata) return known.metadata;
    const metadata = await decodeMetadata(body.bytes);
    cached?.attach(new DecodedMetadata(metadata, body.bytes.length));
    return metadata;
  } catch (error) {
    cached?.discard();
    throw error;
  } finally {
    body.release();
  }
}
