import { instantOf } from '../../../src/core/dates.ts';
import { anyOption, type OptionFilter } from '../option-filter.ts';
import type { Outline } from '../outline.ts';
import {
  addMap,
  addTable,
  type MapView,
  readMap,
  readTable,
  type TableChoice,
  type ZoomBounds,
} from '../response/pane-view.ts';
import { type PeriodUnit, periodUnitIn } from './period-unit.ts';
import { type Show, showIn } from './shows.ts';

/** The ranges of the data with a name. */
export const namedRanges = ['all', 'last-30-days', 'last-year'] as const;
export type NamedRange = (typeof namedRanges)[number];

/** What the time of a view is compared with, if it has a name: the years of the data with each other, or earlier days. */
export const namedComparisons = ['years', 'before', 'year-before'] as const;
export type NamedComparison = (typeof namedComparisons)[number];

/** A range of days, such as 2015-01-01. An empty day is no bound. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** What a user wants to see of a dataset. A part that is undefined is left to the page. */
export interface View {
  readonly assetIds?: readonly string[] | undefined;
  readonly metrics?: readonly string[] | undefined;
  readonly range: NamedRange | Days;
  readonly form?: 'lines' | 'quantiles' | undefined;
  /**
   * A named comparison, the first one of the earlier days to compare with, such as 2014-01-01, or another dataset, such as
   * `dataset:ID`.
   */
  readonly compare?: string | undefined;
  /** The open tab; by default the chart. */
  readonly show?: Show | undefined;
  /** What the map shows. */
  readonly map?: MapView | undefined;
  /** Of which periods the map, the heat maps and the histograms have values. */
  readonly every?: PeriodUnit | undefined;
  /** The visible part of the time. */
  readonly zoom?: ZoomBounds | undefined;
  /** Whether the axes of the chart are logarithmic. */
  readonly isLogarithmic?: boolean | undefined;
  /** The name of the line that is shown alone. */
  readonly only?: string | undefined;
  /** What the list of assets shows. */
  readonly filter?: OptionFilter | undefined;
  /** What tables show. */
  readonly table?: TableChoice | undefined;
}

/** What is shown of a dataset. */
export interface Shown {
  /** The assets with a line. Their order is that of the dataset. */
  readonly assetIds: readonly string[];
  readonly metrics: readonly string[];
  readonly days: Days;
  readonly hasQuantiles: boolean;
  /** The periods, if the user has chosen them. */
  readonly every: PeriodUnit | undefined;
}

/** The most assets that are drawn as lines. More make a chart that nobody can read. */
export const MAX_LINES = 20;

/** The metrics that are drawn at first. Each chart has its dates, and a screen of 1280 x 720 pixels has room for three of four. */
const FIRST_METRICS = 4;

export const DAY_MS = 86_400_000;

/** Reads the view in the fragment of a URL. Ignores what it does not know. */
export function readView(fragment: string): View {
  const parameters = new URLSearchParams(fragment.slice(1));
  const listOf = (name: string) =>
    parameters.has(name) ? parameters.getAll(name).filter((value) => value !== '') : undefined;
  const [from, to] = [dayIn(parameters.get('from')), dayIn(parameters.get('to'))];
  const named = namedRanges.find((name) => name === parameters.get('range')) ?? 'all';
  const form = parameters.get('as');
  const compare = parameters.get('compare');
  const [zoomFrom, zoomTo] = parameters.getAll('zoom');
  return {
    assetIds: listOf('asset'),
    metrics: listOf('metric'),
    range: from !== '' || to !== '' ? { from, to } : named,
    form: form === 'lines' || form === 'quantiles' ? form : undefined,
    compare: compareIn(compare),
    show: showIn(parameters.get('show')),
    map: { ...readMap(parameters), mapDate: dayIn(parameters.get('at')) || undefined },
    every: periodUnitIn(parameters.get('every')),
    zoom: zoomFrom && zoomTo ? { from: zoomFrom, to: zoomTo } : undefined,
    isLogarithmic: parameters.get('axis') === 'logarithmic' || undefined,
    only: parameters.get('only') ?? undefined,
    filter: { text: parameters.get('filter') ?? '', category: parameters.get('category') ?? '' },
    table: readTable(parameters),
  };
}

/** The fragment of a link to a view. Empty for the first view. It never contains a token. */
export function fragmentOfView(view: View): string {
  const {
    assetIds,
    metrics,
    range,
    form,
    compare,
    show = 'chart',
    map = {},
    every,
    zoom,
    table,
    isLogarithmic,
    only,
  } = view;
  const { text, category } = view.filter ?? anyOption;
  const parameters = new URLSearchParams();
  const add = (name: string, values: readonly string[] | undefined) => {
    // An empty list is not the same as none.
    for (const value of values?.length === 0 ? [''] : (values ?? [])) parameters.append(name, value);
  };
  add('asset', assetIds);
  add('metric', metrics);
  if (typeof range !== 'string') {
    if (range.from !== '') parameters.set('from', range.from);
    if (range.to !== '') parameters.set('to', range.to);
  } else if (range !== 'all') parameters.set('range', range);
  if (form !== undefined) parameters.set('as', form);
  if (compare !== undefined) parameters.set('compare', compare);
  if (show !== 'chart') parameters.set('show', show);
  addMap(parameters, map);
  if (every !== undefined) parameters.set('every', every.toLowerCase());
  if (zoom?.from !== undefined && zoom.to !== undefined) add('zoom', [zoom.from, zoom.to]);
  if (isLogarithmic) parameters.set('axis', 'logarithmic');
  if (only !== undefined) parameters.set('only', only);
  if (text !== '') parameters.set('filter', text);
  if (category !== '') parameters.set('category', category);
  addTable(parameters, table);
  return parameters.size === 0 ? '' : `#${parameters}`;
}

/** What a view shows of a dataset. */
export function shownOf(view: View, outline: Outline): Shown {
  const hasQuantiles = outline.assets.length > 1 && (view.form ?? formOf(outline)) === 'quantiles';
  const isChosen = (ids: readonly string[] | undefined, id: string) => ids?.includes(id) ?? true;
  const chosen =
    hasQuantiles && view.assetIds === undefined ? [] : outline.assets.filter(({ id }) => isChosen(view.assetIds, id));
  const metrics = outline.metrics.map(({ id }) => id);
  return {
    assetIds: chosen.slice(0, MAX_LINES).map(({ id }) => id),
    metrics:
      view.metrics === undefined ? metrics.slice(0, FIRST_METRICS) : metrics.filter((id) => isChosen(view.metrics, id)),
    days: daysOf(view.range, outline),
    hasQuantiles,
    every: view.every,
  };
}

/** The view of a chart with the lines of some more assets. If they are too many, those that were chosen first are left out. */
export function withLines(view: View, assetIds: readonly string[]): View {
  const others = (view.assetIds ?? []).filter((id) => !assetIds.includes(id));
  return { ...view, assetIds: [...others, ...assetIds].slice(-MAX_LINES), show: 'chart', only: undefined };
}

/** How a dataset is drawn at first. */
function formOf({ assets }: Outline): 'lines' | 'quantiles' {
  return assets.length > MAX_LINES ? 'quantiles' : 'lines';
}

/** The days of a range. Those with a name end with the last day of the dataset. */
function daysOf(range: View['range'], { days: [, last] }: Outline): Days {
  if (typeof range !== 'string') return range;
  if (range === 'all' || last === '') return { from: '', to: '' };
  const count = range === 'last-year' ? 365 : 30;
  return { from: dayOf(Date.parse(last) - (count - 1) * DAY_MS), to: last };
}

/** The number of days in a range; infinite without both bounds. */
export function lengthOf({ from, to }: Days): number {
  return from === '' || to === '' ? Number.POSITIVE_INFINITY : (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** The day of a point in time, in UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function compareIn(text: string | null): string | undefined {
  const isNamed = namedComparisons.some((name) => name === text) || otherDatasetIn(text ?? '') !== undefined;
  return isNamed ? (text ?? undefined) : dayIn(text) || undefined;
}

/** The id of the dataset that a comparison names: 1 to 200 characters. Undefined for any other comparison. */
export function otherDatasetIn(compare: string): string | undefined {
  return /^dataset:(.{1,200})$/.exec(compare)?.[1];
}

function dayIn(text: string | null): string {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && instantOf(text) !== undefined ? text : '';
}
