import { stripIgnoredCharacters } from 'graphql';
import { type InputTime, inputTimeOf } from '../../../src/core/dates.ts';
import { drawnQuantiles, placeholders } from '../../src/examples.ts';
import { datasetPath } from '../dataset-path.ts';
import { operationName } from '../open-tabs.ts';
import type { PageOperations } from '../settings.ts';
import type { TabText } from '../tab-text.ts';
import { MAX_ROWS, medianQuantiles } from './operation.ts';
import { type PeriodUnit, periodUnitIn } from './period-unit.ts';
import { type Days, dayOf, fragmentOfView, lengthOf, MAX_LINES, otherDatasetIn, type View } from './view.ts';

/** Where the page of a dataset draws an operation, or in few words why it cannot. */
export type OperationPage = { readonly address: string } | { readonly reason: string };

type Variables = Readonly<Record<string, unknown>>;

/** What reads the view in the variables of each operation. It throws when the page does not draw them. */
const views = {
  columns: linesOf,
  reducedColumns: linesOrYearsOf,
  quantilesByDate: quantilesOf,
  byDateWithAssets: quantilesOf,
  compareRanges: rangesOf,
  compareByDate: comparedQuantilesOf,
  compareDatasets: datasetsOf,
  periodMap: periodsOf,
} satisfies Partial<Record<keyof PageOperations, (variables: Variables) => View>>;
const drawn = Object.keys(views) as (keyof typeof views)[];

/**
 * The page that draws an operation: the inverse of `chartOperation`, `compareOperation` and `periodsOperation`. The page chooses the
 * number of points itself, draws at most so many lines and these quantiles, and has whole days. Undefined for an
 * operation that has nothing to do with it.
 */
export function pageOf({ query, variables }: TabText, operations: PageOperations): OperationPage | undefined {
  const name = drawn.find((other) => operationName(operations[other]) === operationName(query));
  if (name === undefined) return undefined;
  if (!isSame(operations[name], query)) return { reason: 'The dataset page does not draw this query.' };
  const read = readVariables(variables, operations[name], views[name]);
  if (read === undefined) return { reason: 'The dataset page does not draw these variables.' };
  if (read.id === placeholders.datasetId) return undefined;
  return { address: `${datasetPath(read.id)}${fragmentOfView(read.view)}` };
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

function readVariables(
  text: string,
  query: string,
  viewOf: (variables: Variables) => View,
): { readonly id: string; readonly view: View } | undefined {
  try {
    const variables: unknown = JSON.parse(text);
    if (!isObject(variables)) return undefined;
    const names = query.match(/\$\w+/g);
    if (Object.keys(variables).some((name) => !names?.includes(`$${name}`))) return undefined;
    const { id } = variables;
    return typeof id === 'string' && id !== '' ? { id, view: viewOf(variables) } : undefined;
  } catch {
    return undefined;
  }
}

/** The part of a view that most operations have. */
function choiceOf({ assetIds, metrics, timeRange }: Variables): View {
  return { assetIds: texts(assetIds)?.slice(0, MAX_LINES), metrics: texts(metrics), range: rangeIn(timeRange) };
}

function linesOf(variables: Variables): View {
  return { ...choiceOf(variables), form: 'lines' };
}

/** The years of an asset have more points than lines without a comparison may have. */
function linesOrYearsOf(variables: Variables): View {
  const view = linesOf(variables);
  const isYears = variables.points === MAX_ROWS && view.assetIds?.length === 1;
  return isYears ? { ...view, compare: 'years' } : view;
}

/** The years of all assets have the median alone, and no lines of assets. */
function quantilesOf(variables: Variables): View {
  const view: View = { ...choiceOf(variables), form: 'quantiles' };
  const quantiles = String(variables.quantiles);
  if (quantiles === String(drawnQuantiles)) return view;
  if (quantiles === String(medianQuantiles) && (view.assetIds ?? []).length === 0) return { ...view, compare: 'years' };
  throw new RangeError('The page does not draw these quantiles.');
}

function rangesOf(variables: Variables): View {
  return { ...linesOf(variables), ...comparedDaysOf(variables) };
}

function comparedQuantilesOf(variables: Variables): View {
  return { ...choiceOf(variables), ...comparedDaysOf(variables), form: 'quantiles' };
}

/** The page compares days with as many days that begin earlier. */
function comparedDaysOf({ first, second }: Variables): Pick<View, 'range' | 'compare'> {
  const [days, earlier] = [daysIn(first), daysIn(second)];
  const length = lengthOf(days);
  const isLength = length > 0 && length < Number.POSITIVE_INFINITY && lengthOf(earlier) === length;
  if (!isLength || earlier.from >= days.from) throw new RangeError('The page does not compare these days.');
  return { range: days, compare: earlier.from };
}

function datasetsOf(variables: Variables): View {
  const { otherId } = variables;
  const compare = `dataset:${otherId}`;
  if (typeof otherId !== 'string' || otherDatasetIn(compare) === undefined)
    throw new TypeError('It is no id of a dataset.');
  const view = choiceOf(variables);
  return { ...view, form: view.assetIds === undefined ? 'quantiles' : 'lines', compare };
}

/** A map has all assets: only heat maps may have some. */
function periodsOf(variables: Variables): View {
  const view = choiceOf(variables);
  const every = periodIn(variables);
  return view.assetIds === undefined
    ? { ...view, show: 'map', every }
    : { ...view, form: 'lines', show: 'heat', every };
}

/** @throws RangeError when the operation reads values of several kinds of periods, or of none */
function periodIn({ every, hasPeriods = true, hasDates, hasMeans }: Variables): PeriodUnit | undefined {
  const periods = [
    ...(hasPeriods ? [periodUnitIn(every)] : []),
    ...(hasDates ? (['DATE'] as const) : []),
    ...(hasMeans ? (['WHOLE'] as const) : []),
  ];
  if (periods.length !== 1) throw new RangeError('The page draws values of one kind of period.');
  return periods[0];
}

/** @throws TypeError when it is no list of texts */
function texts(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new TypeError('It is no list of texts.');
}

/** All days without a time range. */
function rangeIn(timeRange: unknown): View['range'] {
  return timeRange === undefined || timeRange === null ? 'all' : daysIn(timeRange);
}

/** @throws TypeError when it is no time range */
function daysIn(timeRange: unknown): Days {
  if (!isObject(timeRange)) throw new TypeError('It is no time range.');
  return { from: dayIn(timeRange.start, 'first'), to: dayIn(timeRange.stop, 'last') };
}

/**
 * The day of a bound in UTC; empty without one. Of a month it is the first or the last one.
 *
 * @throws RangeError when it is no point in time that the page knows
 */
function dayIn(bound: unknown, of: keyof InputTime): string {
  if (bound === undefined || bound === null) return '';
  const isMilliseconds = typeof bound === 'number' || /^[+-]?\d+$/.test(String(bound));
  const day = dayOf((isMilliseconds ? Number(bound) : inputTimeOf(String(bound))?.[of]) ?? Number.NaN);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new RangeError('The page has days of years with four digits.');
  return day;
}

function isObject(value: unknown): value is Variables {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
