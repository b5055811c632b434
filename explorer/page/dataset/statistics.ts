import { type Access, post } from '../post.ts';
import type { TabText } from '../tab-text.ts';
import { bodyOf } from './operation.ts';

/** The statistics of one metric of all assets. A part is null without values. */
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

interface StatisticsResponse {
  readonly data?: {
    readonly dataset: { readonly results: { readonly statistics: readonly MetricStatistics[] | null } | null } | null;
  } | null;
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * Asks for the statistics of a dataset.
 *
 * @throws Error with a message for the user when there are none
 */
export async function loadStatistics(
  access: Access,
  operation: TabText,
  signal: AbortSignal,
): Promise<readonly MetricStatistics[]> {
  const response = await post(access, bodyOf(operation), signal);
  const { data, errors = [] }: StatisticsResponse = await response.json();
  const statistics = data?.dataset?.results?.statistics;
  if (!statistics) throw new Error(errors[0]?.message ?? 'The server has no statistics of this dataset.');
  return statistics;
}
