import {
  type Asked,
  BodyError,
  type HeldBody,
  open,
  type PathError,
  type Reader,
  Selection,
} from '../../engine/index.ts';
import { type Body, HeldBytes } from '../core/body.ts';
import { acquireWorkspace, type PooledBuffer, releaseWorkspace } from '../core/buffer-pool.ts';
import { EventLoopYielder } from '../core/event-loop.ts';
import { invalidResults } from '../rest/contract/results-errors.ts';
import { MAX_PART_BYTES, tooLarge, type WireField, wrongType } from '../rest/contract/wire.ts';
import type { Output, Reserve } from './output.ts';

/** What an operation needs of a response beside its assets in their order, so that it may pass. */
export interface StreamRequirements {
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
export type Requirements = StreamRequirements | FirstAssets;

type Ids = Pick<Reader['head'], 'processingId' | 'sourceId' | 'errors'>;

/** The JSON of names of metrics, and why they are null. */
export interface MetricNames {
  readonly json: string;
  readonly errors: readonly PathError[];
}

/** What is known of a response besides its rows. */
interface ResponseFields {
  readonly ids: Ids;
  readonly list: Reader['list'];
  /** The number of entries of its list. */
  readonly count: number;
  /** Whether list entries were omitted: assets without an id, and entries that are not objects. */
  readonly omitted: boolean;
  /** The names of the metrics of all entries, if not all of these are kept. */
  readonly names?: MetricNames | undefined;
  /** Undefined if they pass. */
  readonly entries?: Reader['entries'];
  /** Whether bytes between the entries were dropped. */
  readonly isCut?: boolean;
  readonly streamed?: StreamedResults;
}

/** So many bytes are read at once: a reader copies them to memory of its own. */
export const SLICE_BYTES: number = 1 << 16;

const nothingAsked = new Selection({});
/** The names of the metrics of all entries. */
export const namesAsked: Asked = { key: '', field: 'metricNames' };
const onlyNames = new Selection({ all: [namesAsked] });

/** The response of one results call (REST specification, section 4.3), until its release. */
export class ResultsResponse {
  readonly fields: ResponseFields;
  /** The rest of it, if it passes to the client while it arrives. */
  readonly streamed: StreamedResults | undefined;
  /** The assets of it that are held. */
  readonly assetIds: ReadonlySetLike<string>;
  /** Whether an asset has several entries, as far as all of them are held. */
  readonly repeatsAssets: boolean;
  readonly #body: PooledBuffer;
  #omitted: boolean;
  /** Whether only a part of it is held, so that its readers are counted. */
  readonly isHeldInPart: boolean;
  /** Those who may still read it, if it is held in part. */
  readonly #readers = new Set<object>();

  constructor(fields: ResponseFields, body: PooledBuffer) {
    this.fields = fields;
    this.streamed = fields.streamed;
    this.#omitted = fields.omitted;
    this.#body = body;
    const { entries, count } = fields;
    this.assetIds = entries?.ids ?? new Set();
    this.repeatsAssets = entries?.isRepeated ?? false;
    this.isHeldInPart = this.streamed !== undefined || (entries?.length ?? count) < count;
  }

  /** Whether list entries were omitted: assets without an id, and entries that are not objects. Those of rows are known when they were read. */
  get omitted(): boolean {
    return this.#omitted || (this.streamed?.omitted ?? false);
  }

  set omitted(omitted: boolean) {
    this.#omitted = omitted;
  }

  /** Its bytes, and where its entries are. Undefined if they pass. @param only the assets whose entries count; undefined: all */
  held(only: ReadonlySet<string> | undefined): HeldBody | undefined {
    const { entries, isCut } = this.fields;
    return entries && new HeldResponse(this.#body, entries, isCut, only);
  }

  /** Counts those who will read it, before the first of them does. What they do not need may be dropped. */
  admit(readers: readonly object[]): void {
    for (const reader of readers) this.#readers.add(reader);
  }

  /** Someone begins to read it, if it is held in part. @throws Error if the reader was not counted, or has read it */
  open(reader?: object): void {
    if (reader !== undefined && this.#readers.delete(reader)) return;
    throw new Error('A response of which only a part is held has a reader that was not counted.');
  }

  /** Returns its memory to the pool. After that, reading it throws. */
  release(): void {
    this.#body.release();
    this.streamed?.body.release();
  }
}

/** A response that is held, or some assets of it. */
class HeldResponse implements HeldBody {
  readonly entries: Reader['entries'];
  readonly isCut: boolean | undefined;
  readonly only: ReadonlySet<string> | undefined;
  readonly #body: PooledBuffer;

  constructor(
    body: PooledBuffer,
    entries: Reader['entries'],
    isCut: boolean | undefined,
    only: ReadonlySet<string> | undefined,
  ) {
    this.#body = body;
    this.entries = entries;
    this.isCut = isCut;
    this.only = only;
  }

  get bytes(): Buffer {
    return this.#body.bytes;
  }
}

/** An id of a response. */
export function idIn(ids: Ids, name: 'processingId' | 'sourceId'): WireField<string> {
  const error = ids.errors[name];
  if (error === undefined) return ids[name];
  return error === 'tooLarge' ? tooLarge : wrongType;
}

/** A response that passes to the client while it arrives. There is one reader, which takes its bytes from the first on. */
export class StreamedResults {
  readonly body: Body;
  /** What was held until it was clear that it passes. */
  readonly #begin: PooledBuffer;
  /** Those that came before the assets. */
  readonly #used: Ids;
  #isOpen = false;
  /** What was read, when all was read. */
  ended: Reader['head'] | undefined;
  /** Is called if an asset has several entries. */
  whenRepeated: () => void = () => {};

  constructor(body: Body, begin: PooledBuffer, used: Ids) {
    this.body = body;
    this.#begin = begin;
    this.#used = { ...used, errors: { ...used.errors } };
  }

  /** Whether entries of lists were omitted. */
  get omitted(): boolean {
    return (this.ended?.omitted ?? 0) > 0;
  }

  id(name: 'processingId' | 'sourceId'): WireField<string> {
    return idIn(this.ended ?? this.#used, name);
  }

  /** Writes an id, which is known when all was read. */
  writeId(name: 'processingId' | 'sourceId'): (output: Output) => Iterable<string> {
    return ({ errors }) => {
      const { errors: own, [name]: id } = this.ended ?? this.#used;
      const kind = own[name];
      if (kind !== undefined) errors.add({ path: [], kind }, []);
      return [JSON.stringify(id ?? null)];
    };
  }

  /** Its one reader begins. @throws Error if another one has begun: what it read is dropped */
  open(): void {
    if (this.#isOpen) throw new Error('A response that drops what was read has a second reader.');
    this.#isOpen = true;
  }

  /** Its chunks, and promises that have to be waited for. A chunk is there until the next one is asked for. */
  *chunks(): Generator<Buffer | Promise<void>, void> {
    const { bytes } = this.#begin;
    yield bytes;
    this.#begin.release();
    this.body.drop(bytes.length);
    yield* this.body.chunks();
  }

  /** All of it was read. @throws RestError if what is behind the assets contradicts what was used before them */
  end(head: Reader['head']): void {
    this.ended = head;
    const isSame = (['processingId', 'sourceId'] as const).every((name) => {
      const used = idIn(this.#used, name);
      return used === undefined || used === idIn(head, name);
    });
    if (!isSame) throw invalidResults();
  }
}

/**
 * Reads the body of a results response while it arrives: where its entries are. Their rows are read when they are needed.
 *
 * @param reserve is called before memory is taken for what is noted
 * @param requirements of an operation that does not need all of the response: then of a large body only a part is held
 * @throws RestError `invalidResponse`, and what `reserve` throws
 */
export async function readResponse(
  body: Body,
  reserve: Reserve,
  requirements?: Requirements,
): Promise<ResultsResponse> {
  const held = new HeldBytes(body);
  let reader: ResponseReader | undefined;
  try {
    await held.begin();
    // All of a short body is held.
    const mayDrop = !body.isComplete && body.holdBytes !== undefined;
    reader = new ResponseReader(body, held, reserve, mayDrop ? requirements : undefined);
    return await reader.read();
  } catch (error) {
    try {
      // Of a body that is kept, the failure of the call comes first.
      if (error instanceof BodyError && reader?.isHeldInPart === false) await body.skipRest();
    } finally {
      held.release();
      body.release();
    }
    throw error instanceof BodyError ? invalidResults({ cause: error }) : error;
  }
}

class ResponseReader {
  readonly #body: Body;
  readonly #held: HeldBytes;
  readonly #reserve: Reserve;
  readonly #requirements: Requirements | undefined;
  readonly #first: number;
  readonly #yielder = new EventLoopYielder();
  readonly #workspace = acquireWorkspace();
  readonly #reader: Reader;
  /** How many of the bytes that are held were read. */
  #at = 0;
  /** What it holds of the body: all, the first entries, or nothing, because it passes to the client. */
  #holds: 'undecided' | 'all' | 'first' | 'nothing';
  /** Whether only a part of the body is held. */
  isHeldInPart = false;

  /** @param requirements undefined if all of the body is held */
  constructor(body: Body, held: HeldBytes, reserve: Reserve, requirements: Requirements | undefined) {
    this.#body = body;
    this.#held = held;
    this.#holds = requirements === undefined ? 'all' : 'undecided';
    this.#reserve = reserve;
    this.#requirements = requirements;
    this.#first = requirements !== undefined && 'first' in requirements ? requirements.first : Number.POSITIVE_INFINITY;
    const requiresNames = requirements !== undefined && 'first' in requirements && requirements.names;
    const limits = { work: Number.POSITIVE_INFINITY, reserved: 1 << 20, part: MAX_PART_BYTES };
    this.#reader = open(requiresNames ? onlyNames : nothingAsked, limits, { index: this.#first }, this.#workspace);
  }

  async read(): Promise<ResultsResponse> {
    const body = this.#body;
    const held = this.#held;
    try {
      for (;;) {
        const isWhole = held.take();
        // Of no asset anything is needed: the rows of the first ones need no memory either.
        if (this.#first === 0 && this.#isUndecided) this.#decide();
        if (this.#at < held.size) {
          const chunk = held.bytes.subarray(this.#at, this.#at + SLICE_BYTES);
          this.#at += chunk.length;
          this.#reader.push(chunk);
          const working = this.#work();
          if (working !== undefined) await working;
          if (this.isHeldInPart) this.#drop();
        } else if (this.#isUndecided) {
          if (this.#decide()) return this.#streamed();
        } else if (isWhole) break;
        else {
          await body.waitForBytes();
          await this.#yielder.goOn();
        }
      }
      this.#reader.end();
      await this.#work();
      if (this.isHeldInPart) {
        this.#drop();
        held.shrink(this.#reader.entries.end);
      }
      return this.#whole();
    } finally {
      this.#reader.close();
      releaseWorkspace(this.#workspace);
    }
  }

  /** Whether so much is there that it has to decide whether all of it is kept. */
  get #isUndecided(): boolean {
    return this.#holds === 'undecided' && this.#held.size > (this.#body.holdBytes ?? 0);
  }

  /** Works as long as there is something to do. Returns a promise only if it has to wait: until then the body does not change. */
  #work(): Promise<void> | undefined {
    while (this.#reader.wants === 0 && !this.#isDue()) if (!this.#reader.work()) return undefined;
    return this.#workOn();
  }

  async #workOn(): Promise<void> {
    for (let isMore = true; isMore; ) {
      const { wants } = this.#reader;
      if (wants > 0) {
        await this.#reserve(wants);
        this.#reader.reserve(wants);
      }
      isMore = this.#reader.work();
      if (this.#isDue()) await this.#yielder.pause();
    }
  }

  /** Whether other work may run. What is made of a short body that waits for the decision does not depend on how busy the process is. */
  #isDue(): boolean {
    return this.#yielder.isDue() && (!this.#isUndecided || this.#at > SLICE_BYTES);
  }

  /** Of a body of which a part is held, drops what no entry needs. */
  #drop(): void {
    const { entries, begun } = this.#reader;
    const from = this.#first === 0 ? this.#at : begun - entries.dropped;
    const bytes = from - entries.end;
    if (bytes <= 0) return;
    this.#held.drop(entries.end, from);
    entries.dropped += bytes;
    this.#at -= bytes;
  }

  /** Decides about a body that waits for it. Returns whether it passes. */
  #decide(): boolean {
    const requirements = this.#requirements as Requirements;
    if ('first' in requirements) this.#holds = this.#isMost() ? 'all' : 'first';
    else this.#holds = this.#mayStream(requirements) ? 'nothing' : 'all';
    this.isHeldInPart = this.#holds !== 'all';
    if (this.#holds === 'all') this.#body.hold();
    if (this.#holds === 'nothing') this.#body.stream();
    return this.#holds === 'nothing';
  }

  /** Whether the first assets that are needed are probably half of the body or more: growing memory would cost more than all of it. */
  #isMost(): boolean {
    const { length } = this.#body;
    if (length === undefined || this.#first === 0) return false;
    return this.#first * 2 >= (this.#reader.head.count * length) / this.#at;
  }

  /** Whether all that an operation needs beside the assets came before them. */
  #mayStream({ processingId, sourceId, whenLate }: StreamRequirements): boolean {
    const { head, list } = this.#reader;
    const isLate = (processingId && head.processingId === undefined) || (sourceId && head.sourceId === undefined);
    if (isLate) whenLate?.();
    return !isLate && list === 'list';
  }

  #streamed(): ResultsResponse {
    const { head, list } = this.#reader;
    const { pooled } = this.#held;
    const streamed = new StreamedResults(this.#body, pooled, head);
    return new ResultsResponse({ ids: head, list, count: 0, omitted: false, streamed }, pooled);
  }

  #whole(): ResultsResponse {
    const { head, list, entries, errors } = this.#reader;
    const [names] = this.#reader.values();
    return new ResultsResponse(
      {
        ids: head,
        list,
        count: head.count,
        omitted: head.omitted > 0,
        names: names && { json: names.toString(), errors },
        entries,
        isCut: entries.dropped > 0,
      },
      this.#held.pooled,
    );
  }
}
