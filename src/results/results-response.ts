import type { ArrivingBody } from '../core/arriving-body.ts';
import type { DerivedData, PooledBuffer } from '../core/buffer-pool.ts';
import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import type { WireField } from '../rest/contract/wire.ts';
import { notJson } from '../scanner/scanner.ts';
import { type Reserve, runUntil } from '../scanner/steps.ts';
import type { CollectedNames } from './aggregates/distinct-names.ts';
import { ArrivingAssets } from './arriving-assets.ts';
import type { AssetEntries, AssetEntry, AssetsById, AttributeCopies } from './asset-entries.ts';
import { AssetTable } from './indexing/asset-table.ts';
import { type IndexedResponse, ResponseIndexer } from './indexing/response-index.ts';

/** ProcessingResultTimeSeries (REST specification, section 2.4), whose entries are an index into its bytes. */
export interface SeriesFields {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  readonly assets: WireField<AssetEntries>;
  /** Whether list entries were omitted: assets without an id, and entries that are not objects. */
  readonly omitted: boolean;
  /** The names of the metrics of all entries, if not all of these are kept. */
  readonly names?: CollectedNames;
}

/** What an operation needs of a response beside its assets in their order, so that it may pass. */
export interface PassingNeeds {
  readonly processingId: boolean;
  readonly sourceId: boolean;
  /** Is called if they come behind the assets, so that the response does not pass. */
  readonly whenLate?: () => void;
}

/** An operation needs only the first assets of a response, and the number of all. */
export interface FirstAssets {
  readonly first: number;
  /** Whether it needs the names of the metrics of all assets, too. */
  readonly names: boolean;
}

/** What an operation needs of a response, if not all of it has to be kept. */
export type PartialNeeds = PassingNeeds | FirstAssets;

/** About the bytes of memory of the objects of an index. */
const INDEX_BYTES = 4096;

/** The index of a body. It serves everyone who reads the same bytes, and changes no more. */
export class BodyIndex implements DerivedData {
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
    const { assets: all, counted, offsets, ...fields } = this.#fields;
    const table = all instanceof AssetTable ? all.viewFor(body) : undefined;
    const latest = table?.latest ?? new Map<string, AssetEntry>();
    const assets = table !== undefined && counted > 0 ? new FirstEntries(table, counted) : (table ?? all);
    return new ResultsResponse({ ...fields, assets }, latest, body, { index: isOwner ? this : undefined });
  }

  /** Returns its memory to the pool. */
  release(): void {
    this.#fields.offsets?.release();
  }
}

/** The first entries of a response, and the number of all. */
class FirstEntries implements AssetEntries {
  readonly length: number;
  readonly #table: AssetTable;

  /** @param counted the number of those that are not in the table, above 0 */
  constructor(table: AssetTable, counted: number) {
    this.length = table.length + counted;
    this.#table = table;
  }

  at(index: number): AssetEntry | undefined {
    return this.#table.at(index);
  }

  attributeBytesIn(start: number, end: number, copies: AttributeCopies): number {
    const { length } = this.#table;
    // Of the others nothing is written.
    return this.#table.attributeBytesIn(Math.min(start, length), Math.min(end, length), copies);
  }
}

/** The response of one results call, from its index to its release. */
export class ResultsResponse {
  readonly series: SeriesFields;
  /** The first entry with the highest version of each asset. */
  readonly latest: AssetsById;
  /** The assets of a response that passes to the client while it arrives. `series` has those that came first. */
  readonly arriving: ArrivingAssets | undefined;
  readonly #body: PooledBuffer;
  #index: BodyIndex | undefined;
  /** Who may still read it; undefined if all of it is held. */
  #readers: Set<object> | undefined;

  constructor(
    series: SeriesFields,
    latest: AssetsById,
    body: PooledBuffer,
    { index, arriving }: { readonly index?: BodyIndex | undefined; readonly arriving?: ArrivingAssets } = {},
  ) {
    this.series = series;
    this.latest = latest;
    this.arriving = arriving;
    this.#body = body;
    this.#index = index;
    const { assets } = series;
    if (arriving !== undefined || assets instanceof FirstEntries) this.#readers = new Set();
  }

  /** Counts those who will read it, before the first of them does. What they do not need may be dropped. */
  admit(readers: readonly object[]): void {
    for (const reader of readers) this.#readers?.add(reader);
  }

  /** Someone begins to read it. @throws Error if not all of it is held, and the reader was not counted, or has read it */
  open(reader?: object): void {
    if (this.#readers === undefined || (reader !== undefined && this.#readers.delete(reader))) return;
    throw new Error('A response of which only a part is held has a reader that was not counted.');
  }

  /** A response that passes. */
  static passing(
    arriving: ArrivingAssets,
    { offsets, counted, ...series }: IndexedResponse,
    body: PooledBuffer,
  ): ResultsResponse {
    return new ResultsResponse(series, arriving.table.latest, body, { arriving });
  }

  /** Offers its own index to someone who keeps it, if there is one. @param keep returns whether it is kept */
  offerIndex(keep: (index: DerivedData) => boolean): void {
    if (this.#index !== undefined && keep(this.#index)) this.#index = undefined;
  }

  /** Whether an asset has several entries, as far as all of them are held. */
  get repeatsAssets(): boolean {
    const { assets } = this.series;
    return assets instanceof AssetTable && this.latest.size < assets.length;
  }

  /** The ids of its assets. */
  get assetIds(): ReadonlySetLike<string> {
    return this.latest;
  }

  /** Returns its memory to the pool. After that, reading an entry throws. */
  release(): void {
    this.#body.release();
    this.#index?.release();
    this.arriving?.release();
  }
}

/**
 * Indexes the body of a results response, step by step, while it arrives. The rows stay bytes until they are needed. The
 * indexer writes to the body in one case: it clears the sign of a negative zero.
 *
 * @param needs of an operation that does not need all of the response: then of a large body only a part is held
 * @returns the index of the whole body, or a response that passes
 * @throws RestError `invalidResponse` when the body is not a JSON object in UTF-8, and what `reserve` throws
 */
export async function indexBody(
  body: ArrivingBody,
  reserve: Reserve,
  needs?: PartialNeeds,
): Promise<BodyIndex | ResultsResponse> {
  const yielder = new EventLoopYielder();
  try {
    const indexer = new ResponseIndexer(body, yielder);
    const steps = indexer.read();
    const supplies = { reserve, more: () => body.more(), refresh: () => indexer.refresh() };
    // Of no asset anything is needed: the rows of the first ones need no memory either.
    if (needs !== undefined && 'first' in needs && needs.first === 0) decide(body, indexer, needs);
    const index = await runUntil(() => decide(body, indexer, needs), steps, yielder, supplies);
    if (index !== undefined) {
      if (body.isPartial) body.shrink(indexer.keptEnd);
      return new BodyIndex(index, body.pooled.bytes.buffer);
    }
    const arriving = new ArrivingAssets({ body, indexer, steps, yielder, reserve });
    return ResultsResponse.passing(arriving, indexer.soFar, body.pooled);
  } catch (error) {
    // Otherwise it would wait for the decision.
    if (!body.isPartial) body.decide('kept');
    else body.release();
    if (error !== notJson) throw error;
    throw new RestError('getDatasetResults', 'invalidResponse', { status: 200, cause: error });
  }
}

/** Decides about a body that waits for it. Returns whether it passes. */
function decide(body: ArrivingBody, indexer: ResponseIndexer, needs: PartialNeeds | undefined): boolean {
  if (!body.isUndecided) return false;
  if (needs === undefined) {
    body.decide('kept');
  } else if ('first' in needs) {
    const isKept = isMostOf(body, indexer.soFar, needs);
    if (!isKept) indexer.skim(needs.first, needs.names);
    body.decide(isKept ? 'kept' : 'skimmed');
  } else {
    body.decide(hasAllBeforeAssets(indexer.soFar, needs) ? 'passing' : 'kept');
  }
  return body.isPassing;
}

/** Whether the first assets that are needed are probably half of a body or more: growing memory would cost more than all of it. */
function isMostOf(
  { bytes, expectedLength }: ArrivingBody,
  { assets }: IndexedResponse,
  { first }: FirstAssets,
): boolean {
  if (expectedLength === undefined || first === 0) return false;
  const expected = assets instanceof AssetTable ? (assets.length * expectedLength) / bytes.length : 0;
  return first * 2 >= expected;
}

/** Whether all that an operation needs beside the assets came before them, and the first assets, which show what they cost. */
function hasAllBeforeAssets({ processingId, sourceId, assets }: IndexedResponse, needs: PassingNeeds): boolean {
  const isLate = (needs.processingId && processingId === undefined) || (needs.sourceId && sourceId === undefined);
  if (isLate) needs.whenLate?.();
  return !isLate && assets instanceof AssetTable && assets.length > 0;
}
