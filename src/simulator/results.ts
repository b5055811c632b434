import type { SimulatedAsset, SimulatedDataset, SimulatedResult } from './dataset.ts';
import { Refusal } from './response.ts';

/** ProcessingResultFilter (§2.2) as understood; an absent field restricts nothing. */
export interface ResultsFilter {
  readonly assetIds: ReadonlySet<string> | undefined;
  /** Epoch milliseconds. bigint, because an int64 bound need not fit a double. */
  readonly start: bigint | undefined;
  readonly stop: bigint | undefined;
}

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/**
 * Reads the body of the results operation.
 *
 * §4.3 leaves three things open. An omitted body and an absent field restrict nothing; so does an empty mo_ids, the
 * nastier reading, since a caller who means "no assets" then gets them all; and a range may have one bound only.
 */
export function parseFilter(body: string): ResultsFilter {
  if (body === '') {
    return { assetIds: undefined, start: undefined, stop: undefined };
  }
  const filter = parseJson(body);
  if (!isObject(filter)) {
    throw invalid('The filter is not an object.');
  }
  const assetIds = assetIdsOf(filter.mo_ids);
  const { start, stop } = rangeOf(filter.time_range);
  return { assetIds, start, stop };
}

/** Whether the filter leaves every asset and every row in the answer. */
export function restrictsNothing(filter: ResultsFilter): boolean {
  return filter.assetIds === undefined && filter.start === undefined && filter.stop === undefined;
}

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
  // §4.3 does not say whether an asset without a row in the range is listed; here it is not.
  return results.length === 0 ? [] : [{ ...asset, results }];
}

/**
 * §4.3 does not show whether the bounds are inclusive; here both are. Nor does §2.8 show the format of value_date: it
 * is compared as an instant, and a row whose date cannot be read is in no range.
 */
function isWithin(result: SimulatedResult, start: bigint | undefined, stop: bigint | undefined): boolean {
  const instant = instantOf(result.value_date);
  return !Number.isNaN(instant) && (start === undefined || start <= instant) && (stop === undefined || instant <= stop);
}

const isoDate = /^\d{4}(?:-\d\d){0,2}(?:T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/;

/** Epoch milliseconds of an ISO 8601 date or date-time; one without an offset is in UTC, whatever the machine says. */
function instantOf(valueDate: string | null | undefined): number {
  const match = isoDate.exec(valueDate ?? '');
  if (match === null) {
    return Number.NaN;
  }
  const [text, offset] = match;
  return Date.parse(text.includes('T') && offset === undefined ? `${text}Z` : text);
}

function assetIdsOf(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (!Array.isArray(value) || !value.every((id) => typeof id === 'string')) {
    throw invalid('mo_ids is not an array of strings.');
  }
  return value.length === 0 ? undefined : new Set(value);
}

function rangeOf(value: unknown): Pick<ResultsFilter, 'start' | 'stop'> {
  if (value === undefined) {
    return { start: undefined, stop: undefined };
  }
  if (!isObject(value)) {
    throw invalid('time_range is not an object.');
  }
  const start = boundOf(value, 'start_date');
  const stop = boundOf(value, 'stop_date');
  if (start !== undefined && stop !== undefined && start > stop) {
    throw invalid('time_range starts after it stops.');
  }
  return { start, stop };
}

function boundOf(range: Record<string, unknown>, name: 'start_date' | 'stop_date'): bigint | undefined {
  const value = range[name];
  if (value === undefined) {
    return undefined;
  }
  if (typeof value !== 'bigint' || value < int64.min || value > int64.max) {
    throw invalid(`${name} is not an int64.`);
  }
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, exactIntegers);
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not JSON.');
  }
}

/** Integers become bigint, from their source text: as a double the largest int64 would round out of the range. */
function exactIntegers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return value;
  }
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? BigInt(source) : BigInt(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): Refusal {
  return new Refusal('VALIDATION_EXCEPTION', message);
}
