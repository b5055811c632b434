import { RestError } from '../rest/errors.ts';
import { type AssetResult, decodeTimeSeries, type TimeSeries, type WireField } from '../rest/wire.ts';
import { indexAnswer } from './answer-index.ts';
import { type AssetEntries, type AssetsById, addLatest, isNewer, latestOf } from './asset-entries.ts';
import { EventLoopYielder } from './event-loop-yielder.ts';
import type { RowsSlice } from './row-index.ts';
import { notJson } from './scanner.ts';
import { PAUSE, type Steps } from './yielding-reader.ts';

/** An asset's entry in an answer. Its rows are decoded when somebody reads `results`, and not before. */
export interface AssetEntry extends AssetResult {
  /** Where the rows stand in the answer's bytes, for the fast path; null without rows, undefined where that is not known. */
  readonly slice?: RowsSlice | null;
  /** The bytes of its attributes; undefined where the fast path is off. */
  readonly attributeBytes?: number;
}

/** The answer of one results call. */
export interface ResultsAnswer {
  readonly series: Omit<TimeSeries, 'assets'> & { readonly assets: WireField<AssetEntries> };
  /** The ids of the assets that the answer holds. */
  readonly assetIds: ReadonlySetLike<string>;
  /** Of each asset the entry with the highest version. */
  readonly latest: AssetsById;
  /** What its bytes and the offsets in them stand in. */
  readonly memory: readonly Buffer[];
}

/** Takes memory for so many bytes into account, or refuses it by an error; where it returns a promise it is waited for. */
export type Reserve = (bytes: number) => Promise<void> | undefined;

/** What reading an answer works with. */
export interface ReadOptions {
  /** False where the fast path is off: then the whole answer is decoded on the generic path, in one piece. */
  readonly fastPath: boolean;
  /** Called before memory is taken for what is built from the answer. */
  readonly reserve?: Reserve | undefined;
}

/**
 * Reads the bytes of a results answer. The fast path goes over them step by step, and leaves the rows as bytes until they
 * are wanted. It may write to the bytes: it clears the sign of a negative zero.
 *
 * @throws RestError `invalidResponse` when they are no JSON object in UTF-8, and what `reserve` throws
 */
export async function readAnswer(body: Buffer, { fastPath, reserve }: ReadOptions): Promise<ResultsAnswer> {
  if (!fastPath) {
    const series = decodeTimeSeries(body);
    const latest = latestOf(series.assets);
    return { series, assetIds: latest, latest, memory: [body] };
  }
  const yielder = new EventLoopYielder();
  try {
    const { assets, offsets, ...answer } = await follow(indexAnswer(body, yielder), yielder, reserve);
    const isList = assets !== null && assets !== undefined && !(assets instanceof RestError);
    const latest = isList ? assets.latest : new Map<string, AssetEntry>();
    const series = { ...answer, assets };
    return { series, assetIds: latest, latest, memory: [body, offsets] };
  } catch (error) {
    if (error !== notJson) throw error;
    throw new RestError('getDatasetResults', 'invalidResponse', { status: 200, cause: error });
  }
}

/** Does work step by step, so that others get their turn. */
async function follow<T>(steps: Steps<T>, yielder: EventLoopYielder, reserve?: Reserve): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (value === PAUSE) {
      await yielder.pause();
      continue;
    }
    try {
      await reserve?.(value);
    } catch (error) {
      // The work gives back what it has taken so far, and ends with this error.
      steps.throw(error);
    }
  }
}

/** What an entry counts when it is decided whether to pause. */
const ENTRY_BYTES = 64;

/** A part of what a filter gets: an answer as received, or only these assets of it. */
export interface AnswerPart {
  readonly answer: ResultsAnswer;
  readonly only?: ReadonlySet<string>;
}

/** The results of one filter. */
export interface Results {
  readonly processingId: WireField<string>;
  readonly sourceId: WireField<string>;
  /** Every entry in the order received; one asset may have several, of different versions. */
  readonly assets: WireField<AssetEntries>;
  /** Of each asset the entry with the highest version. */
  readonly latest: AssetsById;
  /** The answers in which something made no sense and had to be left out. */
  readonly incomplete: readonly ResultsAnswer[];
  /** The bytes of the answers. */
  readonly bytes: number;
}

/** Joins the parts that make up one filter's results, in their order. */
export function joinParts(parts: readonly AnswerPart[]): Promise<Results> {
  const yielder = new EventLoopYielder();
  return follow(join(parts, yielder), yielder);
}

function* join(parts: readonly AnswerPart[], yielder: EventLoopYielder): Steps<Results> {
  const assets = yield* joinAssets(parts, yielder);
  const [first, ...others] = parts;
  const isWhole = first !== undefined && first.only === undefined && others.length === 0;
  return {
    processingId: firstKnown(parts.map(({ answer }) => answer.series.processingId)),
    sourceId: firstKnown(parts.map(({ answer }) => answer.series.sourceId)),
    assets,
    latest: isWhole ? first.answer.latest : yield* joinLatest(assets, yielder),
    incomplete: incompleteOf(parts),
    bytes: parts.reduce((sum, { answer: { memory } }) => sum + (memory[0]?.length ?? 0), 0),
  };
}

/** The results of a filter that asks for no assets at all: known without asking. */
export const noResults: Results = {
  processingId: null,
  sourceId: null,
  assets: [],
  latest: new Map(),
  incomplete: [],
  bytes: 0,
};

/** One asset, as the answers that were asked for it show it. */
export interface AnsweredAsset {
  /** The entry with the highest version; undefined where the service reports no such asset. */
  readonly entry: AssetEntry | undefined;
  /** The answers in which something made no sense and had to be left out. */
  readonly incomplete: readonly ResultsAnswer[];
}

/** Picks one asset out of answers, those of several time ranges perhaps. */
export function pickAsset(parts: readonly AnswerPart[], assetId: string): AnsweredAsset {
  const wrong = parts.map(({ answer }) => answer.series.assets).find((assets) => assets instanceof Error);
  if (wrong !== undefined) throw wrong;
  let entry: AssetEntry | undefined;
  for (const { answer } of parts) {
    const candidate = answer.latest.get(assetId);
    if (candidate !== undefined && (entry === undefined || isNewer(candidate, entry))) entry = candidate;
  }
  return { entry, incomplete: incompleteOf(parts) };
}

function incompleteOf(parts: readonly AnswerPart[]): ResultsAnswer[] {
  return parts.map(({ answer }) => answer).filter((answer) => answer.series.dropped);
}

function* joinAssets(parts: readonly AnswerPart[], yielder: EventLoopYielder): Steps<WireField<AssetEntries>> {
  const [first, ...others] = parts;
  if (first === undefined) return null;
  if (first.only === undefined && others.length === 0) return first.answer.series.assets;
  const joined: AssetEntry[] = [];
  let lists = 0;
  let error: RestError | undefined;
  for (const { answer, only } of parts) {
    const { assets } = answer.series;
    if (assets instanceof RestError) error ??= assets;
    if (assets === null || assets === undefined || assets instanceof RestError) continue;
    lists += 1;
    for (let index = 0; index < assets.length; index += 1) {
      const asset = assets.at(index) as AssetEntry;
      if (only === undefined || only.has(asset.assetId)) joined.push(asset);
      if (yielder.worked(ENTRY_BYTES)) yield PAUSE;
    }
  }
  if (error !== undefined) return error;
  return lists === 0 ? null : joined;
}

function* joinLatest(assets: WireField<AssetEntries>, yielder: EventLoopYielder): Steps<AssetsById> {
  const latest = new Map<string, AssetEntry>();
  if (assets === null || assets === undefined || assets instanceof RestError) return latest;
  for (let index = 0; index < assets.length; index += 1) {
    addLatest(latest, assets.at(index) as AssetEntry);
    if (yielder.worked(ENTRY_BYTES)) yield PAUSE;
  }
  return latest;
}

function firstKnown<T>(values: readonly WireField<T>[]): WireField<T> {
  return values.find((value) => value !== null && value !== undefined);
}
