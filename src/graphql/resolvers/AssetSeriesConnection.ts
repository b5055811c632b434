import type { GraphQLResolveInfo } from 'graphql';
import { scheduleTurn } from '../../core/turn-scheduler.ts';
import type { AssetSeriesConnectionResolvers } from '../../generated/resolvers.ts';
import type { ArrivingPage } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { indexIn, invalidCursor } from '../input.ts';
import type { AssetSeriesConnectionModel } from '../models.ts';

type Entries = AssetSeriesConnectionModel['entries'];

/** What cursors need of entries. */
export interface EntryIds {
  at(index: number): { readonly assetId: string } | undefined;
}

/** The cursor of an entry: its index, and the asset's id to detect a cursor of another response. */
export function cursorAt(entries: EntryIds, index: number): string {
  return cursorOf(index, entries.at(index)?.assetId);
}

/** The same of an entry with this index and this id. */
export function cursorOf(index: number, assetId: string | undefined): string {
  return Buffer.from(JSON.stringify([index, assetId])).toString('base64url');
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

/** The items of a page. Each turn of the event loop completes some of them. */
function mapPage<T>(
  page: AssetSeriesConnectionModel,
  context: OperationContext,
  info: GraphQLResolveInfo,
  toItem: (index: number) => T,
): (T | Promise<T>)[] {
  const fields = context.budget.fieldsOn(info);
  return Array.from({ length: page.end - page.start }, (_, offset) => {
    const item = toItem(page.start + offset);
    return scheduleTurn(context, fields)?.then(() => item) ?? item;
  });
}

/** The resolvers of the fields that do not need the rows. */
const pageFields = {
  pageInfo: ({ entries, start, end }: AssetSeriesConnectionModel) => ({
    hasNextPage: end < entries.length,
    hasPreviousPage: start > 0,
    startCursor: start < end ? cursorAt(entries, start) : null,
    endCursor: start < end ? cursorAt(entries, end - 1) : null,
  }),
  totalCount: ({ entries }: AssetSeriesConnectionModel) => entries.length,
};

/** Reads such a field, for the fast path. */
export function readPage(page: object, field: string): unknown {
  return pageFields[field as keyof typeof pageFields](page as AssetSeriesConnectionModel);
}

/** The same of entries that have all passed. */
export function readArrivedPage(page: object, field: string): unknown {
  return readPage((page as ArrivingPage).arrived, field);
}

export const AssetSeriesConnection: AssetSeriesConnectionResolvers = {
  ...pageFields,
  edges: (page, _args, context, info) =>
    mapPage(page, context, info, (index) => ({ cursor: cursorAt(page.entries, index), node: page.at(index) })),
  nodes: (page, _args, context, info) => mapPage(page, context, info, (index) => page.at(index)),
};
