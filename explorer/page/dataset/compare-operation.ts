import type { PageOperations } from '../settings.ts';
import { type TabText, variablesText } from '../tab-text.ts';
import type { Comparison } from './comparison.ts';
import { MAX_EXACT_DAYS, MAX_ROWS, medianQuantiles, pointsFor, quantilesOperation, timeRange } from './operation.ts';
import { lengthOf, type Shown } from './view.ts';

/**
 * The operation that reads what a comparison draws. Years take the REST call of a view without one, two times and two datasets one
 * for each.
 */
export function compareOperation(
  id: string,
  shown: Shown,
  comparison: Comparison,
  operations: PageOperations,
): TabText {
  const { metrics, days } = shown;
  const { assetIds } = comparison;
  const hasQuantiles = assetIds.length === 0;
  if (comparison.kind === 'years') {
    if (hasQuantiles) return quantilesOperation(id, shown, medianQuantiles, operations);
    return textOf(operations.reducedColumns, { id, assetIds, metrics, ...timeRange(days), points: MAX_ROWS });
  }
  if (comparison.kind === 'datasets') {
    const ids = { id, otherId: comparison.other.id, ...(!hasQuantiles && { assetIds }) };
    return textOf(operations.compareDatasets, { ...ids, metrics, ...timeRange(comparison.days) });
  }
  const { timeRange: first } = timeRange(comparison.days);
  const { timeRange: second } = timeRange(comparison.earlier);
  if (hasQuantiles) return textOf(operations.compareByDate, { id, metrics, first, second });
  const points = pointsFor(assetIds.length * 2);
  const isExact = lengthOf(comparison.days) <= MAX_EXACT_DAYS;
  return textOf(operations.compareRanges, { id, assetIds, metrics, first, second, ...(!isExact && { points }) });
}

function textOf(query: string, variables: Readonly<Record<string, unknown>>): TabText {
  return { query, variables: variablesText(variables) };
}
