import { isDatasetId } from '../core/dataset-id.ts';
import { isGlobalId } from '../core/global-id.ts';
import type { InputMaybe, ResultsFilterInput, TimeRangeInput } from '../generated/schema.ts';
import type { RowsFilter } from '../loaders/loaders.ts';
import { badUserInput, limitExceeded } from './errors/errors.ts';

const MAX_ASSET_ID_LENGTH = 200;

/** The most asset ids in all filters of one operation, with repetitions. */
export const MAX_ASSET_IDS = 10_000;

/** The most metric names in the argument of one field. */
const MAX_METRIC_NAMES = 1000;

/** @throws GraphQLError BAD_USER_INPUT for an invalid dataset id */
export function checkDatasetId(id: string): void {
  if (!isDatasetId(id)) {
    throw badUserInput(
      'A dataset id must have 1 to 200 characters and no control characters, and must not be "." or "..".',
    );
  }
}

/** Whether an asset of the service may have this id. */
export function isAssetId(text: string): boolean {
  return text.length > 0 && text.length <= MAX_ASSET_ID_LENGTH;
}

/** Whether the service may be asked for the asset with this id. */
export function isAskedAssetId(text: string): boolean {
  return isAssetId(text) && !isGlobalId(text);
}

/** @throws GraphQLError BAD_USER_INPUT for an invalid asset id, or an `Asset.id` in its place */
export function checkAssetId(assetId: string): void {
  if (isGlobalId(assetId))
    throw badUserInput('This is an id of `Asset.id`, among the assets of all datasets. The `assetId` is needed here.');
  if (!isAssetId(assetId)) throw badUserInput('An asset id must have 1 to 200 characters.');
}

/** @throws GraphQLError BAD_USER_INPUT for a negative count */
export function checkCount(name: string, count: number | null | undefined): void {
  if (count !== null && count !== undefined && count < 0) throw badUserInput(`"${name}" must not be negative.`);
}

/** @throws GraphQLError REQUEST_LIMIT_EXCEEDED for too many metric names */
export function checkMetricNames(names: readonly string[] | null | undefined): void {
  if (names && names.length > MAX_METRIC_NAMES) {
    throw limitExceeded(`A list of metric names must have at most ${MAX_METRIC_NAMES} entries.`);
  }
}

/** The names of metrics of an argument, each once. Undefined for all. @throws GraphQLError as `checkMetricNames` */
export function distinctNames(names: readonly string[] | null | undefined): string[] | undefined {
  checkMetricNames(names);
  return names ? [...new Set(names)] : undefined;
}

/** @throws GraphQLError BAD_USER_INPUT for a name that a URL cannot have */
export function checkMetricsInUrl(names: readonly string[] | undefined): void {
  if (names?.some((name) => !name.isWellFormed()))
    throw badUserInput('The URL of a file cannot have the name of a metric with a lone surrogate.');
}

/** The most quantiles of one field. */
const MAX_QUANTILES = 20;

/** @throws GraphQLError BAD_USER_INPUT for a number that is no quantile, REQUEST_LIMIT_EXCEEDED for too many */
export function checkQuantiles(quantiles: readonly number[]): void {
  if (quantiles.length > MAX_QUANTILES) {
    throw limitExceeded(`A list of quantiles must have at most ${MAX_QUANTILES} entries.`);
  }
  if (quantiles.some((quantile) => !(quantile >= 0 && quantile <= 1))) {
    throw badUserInput('A quantile must be a number from 0 to 1.');
  }
}

/** The quantiles of a file, each once, because each has a column. @throws GraphQLError as `checkQuantiles` */
export function distinctQuantiles(quantiles: readonly number[]): number[] {
  checkQuantiles(quantiles);
  return [...new Set(quantiles)];
}

/**
 * Converts a filter for the loaders: null means absent, and repeated ids are removed.
 *
 * @throws GraphQLError BAD_USER_INPUT for an invalid asset id or time range
 */
export function toRowsFilter(input: InputMaybe<ResultsFilterInput> | undefined): RowsFilter {
  const assetIds = input?.assetIds ?? undefined;
  for (const assetId of assetIds ?? []) checkAssetId(assetId);
  return { assetIds: assetIds && [...new Set(assetIds)], timeRange: toTimeRange(input?.timeRange) };
}

/**
 * Converts a time range for the loaders. Undefined if there is none.
 *
 * @throws GraphQLError BAD_USER_INPUT for a range without a bound, or with its start after its stop
 */
export function toTimeRange(input: InputMaybe<TimeRangeInput> | undefined): RowsFilter['timeRange'] {
  if (input === null || input === undefined) return undefined;
  const start = input.start?.first;
  const stop = input.stop?.last;
  if (start === undefined && stop === undefined) throw badUserInput('A time range needs a start or a stop.');
  if (start !== undefined && stop !== undefined && start > stop) {
    throw badUserInput('A time range must not start after its stop.');
  }
  return { start, stop };
}
