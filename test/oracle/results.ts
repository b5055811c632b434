import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { getArgumentValues } from 'graphql/execution/values.js';
import { entriesOfAsset } from './assets.ts';
import { type Entry, type Results, WRONG } from './body.ts';
import { byDateOf } from './by-date.ts';
import { type FilterInput, filterOf, shown } from './objects.ts';
import { badInput, errorOf, type Reader, selectedOn } from './respond.ts';
import { invalid, isProblem, metricNames, type Problem, type Values, valuesOf } from './rows.ts';
import { distinct, orError, seriesOf, withErrors } from './series.ts';
import { statisticsOf } from './statistics.ts';

/** The results of a dataset under a filter: pages of entries, and what is computed from all of them. */

const none: Results = {
  processingId: null,
  sourceId: null,
  assets: [],
  omitted: false,
  omittedInRows: false,
  repeatsAssets: false,
  hasLostRows: false,
};

export function resultsOf(
  datasetId: string,
  input: FilterInput | null | undefined,
  reader: Reader,
  info: GraphQLResolveInfo,
): object | Error {
  const filter = filterOf(input);
  if (isProblem(filter)) return errorOf(filter);
  const isEmpty = filter.assetIds?.length === 0 || !needsCall(info);
  const results = isEmpty ? none : reader.results(datasetId, filter, info);
  if (isProblem(results)) return errorOf(results);
  const { assets } = results;
  const of =
    <Args, T>(read: (entries: readonly Entry[], args: Args) => T) =>
    (args: Args) =>
      assets === null || assets === WRONG ? shown(assets) : read(assets, args);
  return {
    processingId: shown(results.processingId),
    sourceId: shown(results.sourceId),
    series: (args: PageArgs) => {
      if ((args.first ?? 0) < 0 || !isCursor(args.after)) return errorOf(badInput);
      return of((entries, page: PageArgs) => pageOf(entries, page, datasetId, reader))(args);
    },
    metricNames: of(namesOfAll),
    statistics: ({ metrics }: { metrics?: readonly string[] | null }) => {
      const names = distinct(metrics);
      if (isProblem(names)) return errorOf(names);
      return of((entries) => {
        const all = valuesOfAll(entries, names);
        const found = isProblem(all)
          ? all
          : statisticsOf(
              all.series,
              entries.map(({ assetId }) => assetId),
              all.names,
              false,
            );
        return isProblem(found) ? errorOf(found) : found.map(withErrors);
      })({});
    },
    byDate: ({ metrics }: { metrics?: readonly string[] | null }) => {
      const names = distinct(metrics);
      if (isProblem(names)) return errorOf(names);
      return of((entries) => {
        const all = valuesOfAll(entries, names);
        return orError(isProblem(all) ? all : byDateOf(all.series, all.names));
      })({});
    },
  };
}

/** Whether a selection needs the call: not for the URL of a file, nor for series after what is no cursor. */
function needsCall(info: GraphQLResolveInfo): boolean {
  const fields = selectedOn(info, 'DatasetResults');
  const needing = fields.filter(({ name }) => name.value !== 'file' && name.value !== '__typename');
  if (needing.length === 0) return !fields.some(({ name }) => name.value === 'file');
  const { series } = (info.schema.getType('DatasetResults') as GraphQLObjectType).getFields();
  return needing.some((node) => {
    if (node.name.value !== 'series') return true;
    return isCursor(getArgumentValues(series as never, node, info.variableValues).after as string | null);
  });
}

/** The names of the metrics of all entries: null if none has a list of rows. */
export function namesOfAll(entries: readonly Entry[]): readonly string[] | null | Error {
  const lists = entries.map(({ results: rows }) => rows);
  if (lists.includes(WRONG)) return errorOf(invalid());
  const rows = lists.filter((list) => Array.isArray(list));
  return rows.length === 0 ? null : metricNames(rows.flat());
}

/** The values of all entries. Without chosen metrics, each entry has its own. */
export function valuesOfAll(
  entries: readonly Entry[],
  chosen: readonly string[] | undefined,
): { series: (Values | undefined)[]; names: readonly string[] } | Problem {
  const names = new Set(chosen);
  const series: (Values | undefined)[] = [];
  for (const [index, { results: rows }] of entries.entries()) {
    if (rows === WRONG) return invalid();
    const own = chosen ?? metricNames(rows ?? []);
    const values = rows === null ? undefined : valuesOf(rows, own, index);
    if (values?.invalid !== undefined) return values.invalid;
    for (const name of own) names.add(name);
    series.push(values);
  }
  return { series, names: [...names] };
}

interface PageArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** The cursor of an entry: clients do not read it, so its form may change. */
export const cursorOf = (index: number, assetId: string) =>
  Buffer.from(JSON.stringify([index, assetId])).toString('base64url');

/** Whether there is no cursor, or one of any results. */
const isCursor = (after: string | null | undefined) =>
  after === null || after === undefined || /^\[\d{1,15},/.test(Buffer.from(after, 'base64url').toString());

function pageOf(
  entries: readonly Entry[],
  { first, after }: PageArgs,
  datasetId: string,
  reader: Reader,
): object | Error {
  const cursors = entries.map(({ assetId }, index) => cursorOf(index, assetId));
  const start = after === null || after === undefined ? 0 : cursors.indexOf(after) + 1;
  if (typeof after === 'string' && start === 0) return errorOf(badInput);
  const end = Math.min(entries.length, start + (first ?? entries.length));
  const page = entries.slice(start, end);
  const byAsset = Map.groupBy(entries, ({ assetId }) => assetId);
  const latestOf = ({ assetId }: Entry) => entriesOfAsset(byAsset.get(assetId) ?? [], assetId);
  const nodes = () => page.map((entry) => seriesOf(datasetId, [entry], latestOf(entry), reader));
  return {
    totalCount: entries.length,
    nodes,
    edges: () => nodes().map((node, index) => ({ cursor: cursors[start + index], node })),
    pageInfo: {
      hasNextPage: end < entries.length,
      hasPreviousPage: start > 0,
      startCursor: start < end ? cursors[start] : null,
      endCursor: start < end ? cursors[end - 1] : null,
    },
  };
}
