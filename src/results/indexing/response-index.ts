import type { ArrivingBody } from '../../core/arriving-body.ts';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { type WireField, wrongType } from '../../rest/wire.ts';
import { BATCH, type Steps } from '../steps.ts';
import type { AssetReader } from './asset-reader.ts';
import { AssetTable } from './asset-table.ts';
import { type AssetConsumer, type MemberKind, ResponseReader } from './response-reader.ts';
import type { RowIndex } from './row-index.ts';

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

/** How many bytes of a body that passes are read before the assets in them are dropped. */
const BATCH_BYTES = 1 << 16;
/** About the bytes of memory of an asset without its rows. */
const ASSET_MEMORY = 160;
/** Memory is reserved for this many assets at once. Such a small amount does not wait behind large responses. */
const ASSETS_RESERVED = 256;

/**
 * Indexes a results response (REST specification, section 4.3) while it arrives: finds each asset and its rows. Invalid data
 * stays local: one value becomes an error, one entry is omitted, or the rows of one asset take the generic path.
 */
export class ResponseIndexer implements AssetConsumer {
  omitted = false;
  readonly #body: ArrivingBody;
  readonly #reader: ResponseReader;
  #assets: WireField<AssetTable>;
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
    return this.soFar;
  }

  /** What was read so far. */
  get soFar(): IndexedResponse {
    const { processingId, sourceId, rowIndex } = this.#reader;
    return { processingId, sourceId, assets: this.#assets, omitted: this.omitted, offsets: rowIndex.memory };
  }

  /** Drops all assets of a body that passes, after a BATCH. */
  drop(): void {
    const { rowIndex } = this.#reader;
    (this.#assets as AssetTable).clear();
    rowIndex.length = 0;
    this.#reserved = ASSETS_RESERVED;
    this.#reader.drop();
  }

  /** As ResponseReader#refresh. */
  refresh(): void {
    this.#reader.refresh();
  }

  assets(kind: MemberKind): void {
    const { rowIndex } = this.#reader;
    // The assets of an earlier list have passed.
    if (this.#body.isPassing) throw wrongType;
    this.omitted = false;
    rowIndex.length = 0;
    this.#reserved = ASSETS_RESERVED;
    if (kind === 'list') this.#assets = new AssetTable(this.#body.pooled, rowIndex);
    else this.#assets = kind === 'null' ? null : wrongType;
  }

  asset({ attributes, rows, omitted }: AssetReader, rowIndex: RowIndex): Steps<void> | undefined {
    const assets = this.#assets as AssetTable;
    if (!attributes.hasId) {
      this.omitted = true;
      if (rows !== undefined) rowIndex.length = rows.firstOffsetEntry;
      return;
    }
    this.omitted ||= omitted;
    if (assets.isFull || assets.length >= this.#reserved) return this.#addToLarger(assets, attributes, rows);
    assets.add(attributes, rows);
    if (this.#body.isPassing && this.#reader.at >= BATCH_BYTES) return endBatch();
  }

  wrongEntry(): void {
    this.omitted = true;
  }

  *#addToLarger(assets: AssetTable, ...[attributes, rows]: Parameters<AssetTable['add']>): Steps<void> {
    if (assets.length >= this.#reserved) {
      this.#reserved += ASSETS_RESERVED;
      yield ASSETS_RESERVED * ASSET_MEMORY;
    }
    if (assets.isFull) yield* assets.grow();
    assets.add(attributes, rows);
    if (this.#body.isPassing && this.#reader.at >= BATCH_BYTES) yield BATCH;
  }
}

function* endBatch(): Steps<void> {
  yield BATCH;
}
