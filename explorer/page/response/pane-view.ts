import { type ChartKind, chartKinds } from './chart-choice.ts';
import { firstChoice, type LineChoice } from './line-choice.ts';
import { type MapArea, mapAreaIn, mapAreaText } from './map-area.ts';
import { type PlaceChoice, readPlaces } from './place-choice.ts';
import { type Sort, sortIn, sortText } from './sort.ts';

/** The tabs of a response. */
export const tabNames = { chart: 'Chart', table: 'Table', map: 'Map', json: 'JSON' } as const;
export type TabName = keyof typeof tabNames;

/** Which rows a table shows, and in which order. */
export interface TableChoice {
  /** Only assets whose name or id contains this text. */
  readonly filter: string;
  /** The name of a column. Undefined: the order of the response. */
  readonly sort?: Sort<string> | undefined;
}

/** All rows of a table. */
export const allRows: TableChoice = { filter: '' };

/** The first and the last date that are visible. */
export interface ZoomBounds {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What a map shows. */
export interface MapView {
  /** The metric whose values the map shows; empty: none. */
  readonly mapMetric?: string | undefined;
  /** The date whose values the map shows. */
  readonly mapDate?: string | undefined;
  /** What the map shows of the world. Undefined: all places. */
  readonly mapArea?: MapArea | undefined;
  /** What the table beside the map shows. */
  readonly places?: PlaceChoice | undefined;
}

/**
 * What a user wants to see of a response. A part that is undefined is left to the page. Metrics, lines and dates have their names,
 * so that the view also fits the next response.
 */
export interface PaneView extends MapView, ZoomBounds {
  readonly show?: TabName | undefined;
  /** The index of the dataset, if a response has several. */
  readonly dataset?: number | undefined;
  readonly kind?: ChartKind | undefined;
  readonly isLogarithmic?: boolean | undefined;
  /** The metrics that have a chart. */
  readonly metrics?: readonly string[] | undefined;
  readonly lines?: LineChoice | undefined;
  readonly table?: TableChoice | undefined;
  /** Whether the JSON is shown as received. */
  readonly isRaw?: boolean | undefined;
}

/** The first view of each response. */
export const firstPaneView: PaneView = {};

/** What a part of the page needs to show a view and to change it. */
export interface Viewing {
  readonly view: PaneView;
  /** Called with the parts of the view that the user changes. */
  readonly onView: (change: PaneView) => void;
}

/** The most names of one kind in a link: a longer list would make a long link. */
export const MAX_NAMES = 50;

/** Reads a view in the fragment of a URL. Ignores what it does not know. */
export function readPaneView(parameters: URLSearchParams): PaneView {
  const textOf = (name: string) => parameters.get(name) || undefined;
  const namesOf = (name: string) =>
    parameters
      .getAll(name)
      .filter((value) => value !== '')
      .slice(0, MAX_NAMES);
  return {
    show: (Object.keys(tabNames) as TabName[]).find((name) => name === parameters.get('show')),
    dataset: /^[1-9]\d{0,3}$/.test(parameters.get('nth') ?? '') ? Number(parameters.get('nth')) - 1 : undefined,
    kind: chartKinds.find((kind) => kind === parameters.get('chart')),
    isLogarithmic: parameters.get('axis') === 'logarithmic' || undefined,
    from: textOf('from'),
    to: textOf('to'),
    metrics: parameters.has('metric') ? namesOf('metric') : undefined,
    lines: readLines(parameters, namesOf),
    ...readMap(parameters),
    table: readTable(parameters),
    isRaw: parameters.get('json') === 'raw' || undefined,
  };
}

function readLines(parameters: URLSearchParams, namesOf: (name: string) => string[]): LineChoice | undefined {
  if (!['lines', 'hidden', 'line', 'filter'].some((name) => parameters.has(name))) return undefined;
  const base = parameters.get('lines');
  return {
    filter: parameters.get('filter') ?? '',
    base: base === 'all' || base === 'none' ? base : 'first',
    hidden: namesOf('hidden'),
    added: namesOf('line'),
  };
}

/** Reads what a map shows in a link. */
export function readMap(parameters: URLSearchParams): MapView {
  return {
    mapMetric: parameters.get('colour') ?? undefined,
    mapDate: parameters.get('at') || undefined,
    mapArea: mapAreaIn(parameters.get('area')),
    places: readPlaces(parameters.get('places'), parameters.get('by')),
  };
}

/** Adds what a map shows to the parameters of a link. */
export function addMap(parameters: URLSearchParams, { mapMetric, mapDate, mapArea, places }: MapView): void {
  if (mapMetric !== undefined) parameters.set('colour', mapMetric);
  if (mapDate !== undefined) parameters.set('at', mapDate);
  if (mapArea !== undefined) parameters.set('area', mapAreaText(mapArea));
  if (places === undefined) return;
  if (places.filter !== '') parameters.set('places', places.filter);
  parameters.set('by', places.sort === undefined ? 'none' : sortText(places.sort));
}

/** Reads what a table shows in a link; undefined if it is everything. */
export function readTable(parameters: URLSearchParams): TableChoice | undefined {
  const sort = sortIn(parameters.get('sort'));
  const filter = parameters.get('rows') ?? '';
  return sort === undefined && filter === '' ? undefined : { filter, ...(sort && { sort }) };
}

/** Adds a view to the parameters of a link. The first view adds nothing. */
export function addPaneView(parameters: URLSearchParams, view: PaneView): void {
  const { lines = firstChoice, table, metrics } = view;
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined) parameters.set(name, value);
  };
  const add = (name: string, values: readonly string[]) => {
    for (const value of values.slice(0, MAX_NAMES)) parameters.append(name, value);
  };
  set('show', view.show);
  set('nth', view.dataset === undefined ? undefined : String(view.dataset + 1));
  set('chart', view.kind);
  set('axis', view.isLogarithmic ? 'logarithmic' : undefined);
  set('from', view.from);
  set('to', view.to);
  // An empty list is not the same as none.
  add('metric', metrics?.length === 0 ? [''] : (metrics ?? []));
  set('lines', lines.base === 'first' ? undefined : lines.base);
  add('hidden', lines.hidden);
  add('line', lines.added);
  set('filter', lines.filter || undefined);
  addMap(parameters, view);
  addTable(parameters, table);
  set('json', view.isRaw ? 'raw' : undefined);
}

/** Adds what a table shows to the parameters of a link. All rows add nothing. */
export function addTable(parameters: URLSearchParams, { filter, sort }: TableChoice = allRows): void {
  if (filter !== '') parameters.set('rows', filter);
  if (sort !== undefined) parameters.set('sort', sortText(sort));
}

/** Whether a link to a view would leave out names. */
export function hasTooManyNames({ metrics = [], lines = firstChoice }: PaneView): boolean {
  return [metrics, lines.hidden, lines.added].some(({ length }) => length > MAX_NAMES);
}
