import type { MetricAggregatesResolvers, MetricStatisticsResolvers } from '../../generated/resolvers.ts';
import type { Quantiles } from '../../results/results.ts';
import { UNITS_PER_ENTRY } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { checkQuantiles } from '../input.ts';

/** Reads quantiles that were computed. Charges them. */
function quantilesOf<T>(
  quantiles: Quantiles | Error | undefined,
  of: readonly number[],
  { budget }: OperationContext,
  read: (quantiles: Quantiles) => T,
): T | Error {
  checkQuantiles(of);
  if (quantiles === undefined) throw new Error('The quantiles were not computed.');
  if (quantiles instanceof Error) return quantiles;
  budget.spendWork(of.length * quantiles.length * UNITS_PER_ENTRY);
  return read(quantiles);
}

/** The quantiles of a metric by date. */
export const MetricAggregates: MetricAggregatesResolvers = {
  quantiles: ({ quantiles }, { of }, context) =>
    quantilesOf(quantiles, of, context, (all) => of.map((each) => all.list(each))),
};

/** The quantiles of a metric in all. */
export const MetricStatistics: MetricStatisticsResolvers = {
  quantiles: ({ quantiles }, { of }, context) =>
    quantilesOf(quantiles, of, context, (all) => of.map((each) => all.of(0, each))),
};
