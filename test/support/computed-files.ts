import { DATASET_ID, type TestBed } from './harness.ts';

/** A file of something that is computed: its kind as in its URL, and its arguments as the API has them. */
export interface ComputedFile {
  readonly of: 'periods' | 'statistics' | 'byDate';
  readonly every?: string;
  readonly quantiles?: readonly number[];
  readonly metrics?: readonly string[];
}

type Cell = string | number | null;
type Type = 'text' | 'date' | 'timestamp' | 'int64' | 'double';

/** What a file must hold. A 64-bit integer is the text of its digits, and so are the nanoseconds of a timestamp since 1970. */
export interface ComputedTable {
  readonly columns: readonly (readonly [name: string, type: Type])[];
  readonly rows: readonly (readonly Cell[])[];
}

const columns = (type: Type, ...names: string[]) => names.map((name) => [name, type] as const);
const assetColumns = [...columns('text', 'asset_id', 'asset_name'), ...columns('int64', 'asset_version')];

interface Lists extends Record<'sums' | 'means' | 'standardDeviations' | 'minimums' | 'maximums', Cell[]> {
  name: string;
  counts: number[];
  quantiles: Cell[][];
}

interface ByDate {
  dates: string[];
  metrics: Lists[];
}

type Point = { value: number; valueDate: string | null } | null;

interface Statistics extends Record<'sum' | 'mean' | 'standardDeviation', number | null> {
  name: string;
  count: number;
  nullCount: number;
  first: Point;
  last: Point;
  minimum: Point;
  maximum: Point;
  quantiles: (number | null)[];
}

interface Node {
  asset: { assetId: string; name: string | null };
  version: string | null;
  periods?: ByDate | null;
  statistics?: Statistics[] | null;
}

const NUMBERS = ['sum', 'mean', 'standard_deviation', 'minimum', 'maximum'];
const ofSeries = (field: string) => `series { nodes { asset { assetId name } version ${field} } }`;
const BY_DATE = `dates metrics { name counts sums means standardDeviations minimums maximums quantiles(of: $quantiles) }`;
const POINTS = ['first', 'last', 'minimum', 'maximum'].map((name) => `${name} { value valueDate }`).join(' ');

/** The selection that has the values of a file. */
function selectionOf({ of, every = '' }: ComputedFile): string {
  if (of === 'periods') return ofSeries(`periods(every: ${every}, metrics: $metrics) { ${BY_DATE} }`);
  if (of === 'byDate') return `byDate(metrics: $metrics) { ${BY_DATE} }`;
  const numbers = 'name count nullCount sum mean standardDeviation quantiles(of: $quantiles)';
  return ofSeries(`statistics(metrics: $metrics) { ${numbers} ${POINTS} }`);
}

/** The rows of values by date, metric by metric. */
function rowsByDate({ dates, metrics }: ByDate): Cell[][] {
  return metrics.flatMap(({ name, counts, quantiles, ...of }) => {
    const lists = [of.sums, of.means, of.standardDeviations, of.minimums, of.maximums, ...quantiles];
    return dates.map((date, at) => [date, name, String(counts[at]), ...lists.map((list) => list[at] as Cell)]);
  });
}

function rowOfStatistics({ name, count, nullCount, first, last, minimum, maximum, ...of }: Statistics): Cell[] {
  const values = [minimum, maximum, first, last].map((point) => point?.value ?? null);
  const dates = [first, last, minimum, maximum].map((point) => point?.valueDate ?? null);
  const numbers = [of.sum, of.mean, of.standardDeviation, ...values, ...of.quantiles];
  return [name, String(count), String(nullCount), ...numbers, ...dates];
}

/** The table of a file, made of the fields of the API. Undefined if one of them is an error. */
export async function computedTable(
  bed: TestBed,
  file: ComputedFile,
  id = DATASET_ID,
): Promise<ComputedTable | undefined> {
  const { of, metrics, quantiles = [] } = file;
  const document = `query ($metrics: [String!], $quantiles: [Float!]!) {
    dataset(id: "${id}") { results { ${selectionOf(file)} } }
  }`;
  const { body } = await bed.query(document, { variables: { metrics, quantiles } });
  if (body.errors !== undefined) return undefined;
  const { results } = body.data.dataset;
  const ofQuantiles = quantiles.map((quantile) => `quantile_${quantile}`);
  const ofDates = [
    ...columns('date', 'date'),
    ...columns('text', 'metric'),
    ...columns('int64', 'count'),
    ...columns('double', ...NUMBERS, ...ofQuantiles),
  ];
  if (of === 'byDate') return { columns: ofDates, rows: rowsByDate(results.byDate ?? { dates: [], metrics: [] }) };
  const nodes: Node[] = results.series?.nodes ?? [];
  const rows = nodes.flatMap(({ asset, version, periods, statistics }) => {
    const cells =
      of === 'periods' ? rowsByDate(periods ?? { dates: [], metrics: [] }) : (statistics ?? []).map(rowOfStatistics);
    return cells.map((each) => [asset.assetId, asset.name, version, ...each]);
  });
  const ofStatistics = [
    ...columns('text', 'metric'),
    ...columns('int64', 'count', 'null_count'),
    ...columns('double', ...NUMBERS, 'first', 'last', ...ofQuantiles),
    ...columns('date', 'first_date', 'last_date', 'minimum_date', 'maximum_date'),
  ];
  return { columns: [...assetColumns, ...(of === 'periods' ? ofDates : ofStatistics)], rows };
}

/** The query of a file's URL. */
export function computedQuery(format: string, { of, every, quantiles, metrics }: ComputedFile): string {
  const query = new URLSearchParams({ format, of });
  if (every !== undefined) query.append('every', every.toLowerCase());
  for (const quantile of quantiles ?? []) query.append('quantile', String(quantile));
  if (metrics?.length === 0) query.append('metrics', 'none');
  for (const metric of metrics ?? []) query.append('metric', metric);
  return query.toString();
}

const fileFields = { periods: 'seriesPeriodsFile', statistics: 'seriesStatisticsFile', byDate: 'byDateFile' } as const;

/** The field of a file, with its arguments. */
export function fileField(format: string, { of, every, quantiles, metrics }: ComputedFile): string {
  const list = (name: string, values: readonly unknown[] | undefined) =>
    values === undefined ? [] : [`${name}: ${JSON.stringify(values)}`];
  const unit = every === undefined ? [] : [`every: ${every}`];
  const all = [
    `format: ${format.toUpperCase()}`,
    ...unit,
    ...list('quantiles', quantiles),
    ...list('metrics', metrics),
  ];
  return `${fileFields[of]}(${all.join()})`;
}

/** The table as a file with types has it: each column of dates has a type, or is text. */
export function typed({ columns: all, rows }: ComputedTable): ComputedTable {
  const types = all.map(([, type], at): Type => {
    if (type !== 'date') return type;
    const found = rows.flatMap((row) => (row[at] === null ? [] : [String(row[at])]));
    if (found.some((date) => Number.isNaN(Date.parse(date)))) return 'text';
    return found.length > 0 && found.every((date) => date.length <= 10) ? 'date' : 'timestamp';
  });
  const cellOf = (cell: Cell, type: Type | undefined) => {
    if (cell === null || (type !== 'date' && type !== 'timestamp')) return cell;
    const time = new Date(cell);
    return type === 'date' ? time.toISOString().slice(0, 10) : String(BigInt(time.getTime()) * 1_000_000n);
  };
  return {
    columns: all.map(([name], at) => [name, types[at] as Type]),
    rows: rows.map((row) => row.map((cell, at) => cellOf(cell, types[at]))),
  };
}

/** The table as NDJSON. */
export function asNdjson({ columns: all, rows }: ComputedTable): string {
  const json = (value: Cell, type: Type | undefined) =>
    value === null || type === 'int64'
      ? `${value}`
      : JSON.stringify(typeof value === 'string' ? value.toWellFormed() : value);
  const line = (row: readonly Cell[]) =>
    `{${all.map(([name, type], at) => `${JSON.stringify(name)}:${json(row[at] as Cell, type)}`).join()}}\n`;
  return rows.map(line).join('');
}

/** The table as CSV, of texts that no spreadsheet takes for a formula. */
export function asCsv({ columns: all, rows }: ComputedTable): string {
  const field = (value: Cell, type: Type | undefined) => {
    if (value === null) return '';
    if (typeof value === 'number') return JSON.stringify(value);
    if (type === 'int64') return value;
    return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const line = (fields: readonly string[]) => `${fields.join()}\r\n`;
  const header = line(all.map(([name]) => name));
  return header + rows.map((row) => line(row.map((cell, at) => field(cell, all[at]?.[1])))).join('');
}
