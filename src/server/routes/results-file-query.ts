import { toRowsFilter } from '../../graphql/input.ts';
import { EpochMillis } from '../../graphql/schema/scalars.ts';
import { type FileFormat, type FileLayout, fileFormats, fileLayouts, type ResultsFile } from '../../results/results.ts';

/** The query of a file's URL, without a question mark. A single empty `assetId` stands for a list without assets. */
export function queryOf({ format, layout, filter: { assetIds, timeRange } }: ResultsFile): string {
  const query = new URLSearchParams({ format, layout });
  if (assetIds?.length === 0) query.append('assetId', '');
  for (const id of assetIds ?? []) query.append('assetId', id);
  if (timeRange?.start !== undefined) query.append('start', String(timeRange.start));
  if (timeRange?.stop !== undefined) query.append('stop', String(timeRange.stop));
  return query.toString();
}

/** Says what is wrong with a request for a file. */
export class InvalidQuery extends Error {}

const names: ReadonlySet<string> = new Set(['format', 'layout', 'assetId', 'start', 'stop']);

/**
 * Reads the query of a file's URL: `format`, and optionally `layout`, `assetId` (repeatable), `start` and `stop`, with the
 * values of the GraphQL API in lower case.
 *
 * @throws InvalidQuery for anything else: a filter with a typing error must not select everything
 */
export function readQuery(text: string): ResultsFile {
  const query = new URLSearchParams(text);
  for (const name of query.keys())
    if (!names.has(name)) throw new InvalidQuery(`The query has no parameter "${name}".`);
  const single = (name: string) => {
    const values = query.getAll(name);
    if (values.length > 1) throw new InvalidQuery(`The parameter "${name}" must not be repeated.`);
    return values[0];
  };
  const format = oneOf<FileFormat>(fileFormats, 'format', single('format'));
  const layout = oneOf<FileLayout>(fileLayouts, 'layout', single('layout') ?? 'long');
  const [start, stop] = [timeOf('start', single('start')), timeOf('stop', single('stop'))];
  const ids = query.getAll('assetId');
  const assetIds = ids.length === 1 && ids[0] === '' ? [] : ids;
  const timeRange = start === undefined && stop === undefined ? undefined : { start, stop };
  try {
    return {
      format,
      layout,
      filter: toRowsFilter({ assetIds: query.has('assetId') ? assetIds : undefined, timeRange }),
    };
  } catch (error) {
    throw new InvalidQuery((error as Error).message);
  }
}

function oneOf<T extends string>(values: readonly T[], name: string, given: string | undefined): T {
  const value = values.find((each) => each === given);
  if (value === undefined) throw new InvalidQuery(`The parameter "${name}" must be one of ${values.join(', ')}.`);
  return value;
}

function timeOf(name: string, given: string | undefined): bigint | undefined {
  if (given === undefined) return undefined;
  try {
    return EpochMillis.parseValue(given);
  } catch {
    throw new InvalidQuery(
      `The parameter "${name}" must be epoch milliseconds, a date, or an RFC 3339 date-time with an offset.`,
    );
  }
}
