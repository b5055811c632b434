import type { ArrivingBody } from '../core/arriving-body.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { RestError } from '../rest/errors.ts';
import { decodeTimeSeries, type TimeSeries, type WireField } from '../rest/wire.ts';
import { type AssetEntries, type AssetEntry, type AssetsById, latestOf } from './asset-entries.ts';
import { ResponseIndexer } from './indexing/response-index.ts';
import { notJson } from './indexing/scanner.ts';
import { type Reserve, runSteps } from './steps.ts';

/** A results response (REST specification, section 4.3) whose entries are an array or an index into its bytes. */
export interface SeriesFields extends Omit<TimeSeries, 'assets'> {
  readonly assets: WireField<AssetEntries>;
}

/** The response of one results call, from its index to its release. */
export class ResultsResponse {
  readonly series: SeriesFields;
  /** The entry with the highest version of each asset. */
  readonly latest: AssetsById;
  /** The number of bytes of its body. */
  readonly bodyBytes: number;
  /** The body, and the offset entries of its rows. */
  readonly #memory: readonly [body: PooledBuffer, offsets: PooledBuffer | undefined];

  constructor(series: SeriesFields, latest: AssetsById, memory: readonly [PooledBuffer, PooledBuffer | undefined]) {
    this.series = series;
    this.latest = latest;
    this.bodyBytes = memory[0].bytes.length;
    this.#memory = memory;
  }

  /** The ids of its assets. */
  get assetIds(): ReadonlySetLike<string> {
    return this.latest;
  }

  /** Returns its memory to the pool. After that, reading an entry throws. */
  release(): void {
    for (const memory of this.#memory) memory?.release();
  }
}

/**
 * Indexes the body of a results response, step by step, while it arrives. The rows stay bytes until they are needed. The
 * indexer writes to the body in one case: it clears the sign of a negative zero.
 *
 * @throws RestError `invalidResponse` when the body is not a JSON object in UTF-8, and what `reserve` throws
 */
export async function indexBody(body: ArrivingBody, reserve: Reserve): Promise<ResultsResponse> {
  const yielder = new EventLoopYielder();
  try {
    const indexer = new ResponseIndexer(body, yielder);
    const supplies = { reserve, more: () => body.more(), refresh: () => indexer.refresh() };
    const { assets, offsets, ...fields } = await runSteps(indexer.read(), yielder, supplies);
    const isList = assets !== null && assets !== undefined && !(assets instanceof RestError);
    const latest = isList ? assets.latest : new Map<string, AssetEntry>();
    return new ResultsResponse({ ...fields, assets }, latest, [body.pooled, offsets]);
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
  return new ResultsResponse(series, latestOf(series.assets), [body, undefined]);
}
