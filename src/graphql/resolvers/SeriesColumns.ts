import type { SeriesColumnsResolvers } from '../../generated/resolvers.ts';

export const SeriesColumns: SeriesColumnsResolvers = {
  rowCount: ({ valueDates }) => valueDates.length,
};
