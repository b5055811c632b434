import { type Sort, sortIn } from './sort.ts';

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
  const sort = order === null ? allPlaces.sort : sortIn(order);
  const column = columns.find((each) => each === sort?.column);
  return { filter: filter ?? '', sort: column && sort && { ...sort, column } };
}
