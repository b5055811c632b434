import { type Units, withUnit } from '../units.ts';
import type { DatasetSummary, RestCalls } from './worker/protocol.ts';

/** A dataset whose metrics are named with their units, wherever its values are shown. Files have the names alone. */
export function labelledMetrics(dataset: DatasetSummary, units: Units): DatasetSummary {
  return units.size === 0 ? dataset : { ...dataset, metrics: dataset.metrics.map((name) => withUnit(name, units)) };
}

/** The dataset of all values of a response: all of its REST calls are about it. Undefined if there are several, or if it is not known. */
export function datasetIdIn(restCalls: RestCalls | undefined): string | undefined {
  // A list has at most a thousand calls, and the count has all.
  if (restCalls === undefined || restCalls.calls.length < restCalls.count) return undefined;
  const ids = new Set(restCalls.calls.map(({ datasetId }) => datasetId));
  return ids.size === 1 ? [...ids][0] : undefined;
}
