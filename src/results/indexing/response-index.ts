import type { ArrivingBody } from '../../core/arriving-body.ts';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { type WireField, wrongType } from '../../rest/contract/wire.ts';
import { BATCH, type Steps } from '../../scanner/steps.ts';
import type { CollectedNames } from '../aggregates/distinct-names.ts';
import { Bailout } from '../bailout.ts';
import type { AssetReader } from './asset-reader.ts';
import { AssetTable } from './asset-table.ts';
import { ATTRIBUTE } from './attributes.ts';
import { NameCollector } from './name-collector.ts';
import { type AssetConsumer, type MemberKind, ResponseReader } from './response-reader.ts';

/** An indexed results response. */
export interface IndexedResponse {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Its assets. Null, undefined or an error if they are not a list. */
  readonly assets: WireField<AssetTable>;
  /** The number of further assets, of which nothing is kept. */
  readonly counted: number;
  /** The names of the metrics of all assets, if a body was skimmed for them. */
  readonly names: CollectedNames;
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
 * stays local: one value becomes an error, one entry is omitted, or the rows of one asset are decoded.
 */
export class ResponseIndexer implements AssetConsumer {
  omitted = false;
  readonly #body: ArrivingBody;
  readonly #reader: ResponseReader;
  #assets: WireField<AssetTable>;
  /** The number of assets for which there is memory. */
  #reserved = 0;
  /** Of a body that is skimmed: how many assets are kept, at least, and where their bytes end. */
  #kept: number | undefined;
  #keptEnd = 0;
  /** The number of assets that were dropped. */
  #counted = 0;
  #collector: NameCollector | undefined;

  constructor(body: ArrivingBody, yielder: EventLoopYielder) {
    this.#body = body;
    this.#reader = new ResponseReader(body, this, yielder);
  }

  /** Reads the whole response. @throws notJson for bytes that are not a JSON object in UTF-8 */
  *read(): Steps<IndexedResponse> {
    const { rowIndex } = this.#reader;
    try {
      yield* this.#reader.read();
      if (this.#assets instanceof AssetTable) yield* this.#collector?.begin(this.#assets) ?? [];
    } catch (error) {
      rowIndex.memory?.free();
      throw error;
    }
    return this.soFar;
  }

  /** What was read so far. */
  get soFar(): IndexedResponse {
    const { processingId, sourceId, rowIndex } = this.#reader;
    const [assets, counted, names] = [this.#assets, this.#counted, this.#collector?.names];
    return { processingId, sourceId, assets, counted, names, omitted: this.omitted, offsets: rowIndex.memory };
  }

  /** Where the bytes end that are kept of a body that is skimmed. */
  get keptEnd(): number {
    return this.#keptEnd;
  }

  /**
   * From now on it keeps of further assets, if it has so many, only those with an id that it has.
   *
   * @param collectsNames whether the names of the metrics of all assets are needed
   */
  skim(assets: number, collectsNames: boolean): void {
    this.#kept = assets;
    if (assets > 0) this.#keptEnd = this.#reader.at;
    if (collectsNames) this.#collector = new NameCollector(this.#body.pooled);
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
    this.#counted = 0;
    rowIndex.length = 0;
    this.#reserved = ASSETS_RESERVED;
    this.#collector?.restart();
    if (kind === 'list') this.#assets = new AssetTable(this.#body.pooled, rowIndex);
    else this.#assets = kind === 'null' ? null : wrongType;
  }

  asset(asset: AssetReader): Steps<void> | undefined {
    const { attributes, rows, omitted } = asset;
    if (!attributes.hasId) {
      this.omitted = true;
      if (rows !== undefined) this.#reader.rowIndex.length = rows.firstOffsetEntry;
      return;
    }
    this.omitted ||= omitted;
    return this.#collector === undefined ? this.#add(asset) : this.#collect(asset, this.#collector);
  }

  *#collect(asset: AssetReader, collector: NameCollector): Steps<void> {
    const { attributes, rows } = asset;
    yield* collector.begin(this.#assets as AssetTable);
    if (rows !== undefined) {
      const { start, content } = rows;
      yield* collector.add(start, content instanceof Bailout ? content : { templates: content });
    } else if ((attributes.wrong & (1 << ATTRIBUTE.results)) !== 0) collector.addWrong();
    yield* this.#add(asset) ?? [];
  }

  #add(asset: AssetReader): Steps<void> | undefined {
    const { attributes, rows } = asset;
    const assets = this.#assets as AssetTable;
    if (!this.#isKept(assets, asset)) return;
    if (assets.isFull || assets.length >= this.#reserved) return this.#addToLarger(assets, asset);
    assets.add(attributes, rows);
    if (this.#body.isPassing && this.#reader.at >= this.#body.sizes.batch) return endBatch();
  }

  wrongEntry(): void {
    this.omitted = true;
  }

  /** Whether an asset is kept. If not, because the body is skimmed, it is counted. */
  #isKept(assets: AssetTable, { attributes, rows }: AssetReader): boolean {
    if (this.#kept === undefined) return true;
    const { rowIndex } = this.#reader;
    if (this.#kept === 0) {
      this.#counted += assets.length;
      assets.clear();
      rowIndex.length = 0;
    } else if (assets.length < this.#kept || assets.hasIdOf(attributes)) {
      this.#keptEnd = this.#reader.at;
      return true;
    }
    this.#counted += 1;
    if (rows !== undefined) rowIndex.length = Math.min(rowIndex.length, rows.firstOffsetEntry);
    this.#reader.drop(this.#keptEnd);
    return false;
  }

  *#addToLarger(assets: AssetTable, { attributes, rows }: AssetReader): Steps<void> {
    if (assets.length >= this.#reserved) {
      this.#reserved += ASSETS_RESERVED;
      yield ASSETS_RESERVED * ASSET_MEMORY;
    }
    if (assets.isFull) yield* assets.grow();
    assets.add(attributes, rows);
    if (this.#body.isPassing && this.#reader.at >= this.#body.sizes.batch) yield BATCH;
  }
}

function* endBatch(): Steps<void> {
  yield BATCH;
}
