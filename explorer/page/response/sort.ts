/** The column by which rows are sorted. */
export interface Sort<Column> {
  readonly column: Column;
  readonly isDescending: boolean;
}

/** Reads a sort in a link: a column, behind a minus if it is descending. Undefined if it is none. */
export function sortIn(text: string | null): Sort<string> | undefined {
  const [, minus, column] = /^(-?)(.+)$/s.exec(text ?? '') ?? [];
  return column === undefined ? undefined : { column, isDescending: minus === '-' };
}

/** A sort in a link. */
export function sortText({ column, isDescending }: Sort<string>): string {
  return `${isDescending ? '-' : ''}${column}`;
}
