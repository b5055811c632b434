import type { ArrivingBody } from '../core/arriving-body.ts';
import type { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import { notJson } from '../scanner/scanner.ts';
import { BATCH, MORE, PAUSE, type Reserve, type Steps } from '../scanner/steps.ts';
import type { AssetTable } from './indexing/asset-table.ts';
import { SeenIds } from './indexing/id-hash.ts';
import type { IndexedResponse, ResponseIndexer } from './indexing/response-index.ts';
import type { Writing } from './writing/output-chunks.ts';

/** How many ids are noted between two pauses. */
const IDS_PER_TIME_SLICE = 4096;

/** What is read of a response that passes, and what for. */
export interface ArrivingSource {
  readonly body: ArrivingBody;
  readonly indexer: ResponseIndexer;
  /** The rest of the indexer's work. */
  readonly steps: Steps<IndexedResponse>;
  readonly yielder: EventLoopYielder;
  readonly reserve: Reserve;
}

/**
 * The assets of a response that passes to the client while it arrives. `table` has those that are held; `advance` drops them
 * and reads the next ones. There is one reader, and it takes them in order.
 */
export class ArrivingAssets {
  readonly table: AssetTable;
  readonly #source: ArrivingSource;
  /** The ids of the response that came before the assets. */
  readonly #used: readonly IndexedResponse['processingId'][];
  readonly #seen = new SeenIds();
  /** The number of assets that were dropped. */
  #dropped = 0;
  #wait: typeof MORE | typeof BATCH | undefined;
  #isDone = false;
  #isOpen = false;
  /** Is called if an asset has several entries, of which some have passed already. */
  whenRepeated: () => void = () => {};

  constructor(source: ArrivingSource) {
    const { processingId, sourceId, assets } = source.indexer.soFar;
    this.#source = source;
    this.#used = [processingId, sourceId];
    this.table = assets as AssetTable;
  }

  /** Its one reader begins. @throws Error if another one has begun: what it read is dropped */
  open(): void {
    if (this.#isOpen) throw new Error('A response that drops what was read has a second reader.');
    this.#isOpen = true;
  }

  /** The index of the first asset in the table among all assets. */
  get start(): number {
    return this.#dropped;
  }

  /** How much of the body was read, from 0 to 1; 1 if its length is unknown. */
  get readPart(): number {
    const { body } = this.#source;
    return body.expectedLength === undefined ? 1 : body.bytes.length / body.expectedLength;
  }

  /** Whether entries of lists were omitted, so far. */
  get omitted(): boolean {
    return this.#source.indexer.omitted;
  }

  /**
   * Reads further assets. Yields while other work may run, and promises that have to be waited for. Returns whether there are
   * any.
   *
   * @param isUnique whether an asset must have one entry, because its attributes are those of its highest version
   * @throws RestError if the rest of the response does not come, or is not what the service must send
   */
  *advance(isUnique: boolean): Generator<void | Promise<void>, boolean> {
    const { body, indexer, steps, yielder, reserve } = this.#source;
    if (this.#isDone) return false;
    let taken = this.table.length;
    try {
      for (;;) {
        if (this.#wait === MORE) {
          yield body.more();
          yielder.restart();
          indexer.refresh();
        } else if (this.#wait === BATCH) {
          if (isUnique) yield* this.#note();
          this.#dropped += this.table.length;
          indexer.drop();
          taken = 0;
        }
        this.#wait = undefined;
        const { done, value } = steps.next();
        if (done === true) {
          this.#isDone = true;
          this.#check(value);
          if (isUnique) yield* this.#note();
          return this.table.length > taken;
        }
        if (value === MORE || value === BATCH) {
          this.#wait = value;
          if (this.table.length > taken) return true;
        } else if (value === PAUSE) {
          yield;
          yielder.restart();
        } else {
          yield reserve(value);
        }
        if (value !== MORE && value !== BATCH) indexer.refresh();
      }
    } catch (error) {
      throw error === notJson ? invalid(error) : error;
    }
  }

  /** Notes the ids of the assets in the table. @throws RestError if one of them has passed before */
  *#note(): Generator<void | Promise<void>> {
    let count = 0;
    for (const [hash, second] of this.table.idHashes()) {
      if (this.#seen.isFull)
        for (const bytes of this.#seen.grow()) yield bytes === PAUSE ? undefined : this.#source.reserve(bytes);
      if (!this.#seen.add(hash, second)) {
        this.whenRepeated();
        throw invalid(new Error('An asset has several entries, which are far from each other.'));
      }
      count += 1;
      if (count % IDS_PER_TIME_SLICE === 0) yield;
    }
  }

  /** @throws RestError if what is after the assets contradicts what was used before them */
  #check({ processingId, sourceId }: IndexedResponse): void {
    const isSame = [processingId, sourceId].every((value, index) => {
      const used = this.#used[index];
      return used === undefined || used === value;
    });
    if (!isSame) throw invalid();
  }

  /** Writes an id of the response, which is known when all assets were read. */
  writeId(name: 'processingId' | 'sourceId'): Writing {
    return ({ out, errors, work }) =>
      this.#atEnd(() => {
        const id = this.#source.indexer.soFar[name];
        const fail = (error: Error) => errors.add(undefined, { key: name, nodes: undefined }, error);
        if (id instanceof Error) fail(id);
        else if (typeof id === 'string') {
          if (work.reserve(id.length)) {
            out.text(JSON.stringify(id));
            return;
          }
          fail(errors.workExceeded());
        }
        out.text('null');
      });
  }

  /** Reads what is left of the assets first: the field that had to read them may have been refused. */
  *#atEnd(write: () => void): Generator<void | Promise<void>, void> {
    while (yield* this.advance(false));
    write();
  }

  /** Returns its memory to the pool. */
  release(): void {
    this.#source.indexer.soFar.offsets?.release();
    this.#source.body.release();
  }
}

function invalid(cause?: unknown): RestError {
  return new RestError('getDatasetResults', 'invalidResponse', { status: 200, cause });
}
