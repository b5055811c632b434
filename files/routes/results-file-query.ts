import { badUserInput } from '../../src/graphql/errors/errors.ts';
import { distinctNames, distinctQuantiles, toRowsFilter } from '../../src/graphql/input.ts';
import {
  type FileContents,
  type FileFormat,
  type FileKind,
  type FileLayout,
  fileFormats,
  fileKinds,
  fileLayouts,
  type PeriodUnit,
  periodUnits,
  type ResultsFile,
} from '../../src/graphql/results-file.ts';
import { TimeBound, type TimeBoundValue } from '../../src/graphql/schema/scalars.ts';

/** The value of `metrics` for a list without names. */
const NO_METRICS = 'none';

/** The value of `assetId` for a list without assets: none is empty. */
const NO_ASSETS = '';

/** The query of a file's URL, without a question mark. */
export function queryOf({ format, contents, metrics, filter: { assetIds, timeRange } }: ResultsFile): string {
  const query = new URLSearchParams({ format });
  if (contents.of === 'rows') query.append('layout', contents.layout);
  else query.append('of', contents.of);
  if (contents.of === 'periods') query.append('every', contents.every.toLowerCase());
  if (contents.of !== 'rows') for (const quantile of contents.quantiles) query.append('quantile', String(quantile));
  if (metrics?.length === 0) query.append('metrics', NO_METRICS);
  for (const name of metrics ?? []) query.append('metric', name);
  for (const assetId of assetIds?.length === 0 ? [NO_ASSETS] : (assetIds ?? [])) query.append('assetId', assetId);
  if (timeRange?.start !== undefined) query.append('start', String(timeRange.start));
  if (timeRange?.stop !== undefined) query.append('stop', String(timeRange.stop));
  return query.toString();
}

const single = ['format', 'layout', 'of', 'every', 'metrics', 'start', 'stop'] as const;
const repeatable = ['quantile', 'metric', 'assetId'] as const;
const names: ReadonlySet<string> = new Set([...single, ...repeatable]);

/**
 * Reads the query of a file's URL, with the values of the GraphQL API in lower case: `format`, and optionally `layout`, `of`,
 * `every`, `quantile` and `metric` (both repeatable), `metrics=none`, `assetId` (repeatable), `start` and `stop`.
 *
 * @throws GraphQLError for anything else: a filter with a typing error must not select everything
 */
export function readQuery(text: string): ResultsFile {
  const query = new URLSearchParams(text);
  for (const name of query.keys()) if (!names.has(name)) throw badUserInput(`The query has no parameter "${name}".`);
  for (const name of single)
    if (query.getAll(name).length > 1) throw badUserInput(`The parameter "${name}" must not be repeated.`);
  const value = (name: (typeof single)[number]) => query.get(name) ?? undefined;
  const format = oneOf<FileFormat>(fileFormats, 'format', value('format'));
  const contents = contentsOf(query);
  const metrics = metricsIn(query);
  const [start, stop] = [timeOf('start', value('start')), timeOf('stop', value('stop'))];
  const timeRange = start === undefined && stop === undefined ? undefined : { start, stop };
  return { format, contents, metrics, filter: toRowsFilter({ assetIds: assetIdsIn(query), timeRange }) };
}

/** @throws GraphQLError if a parameter is missing, or does not fit what the file has */
function contentsOf(query: URLSearchParams): FileContents {
  const of = oneOf<FileKind>(fileKinds, 'of', query.get('of') ?? 'rows');
  const layout = oneOf<FileLayout>(fileLayouts, 'layout', query.get('layout') ?? 'long');
  const every = unitOf(query.get('every'));
  const quantiles = distinctQuantiles(query.getAll('quantile').map(quantileOf));
  if (layout === 'wide' && of !== 'rows') throw badUserInput('Only a file of rows can be wide.');
  if (every !== undefined && of !== 'periods') throw badUserInput('Only a file of periods has "every".');
  if (of === 'rows') {
    if (quantiles.length > 0) throw badUserInput('A file of rows has no quantiles.');
    return { of, layout };
  }
  if (of !== 'periods') return { of, quantiles };
  if (every === undefined) throw badUserInput('A file of periods needs "every".');
  return { of, every, quantiles };
}

function assetIdsIn(query: URLSearchParams): string[] | undefined {
  const ids = query.getAll('assetId');
  if (ids.length === 0) return undefined;
  return ids.length === 1 && ids[0] === NO_ASSETS ? [] : ids;
}

function metricsIn(query: URLSearchParams): string[] | undefined {
  const all = query.getAll('metric');
  const metrics = query.get('metrics');
  if (metrics === null) return distinctNames(query.has('metric') ? all : undefined);
  if (metrics !== NO_METRICS || all.length > 0)
    throw badUserInput(`The parameter "metrics" must be "${NO_METRICS}", without a parameter "metric".`);
  return [];
}

function unitOf(given: string | null): PeriodUnit | undefined {
  if (given === null) return undefined;
  const units = periodUnits.map((unit) => unit.toLowerCase());
  return oneOf(units, 'every', given).toUpperCase() as PeriodUnit;
}

/** A number as GraphQL has it. */
const decimal = /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i;

function quantileOf(given: string): number {
  if (!decimal.test(given)) throw badUserInput('The parameter "quantile" must be a number from 0 to 1.');
  return Number(given);
}

function oneOf<T extends string>(values: readonly T[], name: string, given: string | undefined): T {
  const value = values.find((each) => each === given);
  if (value === undefined) throw badUserInput(`The parameter "${name}" must be one of ${values.join(', ')}.`);
  return value;
}

function timeOf(name: string, given: string | undefined): TimeBoundValue | undefined {
  if (given === undefined) return undefined;
  try {
    return TimeBound.parseValue(given);
  } catch {
    throw badUserInput(
      `The parameter "${name}" must be epoch milliseconds, a month, a date, or an RFC 3339 date-time with an offset.`,
    );
  }
}
