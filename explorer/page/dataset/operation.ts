import { drawnQuantiles } from '../../src/examples.ts';
import type { PageOperations } from '../settings.ts';
import { type TabText, variablesText } from '../tab-text.ts';
import { type Days, lengthOf, type Shown } from './view.ts';

/** The most rows of all lines together, as far as the page can choose. */
export const MAX_ROWS = 20_000;

/** The quantiles of which the median alone is drawn. */
export const medianQuantiles = [0.5];

/** The most rows of one line: some for each pixel of a wide screen. */
const MAX_POINTS = 5000;

/** A range of at most so many days is short: it is read whole. */
export const MAX_EXACT_DAYS = 7;

/**
 * The operation that reads what is drawn. It is small: what a chart of many rows does not show stays on the server.
 *
 * @param parts how many such operations read what is drawn
 */
export function chartOperation(datasetId: string, shown: Shown, operations: PageOperations, parts = 1): TabText {
  const { assetIds, metrics, days, hasQuantiles } = shown;
  if (hasQuantiles && assetIds.length === 0) return quantilesOperation(datasetId, shown, drawnQuantiles, operations);
  const variables = { id: datasetId, assetIds, metrics, ...timeRange(days) };
  const points = pointsFor(assetIds.length * parts);
  if (hasQuantiles)
    return {
      query: operations.byDateWithAssets,
      variables: variablesText({ ...variables, quantiles: drawnQuantiles, points }),
    };
  if (lengthOf(days) <= MAX_EXACT_DAYS) return { query: operations.columns, variables: variablesText(variables) };
  return { query: operations.reducedColumns, variables: variablesText({ ...variables, points }) };
}

/** The operation that reads quantiles of all assets. */
export function quantilesOperation(
  id: string,
  { metrics, days }: Shown,
  quantiles: readonly number[],
  { quantilesByDate }: PageOperations,
): TabText {
  return { query: quantilesByDate, variables: variablesText({ id, metrics, ...timeRange(days), quantiles }) };
}

/** The most rows of each of so many lines. */
export function pointsFor(lines: number): number {
  return Math.min(MAX_POINTS, Math.floor(MAX_ROWS / Math.max(1, lines)));
}

/** The operation that reads the statistics of the chosen metrics: of the chosen assets together, without any of all. */
export function statisticsOperation(
  id: string,
  { assetIds, metrics, days }: Shown,
  { statistics }: PageOperations,
): TabText {
  const variables = { id, ...(assetIds.length > 0 && { assetIds }), metrics, ...timeRange(days), hasDates: true };
  return { query: statistics, variables: variablesText(variables) };
}

/** The body of the request for an operation. */
export function bodyOf({ query, variables }: TabText): string {
  return JSON.stringify({ query, variables: JSON.parse(variables) });
}

/** The variable `timeRange`: whole days in UTC. It needs a bound. */
export function timeRange({ from, to }: Days): { timeRange?: { start?: string; stop?: string } } {
  if (from === '' && to === '') return {};
  return { timeRange: { ...(from && { start: from }), ...(to && { stop: to }) } };
}
