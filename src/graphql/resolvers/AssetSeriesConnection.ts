import type { GraphQLResolveInfo } from 'graphql';
import { turnFor } from '../../core/turn-scheduler.ts';
import type { AssetSeriesConnectionResolvers } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import { badUserInput } from '../errors.ts';
import type { AssetSeriesConnectionModel } from '../models.ts';

/** The most characters of a cursor that its index takes. */
const MAX_INDEX_LENGTH = 24;

type Entries = AssetSeriesConnectionModel['entries'];

/** A cursor holds the entry's index and the asset's id, so that one of another answer is noticed. */
export function cursorAt(entries: Entries, index: number): string {
  return Buffer.from(JSON.stringify([index, entries.at(index)?.assetId])).toString('base64url');
}

/**
 * The index of the entry that follows a cursor; 0 without a cursor.
 *
 * @throws GraphQLError BAD_USER_INPUT for a cursor that is of no entry
 */
export function positionAfter(cursor: string | null | undefined, entries: Entries): number {
  if (cursor === null || cursor === undefined) return 0;
  // No more of it than the index: a cursor can be as long as a request, and be given to many fields.
  const head = Buffer.from(cursor.slice(0, MAX_INDEX_LENGTH), 'base64url').toString();
  const [, index] = /^\[(\d{1,15}),/.exec(head) ?? [];
  const position = Number(index);
  if (!(position < entries.length) || cursorAt(entries, position) !== cursor) {
    throw badUserInput('The cursor does not fit these results.');
  }
  return position + 1;
}

/** The items of a page, completed a few in a turn of the event loop. */
function mapPage<T>(
  page: AssetSeriesConnectionModel,
  context: OperationContext,
  info: GraphQLResolveInfo,
  toItem: (index: number) => T,
): (T | Promise<T>)[] {
  const fields = context.budget.fieldsOn(info);
  return Array.from({ length: page.end - page.start }, (_, offset) => {
    const item = toItem(page.start + offset);
    return turnFor(context, fields)?.then(() => item) ?? item;
  });
}

/** The fields of a page that are known without its rows. */
const ofPage = {
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
  return ofPage[field as keyof typeof ofPage](page as AssetSeriesConnectionModel);
}

export const AssetSeriesConnection: AssetSeriesConnectionResolvers = {
  ...ofPage,
  edges: (page, _args, context, info) =>
    mapPage(page, context, info, (index) => ({ cursor: cursorAt(page.entries, index), node: page.at(index) })),
  nodes: (page, _args, context, info) => mapPage(page, context, info, (index) => page.at(index)),
};
