import type { ArrivingBody } from '../core/arriving-body.ts';
import type { Attachment, PooledBuffer } from '../core/buffer-pool.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { RestError } from '../rest/errors.ts';
import { decodeTimeSeries, type TimeSeries, type WireField } from '../rest/wire.ts';
import { type AssetEntries, type AssetEntry, type AssetsById, latestOf } from './asset-entries.ts';
import { AssetTable } from './indexing/asset-table.ts';
import { type IndexedResponse, ResponseIndexer } from './indexing/response-index.ts';
import { notJson } from './indexing/scanner.ts';
import { type Reserve, runSteps } from './steps.ts';

/** A results response (REST specification, section 4.3) whose entries are an array or an index into its bytes. */
export interface SeriesFields extends Omit<TimeSeries, 'assets'> {
  readonly assets: WireField<AssetEntries>;
}

/** About the bytes of memory of the objects of an index. */
const INDEX_BYTES = 4096;

/** The index of a body. It serves everyone who reads the same bytes, and changes no more. */
export class BodyIndex implements Attachment {
  readonly #fields: IndexedResponse;
  /** The memory of the bytes that were indexed. */
  readonly #memory: ArrayBufferLike;

  constructor(fields: IndexedResponse, memory: ArrayBufferLike) {
    this.#fields = fields;
    this.#memory = memory;
  }

  get bytes(): number {
    const { assets } = this.#fields;
    return INDEX_BYTES + (assets instanceof AssetTable ? assets.memoryBytes : 0);
  }

  /** Whether it is the index of these bytes, and not of a copy of them. */
  isOf(body: PooledBuffer): boolean {
    return this.#memory === body.bytes.buffer;
  }

  /**
   * The response for one reader.
   *
   * @param body the bytes that were indexed, as this reader has them
   * @param isOwner whether the index belongs to the response
   */
  open(body: PooledBuffer, isOwner: boolean): ResultsResponse {
    const { assets: all, offsets, ...fields } = this.#fields;
    const assets = all instanceof AssetTable ? all.sharedBy(body) : all;
    const latest = assets instanceof AssetTable ? assets.latest : new Map<string, AssetEntry>();
    return new ResultsResponse({ ...fields, assets }, latest, body, isOwner ? this : undefined);
  }

  /** Returns its memory to the pool. */
  release(): void {
    this.#fields.offsets?.release();
  }
}

/** The response of one results call, from its index to its release. */
export class ResultsResponse {
  readonly series: SeriesFields;
  /** The entry with the highest version of each asset. */
  readonly latest: AssetsById;
  readonly #body: PooledBuffer;
  #index: BodyIndex | undefined;

  constructor(series: SeriesFields, latest: AssetsById, body: PooledBuffer, index?: BodyIndex) {
    this.series = series;
    this.latest = latest;
    this.#body = body;
    this.#index = index;
  }

  /** Offers its own index to someone who keeps it, if there is one. @param keep returns whether it is kept */
  offerIndex(keep: (index: Attachment) => boolean): void {
    if (this.#index !== undefined && keep(this.#index)) this.#index = undefined;
  }

  /** The ids of its assets. */
  get assetIds(): ReadonlySetLike<string> {
    return this.latest;
  }

  /** Returns its memory to the pool. After that, reading an entry throws. */
  release(): void {
    this.#body.release();
    this.#index?.release();
  }
}

/**
 * Indexes the body of a results response, step by step, while it arrives. The rows stay bytes until they are needed. The
 * indexer writes to the body in one case: it clears the sign of a negative zero.
 *
 * @throws RestError `invalidResponse` when the body is not a JSON object in UTF-8, and what `reserve` throws
 */
export async function indexBody(body: ArrivingBody, reserve: Reserve): Promise<BodyIndex> {
  const yielder = new EventLoopYielder();
  try {
    const indexer = new ResponseIndexer(body, yielder);
    const supplies = { reserve, more: () => body.more(), refresh: () => indexer.refresh() };
    return new BodyIndex(await runSteps(indexer.read(), yielder, supplies), body.pooled.bytes.buffer);
  } catch (error) {
    if (error !== notJson) throw error;
    throw new RestError('getDatasetResults', 'invalidResponse', { status: 200, cause: error });
  }
}

/**
 * Decodes the whole body of a results response at once, on the generic path.
 *
 * @throws RestError `invalidResponse` when the body is not a JSON object in UTF-8
 */
export function decodeBody(body: PooledBuffer): ResultsResponse {
  const series = decodeTimeSeries(body.bytes);
  return new ResultsResponse(series, latestOf(series.assets), body);
}
