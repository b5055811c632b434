import { timeOf } from './dates.ts';
import { type AssetTable, labelOf } from './find.ts';
import type { Overlay, OverlaySummary } from './protocol.ts';

/** The rows of a line, and where the line is drawn. */
export interface PlacedTable extends AssetTable {
  /** What the line is called; undefined: like its asset. */
  readonly label?: string;
  /** Whether the line is one of an earlier time, which others are compared with. */
  readonly isEarlier?: boolean;
  /** The x of a point in time; undefined: the time itself. The tables of a dataset have at most one such function. */
  readonly toX?: (time: number) => number;
}

interface Laid {
  readonly tables: readonly PlacedTable[];
  readonly summary: OverlaySummary | undefined;
}

/** The field of a dataset that has the earlier one of two time ranges, in the operations that compare them. */
const EARLIER_FIELD = 'second';

/** All years are drawn as this one, because it has a 29 February. */
const LEAP_YEAR = 2000;

/** The axis of years: from 1 January to the end of 31 December. */
export const yearExtent: readonly [first: number, last: number] = [Date.UTC(LEAP_YEAR), Date.UTC(LEAP_YEAR + 1) - 1];

/**
 * Lays lines over one axis. Where there is no overlay, no earlier line, or a date that is no point in time, the lines stay as they
 * are, and the summary is undefined.
 */
export function laidOver(tables: readonly AssetTable[], overlay: Overlay | undefined): Laid {
  // They share the time already.
  if (overlay?.kind === 'datasets') return { tables: tables.filter(hasValues), summary: { kind: 'datasets' } };
  if (overlay === undefined || !tables.every(({ dates }) => dates.every(isTimeOrMissing)))
    return { tables, summary: undefined };
  return overlay.kind === 'years' ? yearsOf(tables, overlay.maxYears) : rangesOf(tables, overlay.shift);
}

/** A line for each asset in each of two time ranges. */
function rangesOf(tables: readonly AssetTable[], shift: number): Laid {
  const toX = (time: number) => time + shift;
  const filled = tables.filter(hasValues);
  if (!filled.some(({ field }) => field === EARLIER_FIELD)) return { tables: filled, summary: undefined };
  const placed = filled.map((table) =>
    table.field === EARLIER_FIELD
      ? { ...table, label: `${labelOf(table.asset)}, earlier`, isEarlier: true, toX }
      : table,
  );
  return { tables: placed, summary: { kind: 'ranges', shift } };
}

/** A line for each calendar year (UTC) that has a value, the latest first. */
function yearsOf(tables: readonly AssetTable[], maxYears: number): Laid {
  const parts = tables.flatMap((table) => {
    const dated = [...table.dates.keys()].filter((row) => table.dates[row] !== null);
    return [...Map.groupBy(dated, (row) => yearOf(table.dates[row] ?? ''))]
      .filter(([, rows]) => rows.some((row) => hasValue(table, row)))
      .map(([year, rows]) => ({ year, part: partOf(table, rows) }));
  });
  const all = [...new Set(parts.map(({ year }) => year))].sort((a, b) => b - a);
  const years = all.slice(0, maxYears);
  return {
    tables: years.flatMap((year, age) =>
      parts
        .filter((part) => part.year === year)
        .map(({ part }) => ({ ...part, label: String(year), isEarlier: age > 0, toX: inLeapYear })),
    ),
    summary: { kind: 'years', years, omittedYears: all.length - years.length },
  };
}

function yearOf(date: string): number {
  return new Date(timeOf(date) ?? Number.NaN).getUTCFullYear();
}

/** The same day and time of day in the leap year. Other years have no 29 February, and no gap there. */
function inLeapYear(time: number): number {
  return new Date(time).setUTCFullYear(LEAP_YEAR);
}

function isTimeOrMissing(date: string | null): boolean {
  return date === null || timeOf(date) !== undefined;
}

function hasValues(table: AssetTable): boolean {
  return [...table.dates.keys()].some((row) => hasValue(table, row));
}

function hasValue({ columns }: AssetTable, row: number): boolean {
  return [...columns.values()].some((values) => !Number.isNaN(values[row]));
}

/** Some rows of a table. */
function partOf(table: AssetTable, rows: readonly number[]): AssetTable {
  return {
    ...table,
    dates: rows.map((row) => table.dates[row] ?? null),
    columns: new Map(
      Array.from(table.columns, ([name, values]) => [
        name,
        Float64Array.from(rows, (row) => values[row] ?? Number.NaN),
      ]),
    ),
  };
}
