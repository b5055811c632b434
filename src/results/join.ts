import { EventLoopYielder } from '../core/event-loop-yielder.ts';
import { RestError } from '../rest/contract/rest-error.ts';
import type { WireField } from '../rest/contract/wire.ts';
import { PAUSE, runSteps, type Steps } from '../scanner/steps.ts';
import { type AssetEntries, type AssetEntry, type AssetsById, addLatest, isNewer } from './asset-entries.ts';
import { JoinedEntries } from './joined-entries.ts';
import type { ResultsResponse } from './results-response.ts';
import type { ResultsFields } from './series.ts';

/** The work of one entry, in the bytes that the event-loop yielder counts. */
const ENTRY_BYTES = 64;

/** A response that serves a filter: as received, or only these assets of it. */
export interface ResponsePart {
  readonly response: ResultsResponse;
  readonly only?: ReadonlySet<string>;
}

/** Joins the parts of one filter's results, in their order. */
export function joinParts(parts: readonly ResponsePart[]): Promise<ResultsFields> {
  const yielder = new EventLoopYielder();
  return runSteps(join(parts, yielder), yielder);
}

function* join(parts: readonly ResponsePart[], yielder: EventLoopYielder): Steps<ResultsFields> {
  const assets = yield* joinAssets(parts, yielder);
  const [first, ...others] = parts;
  const isWhole = first !== undefined && first.only === undefined && others.length === 0;
  return {
    processingId: firstKnown(parts.map(({ response }) => response.series.processingId)),
    sourceId: firstKnown(parts.map(({ response }) => response.series.sourceId)),
    assets,
    names: isWhole ? first.response.series.names : undefined,
    latest: isWhole ? first.response.latest : yield* joinLatest(assets, yielder),
    incomplete: incompleteOf(parts),
    arriving: first?.response.arriving,
  };
}

/** One asset, found in the responses that serve its request. */
export interface FoundAsset {
  /** The first entry with the highest version. Undefined if the service reports no such asset. */
  readonly entry: AssetEntry | undefined;
  /** The responses with omitted parts. */
  readonly incomplete: readonly ResultsResponse[];
}

/** Picks one asset from responses, possibly of several time ranges. */
export function pickAsset(parts: readonly ResponsePart[], assetId: string): FoundAsset {
  const wrong = parts.map(({ response }) => response.series.assets).find((assets) => assets instanceof Error);
  if (wrong !== undefined) throw wrong;
  let entry: AssetEntry | undefined;
  for (const { response } of parts) {
    const candidate = response.latest.get(assetId);
    if (candidate !== undefined && (entry === undefined || isNewer(candidate, entry))) entry = candidate;
  }
  return { entry, incomplete: incompleteOf(parts) };
}

function incompleteOf(parts: readonly ResponsePart[]): ResultsResponse[] {
  return parts.map(({ response }) => response).filter((response) => response.series.omitted);
}

function* joinAssets(parts: readonly ResponsePart[], yielder: EventLoopYielder): Steps<WireField<AssetEntries>> {
  const [first, ...others] = parts;
  if (first === undefined) return null;
  if (first.only === undefined && others.length === 0) return first.response.series.assets;
  const joined = new JoinedEntries();
  let lists = 0;
  let error: RestError | undefined;
  for (const { response, only } of parts) {
    const { assets } = response.series;
    if (assets instanceof RestError) error ??= assets;
    if (assets === null || assets === undefined || assets instanceof RestError) continue;
    lists += 1;
    for (let index = 0; index < assets.length; index += 1) {
      const asset = assets.at(index);
      // Of the other entries only the number is known.
      if (asset === undefined) break;
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
