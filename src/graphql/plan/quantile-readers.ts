import type { MetricAggregatesQuantilesArgs } from '../../generated/schema.ts';
import type { MetricAggregates, MetricStatistics, Quantiles } from '../../results/results.ts';
import { checkQuantiles } from '../input.ts';
import { type FieldReader, type FieldReaders, readProperty } from './object-json.ts';
import type { SelectedField, Variables } from './selected-fields.ts';

/** Read the quantiles of metrics: those that the argument of each field names. */
export function quantileReaders(variables: Variables): FieldReaders {
  const known = new Map<SelectedField, readonly number[] | Error>();
  const argumentOf = (field: SelectedField): readonly number[] | Error => {
    const argument = known.get(field) ?? readArgument(field, variables);
    known.set(field, argument);
    return argument;
  };
  const reader =
    (read: (quantiles: Quantiles, of: readonly number[]) => unknown): FieldReader =>
    (source, name, _selected, field) => {
      if (name !== 'quantiles') return readProperty(source, name, [], field);
      const of = argumentOf(field);
      if (of instanceof Error) return of;
      const { quantiles } = source as MetricAggregates | MetricStatistics;
      return quantiles instanceof Error ? quantiles : read(quantiles as Quantiles, of);
    };
  return {
    MetricAggregates: reader((quantiles, of) => lists(quantiles, of)),
    MetricStatistics: reader((quantiles, of) => of.map((quantile) => quantiles.of(0, quantile))),
  };
}

/** Makes each list when it is written. */
function* lists(quantiles: Quantiles, of: readonly number[]): Iterable<readonly (number | null)[]> {
  for (const quantile of of) yield quantiles.list(quantile);
}

function readArgument(field: SelectedField, variables: Variables): readonly number[] | Error {
  try {
    const { of } = field.args<MetricAggregatesQuantilesArgs>(variables);
    checkQuantiles(of);
    return of;
  } catch (error) {
    return error as Error;
  }
}
