import type { ArrivingBody } from '../../core/arriving-body.ts';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { type WireField, wrongType } from '../../rest/wire.ts';
import type { Steps } from '../steps.ts';
import type { AssetReader } from './asset-reader.ts';
import { AssetTable } from './asset-table.ts';
import { type AssetConsumer, type MemberKind, ResponseReader } from './response-reader.ts';

/** An indexed results response. */
export interface IndexedResponse {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Its assets. Null, undefined or an error if they are not a list. */
  readonly assets: WireField<AssetTable>;
  /** Whether entries of lists are omitted. */
  readonly omitted: boolean;
  /** The memory of the rows' offset entries. */
  readonly offsets: PooledBuffer | undefined;
}

/** About the bytes of memory of an asset without its rows. */
const ASSET_MEMORY = 160;
/** Memory is reserved for this many assets at once. Such a small amount does not wait behind large responses. */
const ASSETS_RESERVED = 256;

/**
 * Indexes a results response (REST specification, section 4.3) while it arrives: finds each asset and its rows. Invalid data
 * stays local: one value becomes an error, one entry is omitted, or the rows of one asset take the generic path.
 */
export class ResponseIndexer implements AssetConsumer {
  readonly #body: ArrivingBody;
  readonly #reader: ResponseReader;
  #assets: WireField<AssetTable>;
  #omitted = false;
  /** The number of assets for which there is memory. */
  #reserved = 0;

  constructor(body: ArrivingBody, yielder: EventLoopYielder) {
    this.#body = body;
    this.#reader = new ResponseReader(body, this, yielder);
  }

  /** Reads the whole response. @throws notJson for bytes that are not a JSON object in UTF-8 */
  *read(): Steps<IndexedResponse> {
    const { rowIndex } = this.#reader;
    try {
      yield* this.#reader.read();
    } catch (error) {
      rowIndex.memory?.free();
      throw error;
    }
    const { processingId, sourceId } = this.#reader;
    return { processingId, sourceId, assets: this.#assets, omitted: this.#omitted, offsets: rowIndex.memory };
  }

  /** As ResponseReader#refresh. */
  refresh(): void {
    this.#reader.refresh();
  }

  assets(kind: MemberKind): void {
    const { rowIndex } = this.#reader;
    this.#omitted = false;
    rowIndex.length = 0;
    this.#reserved = ASSETS_RESERVED;
    if (kind === 'list') this.#assets = new AssetTable(this.#body.pooled, rowIndex);
    else this.#assets = kind === 'null' ? null : wrongType;
  }

  asset(asset: AssetReader): Steps<void> | undefined {
    const { attributes, rows, omitted } = asset;
    const assets = this.#assets as AssetTable;
    if (!attributes.hasId) {
      this.#omitted = true;
      if (rows !== undefined) this.#reader.rowIndex.length = rows.firstOffsetEntry;
      return;
    }
    this.#omitted ||= omitted;
    if (assets.isFull || assets.length >= this.#reserved) return this.#addToLarger(assets, asset);
    assets.add(attributes, rows);
  }

  wrongEntry(): void {
    this.#omitted = true;
  }

  *#addToLarger(assets: AssetTable, { attributes, rows }: AssetReader): Steps<void> {
    if (assets.length >= this.#reserved) {
      this.#reserved += ASSETS_RESERVED;
      yield ASSETS_RESERVED * ASSET_MEMORY;
    }
    if (assets.isFull) yield* assets.grow();
    assets.add(attributes, rows);
  }
}
