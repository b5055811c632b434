import { DATASET_ID, type TestBed } from './harness.ts';

/** A file of something that is computed, as the API has its arguments. */
export interface ComputedFile {
  readonly of: 'PERIODS' | 'STATISTICS' | 'BANDS';
  readonly every?: string;
  readonly quantiles?: readonly number[];
  readonly metrics?: readonly string[];
}

type Cell = string | number | null;
type Type = 'text' | 'int64' | 'double';

/** What a file must hold. A 64-bit integer is the text of its digits. */
export interface ComputedTable {
  readonly columns: readonly (readonly [name: string, type: Type])[];
  readonly rows: readonly (readonly Cell[])[];
}

const columns = (type: Type, ...names: string[]) => names.map((name) => [name, type] as const);
const assetColumns = [...columns('text', 'asset_id', 'asset_name'), ...columns('int64', 'asset_version')];

interface Lists {
  name: string;
  counts: number[];
  quantiles?: { values: (number | null)[] }[];
  [list: string]: unknown;
}

interface Node {
  asset: { assetId: string; name: string | null };
  version: string | null;
  periods?: { starts: string[]; metrics: Lists[] } | null;
  statistics?: Record<string, Cell>[] | null;
}

const statistics = ['min', 'max', 'mean', 'standardDeviation', 'first', 'last'];
const dates = ['minDate', 'maxDate', 'firstDate', 'lastDate'];
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const ofSeries = (field: string) => `series { nodes { asset { assetId name } version ${field} } }`;

/** The selection that has the values of a file. */
function selectionOf({ of, every = '' }: ComputedFile): string {
  if (of === 'PERIODS')
    return ofSeries(
      `periods(every: ${every}, metrics: $metrics) { starts metrics { name counts means mins maxs sums } }`,
    );
  if (of === 'BANDS')
    return 'bands(metrics: $metrics, quantiles: $quantiles) { valueDates metrics { name counts means mins maxs quantiles { values } } }';
  return ofSeries(`statistics(metrics: $metrics) { name count nullCount ${[...statistics, ...dates].join(' ')} }`);
}

/** The rows of columns by date or period, metric by metric. */
function rowsOf(keys: readonly string[], metrics: readonly Lists[], lists: readonly string[]): Cell[][] {
  return metrics.flatMap((metric) =>
    keys.map((key, at) => [
      ...[key, metric.name, String(metric.counts[at])],
      ...lists.map((list) => (metric[list] as Cell[])[at] as Cell),
      ...(metric.quantiles ?? []).map(({ values }) => values[at] as Cell),
    ]),
  );
}

/** The table of a file, made of the fields of the API. Undefined if one of them is an error. */
export async function computedTable(
  bed: TestBed,
  file: ComputedFile,
  id = DATASET_ID,
): Promise<ComputedTable | undefined> {
  const { of, metrics, quantiles = [0.1, 0.5, 0.9] } = file;
  const declared = of === 'BANDS' ? '$metrics: [String!], $quantiles: [Float!]!' : '$metrics: [String!]';
  const document = `query (${declared}) { dataset(id: "${id}") { results { ${selectionOf(file)} } } }`;
  const { body } = await bed.query(document, { variables: { metrics, quantiles } });
  if (body.errors !== undefined) return undefined;
  const { results } = body.data.dataset;
  if (of === 'BANDS') {
    const { valueDates = [], metrics: all = [] } = results.bands ?? {};
    return {
      columns: [
        ...columns('text', 'value_date', 'metric'),
        ...columns('int64', 'count'),
        ...columns('double', 'mean', 'min', 'max', ...quantiles.map((quantile) => `quantile_${quantile}`)),
      ],
      rows: rowsOf(valueDates, all, ['means', 'mins', 'maxs']),
    };
  }
  const nodes: Node[] = results.series?.nodes ?? [];
  const rowsOfNode = ({ periods, statistics: found }: Node): Cell[][] =>
    of === 'PERIODS'
      ? rowsOf(periods?.starts ?? [], periods?.metrics ?? [], ['means', 'mins', 'maxs', 'sums'])
      : (found ?? []).map((each) => [
          ...[each.name as string, String(each.count), String(each.nullCount)],
          ...[...statistics, ...dates].map((name) => each[name] as Cell),
        ]);
  const rows = nodes.flatMap((node) => {
    const { asset, version } = node;
    return rowsOfNode(node).map((cells) => [asset.assetId, asset.name, version, ...cells]);
  });
  const others =
    of === 'PERIODS'
      ? [
          ...columns('text', 'start', 'metric'),
          ...columns('int64', 'count'),
          ...columns('double', 'mean', 'min', 'max', 'sum'),
        ]
      : [
          ...columns('text', 'metric'),
          ...columns('int64', 'count', 'null_count'),
          ...columns('double', ...statistics.map(snake)),
          ...columns('text', ...dates.map(snake)),
        ];
  return { columns: [...assetColumns, ...others], rows };
}

/** The query of a file's URL. */
export function computedQuery(format: string, { of, every, quantiles, metrics }: ComputedFile): string {
  const query = new URLSearchParams({ format, of: of.toLowerCase() });
  if (every !== undefined) query.append('every', every.toLowerCase());
  for (const quantile of quantiles?.length === 0 ? [''] : (quantiles ?? [])) query.append('quantile', String(quantile));
  if (metrics?.length === 0) query.append('metrics', 'none');
  for (const metric of metrics ?? []) query.append('metric', metric);
  return query.toString();
}

/** The arguments of the field `file`. */
export function fileArguments(format: string, { of, every, quantiles, metrics }: ComputedFile): string {
  const list = (name: string, values: readonly unknown[] | undefined) =>
    values === undefined ? [] : [`${name}: ${JSON.stringify(values)}`];
  const unit = every === undefined ? [] : [`every: ${every}`];
  return [
    `format: ${format.toUpperCase()}, of: ${of}`,
    ...unit,
    ...list('quantiles', quantiles),
    ...list('metrics', metrics),
  ].join();
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
    if (type !== 'text' || typeof value === 'number') return typeof value === 'number' ? JSON.stringify(value) : value;
    return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const line = (fields: readonly string[]) => `${fields.join()}\r\n`;
  const header = line(all.map(([name]) => name));
  return header + rows.map((row) => line(row.map((cell, at) => field(cell, all[at]?.[1])))).join('');
}
