import { isDatasetId } from '../core/dataset-id.ts';
import type { InputMaybe, ResultsFilterInput, TimeRangeInput } from '../generated/resolvers.ts';
import type { RowsFilter } from '../loaders/results.ts';
import { badUserInput, limitExceeded } from './errors.ts';
import { MAX_METRIC_NAMES } from './limits.ts';

const MAX_ASSET_ID_LENGTH = 200;

/** @throws GraphQLError BAD_USER_INPUT for a text that can be no dataset id */
export function checkDatasetId(id: string): void {
  if (!isDatasetId(id)) {
    throw badUserInput(
      'A dataset id has 1 to 200 characters, none of them a control character, and is not "." or "..".',
    );
  }
}

/** Whether a text can be an asset id. */
export function isAssetId(text: string): boolean {
  return text.length > 0 && text.length <= MAX_ASSET_ID_LENGTH;
}

/** @throws GraphQLError BAD_USER_INPUT for a text that can be no asset id */
export function checkAssetId(assetId: string): void {
  if (!isAssetId(assetId)) throw badUserInput('An asset id has 1 to 200 characters.');
}

/** @throws GraphQLError BAD_USER_INPUT for a negative count */
export function checkCount(name: string, count: number | null | undefined): void {
  if (count !== null && count !== undefined && count < 0) throw badUserInput(`"${name}" must not be negative.`);
}

/** @throws GraphQLError REQUEST_LIMIT_EXCEEDED for more metric names than one argument may have */
export function checkMetricNames(names: readonly string[] | null | undefined): void {
  if (names && names.length > MAX_METRIC_NAMES) {
    throw limitExceeded(`A list of metrics has at most ${MAX_METRIC_NAMES} names.`);
  }
}

/**
 * A filter as the loaders take it: what is null is absent, repeated ids are left out.
 *
 * @throws GraphQLError BAD_USER_INPUT for a filter that can match nothing by mistake
 */
export function toRowsFilter(input: InputMaybe<ResultsFilterInput> | undefined): RowsFilter {
  const assetIds = input?.assetIds ?? undefined;
  for (const assetId of assetIds ?? []) checkAssetId(assetId);
  return { assetIds: assetIds && [...new Set(assetIds)], timeRange: toTimeRange(input?.timeRange) };
}

/**
 * A time range as the loaders take it; undefined where there is none.
 *
 * @throws GraphQLError BAD_USER_INPUT for a range without a bound, or one that starts after its stop
 */
export function toTimeRange(input: InputMaybe<TimeRangeInput> | undefined): RowsFilter['timeRange'] {
  if (input === null || input === undefined) return undefined;
  const start = input.start ?? undefined;
  const stop = input.stop ?? undefined;
  if (start === undefined && stop === undefined) throw badUserInput('A time range needs a start or a stop.');
  if (start !== undefined && stop !== undefined && start > stop) {
    throw badUserInput('A time range must not start after its stop.');
  }
  return { start, stop };
}
