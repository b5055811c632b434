import type { ArrivingBody } from '../../core/arriving-body.ts';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { RestError } from '../../rest/contract/rest-error.ts';
import { wrongType } from '../../rest/contract/wire.ts';
import { notJson } from '../../scanner/scanner.ts';
import { MORE, PAUSE, type Reserve, type Steps, supply } from '../../scanner/steps.ts';
import { Bailout } from '../bailout.ts';
import type { AssetReader } from '../indexing/asset-reader.ts';
import type { AssetRows } from '../indexing/asset-table.ts';
import { ATTRIBUTE } from '../indexing/attributes.ts';
import { decodeString } from '../indexing/indexed-asset.ts';
import { type AssetConsumer, type MemberKind, ResponseReader } from '../indexing/response-reader.ts';
import type { RowsSlice } from '../indexing/row-index.ts';
import type { SeriesSink } from './row-sink.ts';

/** The memory of an index that is kept from one asset to the next. */
const MAX_KEPT_INDEX_BYTES = 1 << 18;

/** What a file takes of the memory of its operation, and what limits it. */
export interface EntryStreamLimits {
  /** Reserves memory for the index of rows. */
  readonly reserve: Reserve;
  /** Releases all of it. */
  readonly release: () => void;
  /** The most bytes of an asset (UPSTREAM_MAX_BYTES). */
  readonly maxAssetBytes: number;
}

/**
 * Reads a results response (REST specification, section 4.3) once, and passes all rows of each asset on. Of a response that passes it holds
 * one asset at a time, so the memory is that of the largest asset.
 *
 * A file cannot say that something is missing or wrong. So everything that is an error in a GraphQL response ends it: an
 * asset without an id, an entry that is no object, a value of another type, a number that is not finite, and an `assets`
 * that is repeated or no list. The text of a non-finite number is no value.
 */
export class EntryStream implements AssetConsumer {
  readonly #body: ArrivingBody;
  readonly #limits: EntryStreamLimits;
  readonly #sink: SeriesSink;
  readonly #reader: ResponseReader;
  readonly #yielder = new EventLoopYielder();
  #hasAssets = false;
  /** Where the asset begins that is being read. */
  #start = 0;
  /** What the sink waits for. */
  #waiting: Promise<void> | undefined;

  /** @param body it keeps belonging to the caller */
  constructor(body: ArrivingBody, sink: SeriesSink, limits: EntryStreamLimits) {
    this.#body = body;
    this.#limits = limits;
    this.#sink = sink;
    this.#reader = new ResponseReader(body, this, this.#yielder);
  }

  /**
   * The bytes of the file, as the sink fills them. They are made on demand. A consumer that stops early must call `return`.
   *
   * @throws RestError for a response that is not what the service must send, and what the body and the sink throw
   */
  async *chunks(): AsyncGenerator<readonly Buffer[], void> {
    try {
      const steps = this.#reader.read();
      const supplies = {
        reserve: this.#limits.reserve,
        more: () => this.#body.more(),
        refresh: () => this.#reader.refresh(),
      };
      for (;;) {
        const { done, value } = steps.next();
        if (this.#waiting !== undefined) await this.#waiting;
        this.#waiting = undefined;
        if (this.#sink.hasFilled) yield this.#sink.takeFilled();
        if (done === true) break;
        if (value === MORE) this.#checkSize(this.#body.bytes.length);
        await supply(value, this.#yielder, supplies);
      }
      for (const filled of this.#sink.finish()) {
        if (filled instanceof Promise) await filled;
        // Before the first bytes an error has its status.
        else if (filled.length > 0) yield filled;
        await this.#yielder.pause();
      }
    } catch (error) {
      throw error === notJson ? invalid(error) : error;
    } finally {
      this.#reader.rowIndex.clear();
      this.#limits.release();
    }
  }

  assets(kind: MemberKind): void {
    if (this.#hasAssets || kind === 'wrong') throw invalid();
    this.#hasAssets = true;
  }

  wrongEntry(): void {
    throw invalid();
  }

  *asset({ attributes, omitted, rows }: AssetReader): Steps<void> {
    const wrong =
      (1 << ATTRIBUTE.assetId) | (1 << ATTRIBUTE.name) | (1 << ATTRIBUTE.version) | (1 << ATTRIBUTE.results);
    this.#checkSize(this.#reader.at);
    if (!attributes.hasId || omitted || (attributes.wrong & wrong) !== 0) throw invalid();
    const version = this.#attribute(attributes, ATTRIBUTE.version);
    const name = this.#attribute(attributes, ATTRIBUTE.name);
    this.#sink.begin({
      assetId: decodeString(this.#attribute(attributes, ATTRIBUTE.assetId) ?? ''),
      name: name === null ? null : decodeString(name),
      version: version === null ? null : BigInt(version),
    });
    if (rows !== undefined) yield* this.#passSeries(this.#sink, rows);
    this.#clearRows();
    if (this.#body.isPartial) this.#reader.drop();
    this.#start = this.#reader.at;
  }

  #clearRows(): void {
    const { rowIndex } = this.#reader;
    if (rowIndex.entries.byteLength <= MAX_KEPT_INDEX_BYTES) {
      rowIndex.length = 0;
      return;
    }
    // Others may wait for so much memory, while the client reads what was made of it.
    rowIndex.clear();
    this.#limits.release();
  }

  /** @throws RestError `responseTooLarge` if the asset is too large that is being read, and has so far this end */
  #checkSize(end: number): void {
    const { maxAssetBytes: value } = this.#limits;
    if (end - this.#start <= value) return;
    throw new RestError('getDatasetResults', 'responseTooLarge', {
      status: 200,
      limit: { name: 'UPSTREAM_MAX_BYTES', value },
    });
  }

  *#passSeries(sink: SeriesSink, asset: AssetRows): Steps<void> {
    for (const step of sink.series(this.#sliceOf(asset))) {
      this.#waiting = step ?? undefined;
      if (step !== undefined || sink.hasFilled || this.#yielder.isDue()) yield PAUSE;
    }
  }

  #sliceOf({ start, end, count, longestRow, firstOffsetEntry, content }: AssetRows): RowsSlice {
    const isBailout = content instanceof Bailout;
    const rows = isBailout ? content : { index: this.#reader.rowIndex, firstOffsetEntry, count, templates: content };
    return { body: this.#body.pooled, start, end, length: end - start, count, longestRow, rows };
  }

  /** The JSON of an attribute; null if it has none. */
  #attribute({ present, starts, ends }: AssetReader['attributes'], attribute: number): string | null {
    if ((present & (1 << attribute)) === 0) return null;
    return this.#body.bytes.toString('utf8', starts[attribute], ends[attribute]);
  }
}

function invalid(cause?: unknown): RestError {
  return cause === undefined
    ? wrongType
    : new RestError('getDatasetResults', 'invalidResponse', { status: 200, cause });
}
