import type { ResultResolvers } from '../../generated/resolvers.ts';
import { findMetric } from '../../results/results.ts';
import { checkMetricNames } from '../input.ts';

/** A row: its metrics, all or some of them. */
export const Result: ResultResolvers = {
  metrics: ({ metrics }, { metrics: names }) => {
    checkMetricNames(names);
    if (metrics === null || metrics === undefined || metrics instanceof Error) return metrics;
    if (names === null || names === undefined) return metrics;
    const selected = new Set(names);
    return metrics.filter(({ name }) => typeof name === 'string' && selected.has(name));
  },
  value: ({ metrics }, { metric }) => {
    if (metrics === null || metrics === undefined || metrics instanceof Error) return metrics;
    return findMetric(metrics, metric)?.value;
  },
};
