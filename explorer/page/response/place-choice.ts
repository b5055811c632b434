import type { Sort } from './sort-header.tsx';

const columns = ['asset', 'value', 'date'] as const;
export type PlaceColumn = (typeof columns)[number];

/** Which places a table shows, and in which order. */
export interface PlaceChoice {
  /** Only places whose name or id contains this text. */
  readonly filter: string;
  /** Undefined: the order of the response. */
  readonly sort: Sort<PlaceColumn> | undefined;
}

/** All places, from the highest to the lowest value. */
export const allPlaces: PlaceChoice = { filter: '', sort: { column: 'value', isDescending: true } };

/** Reads a choice in a link; undefined if it has none. */
export function readPlaces(filter: string | null, order: string | null): PlaceChoice | undefined {
  if (filter === null && order === null) return undefined;
  const [, minus, name] = /^(-?)(.+)$/s.exec(order ?? sortText(allPlaces)) ?? [];
  const column = columns.find((each) => each === name);
  return { filter: filter ?? '', sort: column && { column, isDescending: minus === '-' } };
}

/** The order of a choice in a link. */
export function sortText({ sort }: PlaceChoice): string {
  return sort === undefined ? 'none' : `${sort.isDescending ? '-' : ''}${sort.column}`;
}
