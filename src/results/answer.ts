import type { RestError } from '../rest/errors.ts';
import { type AssetResult, decodeAsset, decodeTimeSeries, type Received, type TimeSeries } from '../rest/wire.ts';
import { type AssetPlaces, indexAnswer } from './answer-index.ts';
import type { FastWayCounter } from './counter.ts';
import { Decline } from './decline.ts';
import { decodeSlice, IndexedAsset } from './indexed-asset.ts';
import { Pacer } from './pacer.ts';
import type { RowsSlice } from './row-index.ts';

/** An asset's entry in an answer. Its rows are decoded when somebody reads `results`, and not before. */
export interface AssetEntry extends AssetResult {
  /** Where the rows stand in the answer's bytes, for the fast way; null without rows, undefined where that is not known. */
  readonly slice?: RowsSlice | null;
  /** Whether its attributes are known to be of their types. */
  readonly isSound?: boolean;
}

/** The answer of one results call. */
export interface ResultsAnswer {
  readonly series: TimeSeries & { readonly assets: Received<readonly AssetEntry[]> };
  /** The ids of the assets that the answer holds. */
  readonly assetIds: ReadonlySet<string>;
  /** Of each asset the entry with the highest version. */
  readonly latest: ReadonlyMap<string, AssetEntry>;
  /** What its bytes and the places in them stand in. */
  readonly memory: readonly Buffer[];
}

/**
 * Reads the bytes of a results answer: the fast way, which leaves the rows as bytes until they are wanted; or, where
 * that is off or declines, the plain way, which decodes them all and defines what is right.
 *
 * @param counter counts what the fast way declines; undefined where it is off
 * @throws RestError `invalidResponse` when they are no JSON object
 */
export async function readAnswer(body: Buffer, counter: FastWayCounter | undefined): Promise<ResultsAnswer> {
  const { series, places } = (counter && (await readIndexed(body, counter))) ?? { series: decodeTimeSeries(body) };
  const latest = latestEntries(series.assets);
  return { series, assetIds: new Set(latest.keys()), latest, memory: places ? [body, places] : [body] };
}

async function readIndexed(
  body: Buffer,
  counter: FastWayCounter,
): Promise<{ series: ResultsAnswer['series']; places?: Buffer } | undefined> {
  try {
    const assets: AssetEntry[] = [];
    const { rest, places } = await indexAnswer(body, new Pacer(), (asset) => assets.push(toEntry(body, asset)));
    const series = decodeTimeSeries(Buffer.from(rest));
    return { series: Array.isArray(series.assets) ? { ...series, assets } : series, places };
  } catch (error) {
    if (!(error instanceof Decline)) throw error;
    counter.declined(error.reason);
    return undefined;
  }
}

function toEntry(body: Buffer, { attributes, slice, json }: AssetPlaces): AssetEntry {
  if (attributes !== undefined) return new IndexedAsset(body, attributes, slice);
  const asset = decodeAsset(json());
  if (asset === undefined) throw Decline.leftOut;
  if (slice === null) return { ...asset, slice };
  let rows: AssetResult['results'];
  return {
    ...asset,
    slice,
    get results() {
      rows ??= decodeSlice(slice);
      return rows;
    },
  };
}

/** A part of what a filter gets: an answer as received, or only these assets of it. */
export interface AnswerPart {
  readonly answer: ResultsAnswer;
  readonly only?: ReadonlySet<string>;
}

/** The results of one filter. */
export interface Results {
  readonly processingId: Received<string>;
  readonly sourceId: Received<string>;
  /** Every entry in the order received; one asset may have several, of different versions. */
  readonly assets: Received<readonly AssetEntry[]>;
  /** Of each asset the entry with the highest version. */
  readonly latest: ReadonlyMap<string, AssetEntry>;
  /** The answers in which something made no sense and had to be left out. */
  readonly incomplete: readonly ResultsAnswer[];
}

/** Joins the parts that make up one filter's results, in their order. */
export function joinParts(parts: readonly AnswerPart[]): Results {
  const assets = joinAssets(parts);
  return {
    processingId: firstKnown(parts.map(({ answer }) => answer.series.processingId)),
    sourceId: firstKnown(parts.map(({ answer }) => answer.series.sourceId)),
    assets,
    latest: latestEntries(assets),
    incomplete: incompleteOf(parts),
  };
}

/** The results of a filter that asks for no assets at all: known without asking. */
export const noResults: Results = joinParts([
  {
    answer: {
      series: { processingId: null, sourceId: null, assets: [], dropped: false },
      assetIds: new Set(),
      latest: new Map(),
      memory: [],
    },
  },
]);

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

/** An absent version is the lowest, and of equal ones the first counts. */
function latestEntries(assets: Received<readonly AssetEntry[]>): Map<string, AssetEntry> {
  const latest = new Map<string, AssetEntry>();
  if (assets instanceof Error) return latest;
  for (const asset of assets ?? []) {
    const known = latest.get(asset.assetId);
    if (known === undefined || isNewer(asset, known)) latest.set(asset.assetId, asset);
  }
  return latest;
}

function isNewer(asset: AssetEntry, than: AssetEntry): boolean {
  if (typeof asset.version !== 'bigint') return false;
  return typeof than.version !== 'bigint' || asset.version > than.version;
}

function incompleteOf(parts: readonly AnswerPart[]): ResultsAnswer[] {
  return parts.map(({ answer }) => answer).filter((answer) => answer.series.dropped);
}

function joinAssets(parts: readonly AnswerPart[]): Received<readonly AssetEntry[]> {
  const lists = parts.map(({ answer, only }) => {
    const { assets } = answer.series;
    if (only === undefined || assets === null || assets === undefined || assets instanceof Error) return assets;
    return assets.filter((asset) => only.has(asset.assetId));
  });
  const [first, ...others] = lists;
  if (others.length === 0) return first;
  const error = lists.find((list): list is RestError => list instanceof Error);
  if (error !== undefined) return error;
  const known = lists.filter((list): list is readonly AssetEntry[] => list !== null && list !== undefined);
  return known.length === 0 ? null : known.flat();
}

function firstKnown<T>(values: readonly Received<T>[]): Received<T> {
  return values.find((value) => value !== null && value !== undefined);
}
