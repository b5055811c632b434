import { badUserInput } from '../../graphql/errors/errors.ts';
import { toFileContents } from '../../graphql/file-contents.ts';
import { distinctNames, toRowsFilter } from '../../graphql/input.ts';
import { TimeBound, type TimeBoundValue } from '../../graphql/schema/scalars.ts';
import {
  type FileFormat,
  type FileKind,
  type FileLayout,
  fileFormats,
  fileKinds,
  fileLayouts,
  type PeriodUnit,
  periodUnits,
  type ResultsFile,
} from '../../results/results.ts';

/** The value of `metrics` for a list without names. */
const NO_METRICS = 'none';

/**
 * The query of a file's URL, without a question mark. A single empty `assetId` stands for a list without assets, a single empty
 * `quantile` for one without quantiles.
 */
export function queryOf({ format, layout, contents, metrics, filter: { assetIds, timeRange } }: ResultsFile): string {
  const query = new URLSearchParams({ format, layout });
  if (contents.of !== 'rows') query.append('of', contents.of);
  if (contents.of === 'periods') query.append('every', contents.every.toLowerCase());
  if (contents.of !== 'rows') appendList(query, 'quantile', contents.quantiles.map(String));
  if (metrics?.length === 0) query.append('metrics', NO_METRICS);
  for (const name of metrics ?? []) query.append('metric', name);
  if (assetIds !== undefined) appendList(query, 'assetId', assetIds);
  if (timeRange?.start !== undefined) query.append('start', String(timeRange.start));
  if (timeRange?.stop !== undefined) query.append('stop', String(timeRange.stop));
  return query.toString();
}

/** Appends each value of a list that has no empty one. */
function appendList(query: URLSearchParams, name: string, values: readonly string[]): void {
  for (const value of values.length === 0 ? [''] : values) query.append(name, value);
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
  const layout = oneOf<FileLayout>(fileLayouts, 'layout', value('layout') ?? 'long');
  const of = oneOf<FileKind>(fileKinds, 'of', value('of') ?? 'rows');
  const every = unitOf(value('every'));
  const quantiles = listIn(query, 'quantile')?.map(quantileOf);
  const contents = toFileContents({ of, layout, every, quantiles });
  const metrics = metricsIn(query);
  const [start, stop] = [timeOf('start', value('start')), timeOf('stop', value('stop'))];
  const timeRange = start === undefined && stop === undefined ? undefined : { start, stop };
  return { format, layout, contents, metrics, filter: toRowsFilter({ assetIds: listIn(query, 'assetId'), timeRange }) };
}

/** The values of a list that has no empty one. Undefined if there is no list. */
function listIn(query: URLSearchParams, name: (typeof repeatable)[number]): string[] | undefined {
  const values = query.getAll(name);
  if (values.length === 0) return undefined;
  return values.length === 1 && values[0] === '' ? [] : values;
}

function metricsIn(query: URLSearchParams): string[] | undefined {
  const all = query.getAll('metric');
  const metrics = query.get('metrics');
  if (metrics === null) return distinctNames(query.has('metric') ? all : undefined);
  if (metrics !== NO_METRICS || all.length > 0)
    throw badUserInput(`The parameter "metrics" must be "${NO_METRICS}", without a parameter "metric".`);
  return [];
}

function unitOf(given: string | undefined): PeriodUnit | undefined {
  if (given === undefined) return undefined;
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
