import type { AssetSeriesConnectionResolvers } from '../../generated/resolvers.ts';
import { badUserInput } from '../errors.ts';
import type { AssetSeriesConnectionModel, AssetSeriesModel } from '../models.ts';

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
  const [, index] = /^\[(\d{1,15}),/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const position = Number(index);
  if (!(position < entries.length) || cursorAt(entries, position) !== cursor) {
    throw badUserInput('The cursor does not fit these results.');
  }
  return position + 1;
}

function nodeAt({ datasetId, entries, latest }: AssetSeriesConnectionModel, index: number): AssetSeriesModel {
  const entry = entries.at(index);
  if (entry === undefined) throw new RangeError('A page ends with its entries.');
  return { datasetId, entry, latest: latest.get(entry.assetId) ?? entry };
}

function mapPage<T>(page: AssetSeriesConnectionModel, toItem: (index: number) => T): T[] {
  return Array.from({ length: page.end - page.start }, (_, offset) => toItem(page.start + offset));
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

/** Reads such a field, for the fast way. */
export function readPage(page: object, field: string): unknown {
  return ofPage[field as keyof typeof ofPage](page as AssetSeriesConnectionModel);
}

export const AssetSeriesConnection: AssetSeriesConnectionResolvers = {
  ...ofPage,
  edges: (page) => mapPage(page, (index) => ({ cursor: cursorAt(page.entries, index), node: nodeAt(page, index) })),
  nodes: (page) => mapPage(page, (index) => nodeAt(page, index)),
};
