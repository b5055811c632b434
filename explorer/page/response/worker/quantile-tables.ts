import { fieldsOf, type Table } from './shapes.ts';

/** An edge of the area of a band. */
export type BandEdge = 'low' | 'high';

/** One quantile of a band, by date: a line in each chart. */
export interface BandTable extends Table {
  /** What the line is called: "median" or "10 %". */
  readonly label: string;
  /** Which edge of the area the line is; undefined for a line within it. */
  readonly edge: BandEdge | undefined;
}

interface Quantile {
  readonly quantile: number;
  readonly values: readonly (number | null)[];
}

/**
 * Reads the quantiles of bands, `{ valueDates metrics { name quantiles { quantile values } } }`, under any aliases. There is a
 * table for each quantile; the lowest and the highest are the edges of the area. Empty for any other value.
 */
export function bandTablesOf(value: unknown): BandTable[] {
  const lists = Object.values(fieldsOf(value) ?? {}).filter(Array.isArray);
  // The first item tells, so that other large lists are not searched.
  const list = lists.find(([first]) => quantilesOf(first) !== undefined);
  const dates = list && lists.find((each) => each !== list && each.every((item) => typeof item === 'string'));
  if (list === undefined || dates === undefined) return [];
  const metrics = list.map((item) => ({ name: nameOf(item), quantiles: quantilesOf(item) ?? [] }));
  const places = [...new Set(metrics.flatMap(({ quantiles }) => quantiles.map(({ quantile }) => quantile)))].sort(
    (a, b) => a - b,
  );
  return places.map((place, index) => ({
    label: place === 0.5 ? 'median' : `${Number((place * 100).toPrecision(6))} %`,
    edge: places.length < 2 ? undefined : index === 0 ? 'low' : index === places.length - 1 ? 'high' : undefined,
    dates,
    columns: new Map(
      metrics.flatMap(({ name, quantiles }) =>
        quantiles
          .filter(({ quantile }) => quantile === place)
          .map(({ values }) => [name, Float64Array.from(dates, (_, row) => values[row] ?? Number.NaN)] as const),
      ),
    ),
    isRows: false,
    hasDates: true,
    omittedCount: 0,
  }));
}

function nameOf(metric: unknown): string {
  return Object.values(fieldsOf(metric) ?? {}).find((part) => typeof part === 'string') ?? 'value';
}

/** The quantiles of a metric; undefined for any other value. */
function quantilesOf(metric: unknown): Quantile[] | undefined {
  const list = Object.values(fieldsOf(metric) ?? {}).find(
    (part) => Array.isArray(part) && quantileOf(part[0]) !== undefined,
  );
  return (list as unknown[] | undefined)?.flatMap((item) => quantileOf(item) ?? []);
}

function quantileOf(item: unknown): Quantile | undefined {
  const parts = Object.values(fieldsOf(item) ?? {});
  const quantile = parts.find((part) => typeof part === 'number');
  const values = parts.find(Array.isArray);
  return quantile === undefined || values === undefined ? undefined : { quantile, values };
}
