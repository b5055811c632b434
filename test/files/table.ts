import { LEADING_COLUMNS } from '../../src/core/csv-field.ts';

/** An asset of a results response. Numbers are JSON, because a test says which digits the service sends. */
export interface Asset {
  readonly id: string;
  readonly name: string | null;
  readonly version: string | null;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly date: string | null;
  /** Each name with its value. */
  readonly metrics: readonly (readonly [string | null, string | null])[];
}

export type Type = 'text' | 'int64' | 'double' | 'date' | 'timestamp';
export type Layout = 'long' | 'wide';

/** What a file must hold. A 64-bit integer is the text of its digits, and so are the nanoseconds of a timestamp since 1970. */
export interface Table {
  readonly columns: readonly (readonly [name: string, type: Type])[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** The response of the service. */
export function bodyOf(assets: readonly Asset[]): string {
  const text = JSON.stringify;
  const ofMetric = ([name, value]: Row['metrics'][number]) => `{"name":${text(name)},"value":${value}}`;
  const ofRow = ({ date, metrics }: Row) => `{"value_date":${text(date)},"metrics":[${metrics.map(ofMetric).join()}]}`;
  const ofAsset = ({ id, name, version, rows }: Asset) =>
    `{"asset_id":${text(id)},"asset_name":${text(name)},"asset_version":${version},"results":[${rows.map(ofRow).join()}]}`;
  return `{"assets":[${assets.map(ofAsset).join()}]}`;
}

/**
 * The table of these assets.
 *
 * @param text what becomes of a text
 * @param metricColumns the columns of the metrics in a wide table
 */
export function tableOf(
  assets: readonly Asset[],
  layout: Layout,
  text: (value: string | null) => string | null = (value) => value?.toWellFormed() ?? null,
  metricColumns: readonly string[] = [],
): Table {
  const types: Type[] = ['text', 'text', 'int64', 'text'];
  const leading = LEADING_COLUMNS.map((name, index) => [name, types[index] as Type] as const);
  const number = (value: string | null) => (value === null ? null : Number(value) + 0);
  const metrics = namesOf(assets);
  const rows = assets.flatMap(({ id, name, version, rows }) =>
    rows.flatMap((row) => {
      const lead = [text(id), text(name), version, text(row.date)];
      if (layout === 'wide') {
        return [
          [...lead, ...metrics.map((metric) => number(row.metrics.find(([each]) => each === metric)?.[1] ?? null))],
        ];
      }
      const each = row.metrics.length === 0 ? [[null, null] as const] : row.metrics;
      return each.map(([metric, value]) => [...lead, text(metric), number(value)]);
    }),
  );
  const others: [string, Type][] =
    layout === 'wide'
      ? metricColumns.map((name) => [name, 'double'])
      : [
          ['metric', 'text'],
          ['value', 'double'],
        ];
  return { columns: [...leading, ...others], rows };
}

/** The names of the metrics, in the order of their first appearance. */
function namesOf(assets: readonly Asset[]): string[] {
  const names = assets.flatMap(({ rows }) => rows.flatMap(({ metrics }) => metrics.map(([name]) => name)));
  return [...new Set(names.filter((name) => name !== null))];
}
