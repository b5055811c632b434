/** The fields of a page of series that do not need the rows, and its cursors. */

import type { GraphQLError } from 'graphql';
import type { PageEntries } from '../results/results.ts';
import { badUserInput } from './errors/errors.ts';

type Entries = PageEntries['entries'];

/** The cursor of an entry: its index, and the asset's id to detect a cursor of another response. */
export function cursorAt(entries: Entries, index: number): string {
  return cursorOf(index, entries.at(index)?.assetId);
}

/** The same of an entry with this index and this id. */
export function cursorOf(index: number, assetId: string | undefined): string {
  return Buffer.from(JSON.stringify([index, assetId])).toString('base64url');
}

/** The most characters of a cursor that hold its index. */
const MAX_INDEX_LENGTH = 24;

/** The index in a cursor. NaN if it has none, and cannot be the cursor of any results. */
export function indexIn(cursor: string): number {
  // Decode only the index: a cursor can be as long as a request, and many fields can have it.
  const decoded = Buffer.from(cursor.slice(0, MAX_INDEX_LENGTH), 'base64url').toString();
  const [, index] = /^\[(\d{1,15}),/.exec(decoded) ?? [];
  return Number(index);
}

/** Whether there is no cursor, or one that may belong to some results. */
export function isCursorOrAbsent(cursor: string | null | undefined): boolean {
  return cursor === null || cursor === undefined || !Number.isNaN(indexIn(cursor));
}

/** @throws GraphQLError BAD_USER_INPUT for a cursor that belongs to no results */
export function checkCursor(cursor: string | null | undefined): void {
  if (!isCursorOrAbsent(cursor)) throw invalidCursor();
}

/** A cursor of other results, or of none. */
function invalidCursor(): GraphQLError {
  return badUserInput('The cursor does not belong to these results.');
}

/**
 * The index of the entry after a cursor. 0 without a cursor.
 *
 * @throws GraphQLError BAD_USER_INPUT for a cursor that does not belong to these entries
 */
export function positionAfter(cursor: string | null | undefined, entries: Entries): number {
  if (cursor === null || cursor === undefined) return 0;
  const position = indexIn(cursor);
  if (!(position < entries.length) || cursorAt(entries, position) !== cursor) throw invalidCursor();
  return position + 1;
}

/** The resolvers of the fields that do not need the rows. */
export const pageFields = {
  pageInfo: ({ entries, start, end }: PageEntries) => ({
    hasNextPage: end < entries.length,
    hasPreviousPage: start > 0,
    startCursor: start < end ? cursorAt(entries, start) : null,
    endCursor: start < end ? cursorAt(entries, end - 1) : null,
  }),
  totalCount: ({ entries }: PageEntries) => entries.length,
};
