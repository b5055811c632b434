/** A column of the table that a field is in a file. */
export interface TableColumn {
  readonly name: string;
  readonly type: 'text' | 'date' | 'int64' | 'double';
  readonly nullable: boolean;
}

/** A text, or a date as it was received; a 64-bit integer, a double, or null. */
export type Cell = string | bigint | number | null;

/** Takes a row of a table: a cell for each column. Returns about how many bytes were made of it. */
export type TakeRow = (cells: readonly Cell[]) => number;

export const textColumn = (name: string): TableColumn => ({ name, type: 'text', nullable: false });
export const countColumn = (name: string): TableColumn => ({ name, type: 'int64', nullable: false });
export const doubleColumn = (name: string): TableColumn => ({ name, type: 'double', nullable: true });
export const dateColumn = (name: string, nullable: boolean): TableColumn => ({ name, type: 'date', nullable });

/** The columns of quantiles. */
export const quantileColumns = (of: unknown): TableColumn[] =>
  (of as readonly number[]).map((quantile) => doubleColumn(`quantile_${quantile}`));

/** A double of a table: null for one that JSON does not have, and 0 for both zeros. */
export function doubleCell(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : value + 0;
}
