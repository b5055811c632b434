import { stripIgnoredCharacters } from 'graphql';
import { placeholders } from '../../src/examples.ts';
import { datasetPath } from '../dataset-path.ts';
import { operationName } from '../open-tabs.ts';
import { timeOf } from '../response/worker/dates.ts';
import type { PageOperations } from '../settings.ts';
import type { TabText } from '../tab-text.ts';
import { bandQuantiles } from './operation.ts';
import { dayOf, fragmentOfView, MAX_LINES, type View } from './view.ts';

/** Where the page of a dataset draws an operation, or in few words why it cannot. */
export type OperationPage = { readonly address: string } | { readonly reason: string };

/** The variables that the page sets. */
const variableNames = ['id', 'assetIds', 'metrics', 'timeRange', 'quantiles', 'points'];

/**
 * The page that draws an operation: the inverse of `chartOperation`. The page chooses the number of points itself, draws at most so
 * many lines and these quantiles, and has whole days. Undefined for an operation that has nothing to do with it.
 */
export function pageOf({ query, variables }: TabText, operations: PageOperations): OperationPage | undefined {
  const own = [operations.columns, operations.reducedColumns, operations.bandWithAssets];
  if (!own.some((other) => operationName(other) === operationName(query))) return undefined;
  const document = own.find((other) => isSame(other, query));
  if (document === undefined) return { reason: 'The dataset page does not draw this query.' };
  const read = readVariables(variables);
  if (read === undefined) return { reason: 'The dataset page does not draw these variables.' };
  if (read.id === placeholders.datasetId) return undefined;
  const form = document === operations.bandWithAssets ? 'band' : 'lines';
  return { address: `${datasetPath(read.id)}${fragmentOfView({ ...read.view, form })}` };
}

/** Whether two documents differ in comments and white space at most. */
function isSame(document: string, other: string): boolean {
  try {
    return stripIgnoredCharacters(document) === stripIgnoredCharacters(other);
  } catch {
    // It is being typed.
    return false;
  }
}

function readVariables(text: string): { readonly id: string; readonly view: View } | undefined {
  try {
    const variables: unknown = JSON.parse(text);
    if (!isObject(variables)) return undefined;
    if (Object.keys(variables).some((name) => !variableNames.includes(name))) return undefined;
    const { id, assetIds, metrics, timeRange, quantiles = bandQuantiles } = variables;
    if (String(quantiles) !== String(bandQuantiles)) return undefined;
    if (typeof id !== 'string' || id === '') return undefined;
    const view = {
      assetIds: texts(assetIds)?.slice(0, MAX_LINES),
      metrics: texts(metrics),
      range: daysIn(timeRange),
    };
    return { id, view };
  } catch {
    return undefined;
  }
}

/** @throws TypeError when it is no list of texts */
function texts(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new TypeError('It is no list of texts.');
}

/** @throws TypeError when it is no time range */
function daysIn(timeRange: unknown): View['range'] {
  if (timeRange === undefined || timeRange === null) return 'all';
  if (!isObject(timeRange)) throw new TypeError('It is no time range.');
  return { from: dayIn(timeRange.start), to: dayIn(timeRange.stop) };
}

/**
 * The day of a bound in UTC; empty without one.
 *
 * @throws RangeError when it is no point in time that the page knows
 */
function dayIn(bound: unknown): string {
  if (bound === undefined || bound === null) return '';
  const isMilliseconds = typeof bound === 'number' || /^[+-]?\d+$/.test(String(bound));
  const day = dayOf((isMilliseconds ? Number(bound) : timeOf(String(bound))) ?? Number.NaN);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new RangeError('The page has days of years with four digits.');
  return day;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
