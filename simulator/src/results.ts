import type { SimulatedAsset, SimulatedDataset, SimulatedResult } from './dataset.ts';
import type { ResultsFilter } from './filter.ts';

/** The ProcessingResultTimeSeries (§2.4) of a dataset under a filter. */
export function selectResults(dataset: SimulatedDataset, filter: ResultsFilter): object {
  const { assets = [], ...identifiers } = dataset.results ?? {};
  return { ...identifiers, assets: assets.flatMap((asset) => selectAsset(asset, filter)) };
}

function selectAsset(asset: SimulatedAsset, { assetIds, start, stop }: ResultsFilter): SimulatedAsset[] {
  if (assetIds !== undefined && !assetIds.has(asset.asset_id ?? '')) {
    return [];
  }
  if (start === undefined && stop === undefined) {
    return [asset];
  }
  const results = (asset.results ?? []).filter((result) => isWithin(result, start, stop));
  // §4.3 leaves open whether an asset without a row in the range is listed; here it is not.
  return results.length === 0 ? [] : [{ ...asset, results }];
}

/**
 * §4.3 leaves open whether the bounds are inclusive; here both are. §2.8 leaves open the format of value_date: it is
 * compared as an instant, and a row with an unreadable date is in no range.
 */
function isWithin(result: SimulatedResult, start: bigint | undefined, stop: bigint | undefined): boolean {
  const instant = instantOf(result.value_date);
  return !Number.isNaN(instant) && (start === undefined || start <= instant) && (stop === undefined || instant <= stop);
}

const isoDate = /^\d{4}(?:-\d\d){0,2}(?:T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/;

/** Epoch milliseconds of an ISO 8601 date or date-time; without an offset it is in UTC, whatever the local time zone. */
function instantOf(valueDate: string | null | undefined): number {
  const match = isoDate.exec(valueDate ?? '');
  if (match === null) {
    return Number.NaN;
  }
  const [text, offset] = match;
  return Date.parse(text.includes('T') && offset === undefined ? `${text}Z` : text);
}
