import type { SeriesColumnsResolvers } from '../../generated/resolvers.ts';

/** The columns of rows. The other fields are properties of the same name. */
export const SeriesColumns: SeriesColumnsResolvers = {
  rowCount: ({ valueDates }) => valueDates.length,
};
