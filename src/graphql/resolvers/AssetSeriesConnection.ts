import type { GraphQLResolveInfo } from 'graphql';
import { scheduleTurn } from '../../core/event-loop.ts';
import type { AssetSeriesConnectionResolvers } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import type { AssetSeriesConnectionModel } from '../models.ts';
import { cursorAt, pageFields } from '../pages.ts';

/** The items of a page. Each turn of the event loop completes some of them. */
function mapPage<T>(
  page: AssetSeriesConnectionModel,
  context: OperationContext,
  info: GraphQLResolveInfo,
  toItem: (index: number) => T,
): (T | Promise<T>)[] {
  const fields = context.plan.fieldsOn(info);
  return Array.from({ length: page.end - page.start }, (_, offset) => {
    const item = toItem(page.start + offset);
    return scheduleTurn(context, fields)?.then(() => item) ?? item;
  });
}

/** A page of series. */
export const AssetSeriesConnection: AssetSeriesConnectionResolvers = {
  ...pageFields,
  edges: (page, _args, context, info) =>
    mapPage(page, context, info, (index) => ({ cursor: cursorAt(page.entries, index), node: page.at(index) })),
  nodes: (page, _args, context, info) => mapPage(page, context, info, (index) => page.at(index)),
};
