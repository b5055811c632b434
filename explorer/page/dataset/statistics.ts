import { bodyIn, OperationError } from '../operation-error.ts';
import { type Access, post } from '../post.ts';
import { errorsOf } from '../response/worker/errors.ts';
import type { TabText } from '../tab-text.ts';
import { bodyOf } from './operation.ts';

/** The statistics of one metric of some assets together. A part is null without values. */
export interface MetricStatistics {
  readonly name: string;
  /** The number of rows with a value, and without one. */
  readonly count: number;
  readonly nullCount: number;
  readonly mean: number | null;
  readonly standardDeviation: number | null;
  readonly minimum: MetricPoint | null;
  readonly maximum: MetricPoint | null;
}

/** A value, with its date and its asset. */
export interface MetricPoint {
  readonly value: number;
  readonly valueDate: string | null;
  readonly assetId: string;
}

/** The number of values of each metric on each date. */
export interface CountsByDate {
  readonly dates: readonly string[];
  readonly metrics: readonly { readonly name: string; readonly counts: readonly number[] }[];
}

/** The statistics of some metrics. */
export interface Statistics {
  readonly statistics: readonly MetricStatistics[];
  /** Null if there are too many dates. */
  readonly byDate: CountsByDate | null;
}

interface StatisticsResponse {
  readonly data?: {
    readonly dataset: {
      readonly results: (Pick<Statistics, 'byDate'> & { readonly statistics: Statistics['statistics'] | null }) | null;
    } | null;
  } | null;
}

/**
 * Asks for the statistics of a dataset.
 *
 * @throws OperationError when there are none
 * @throws TypeError when the server cannot be reached
 */
export async function loadStatistics(access: Access, operation: TabText, signal: AbortSignal): Promise<Statistics> {
  const response = await post(access, bodyOf(operation), signal);
  const body = (await bodyIn(response)) as StatisticsResponse;
  const { statistics = null, byDate = null } = body.data?.dataset?.results ?? {};
  if (statistics === null) throw new OperationError(errorsOf(body), 'The server has no statistics of this dataset.');
  return { statistics, byDate };
}
