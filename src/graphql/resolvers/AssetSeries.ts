import type { AssetSeriesResolvers } from '../../generated/resolvers.ts';
import { metricNames, toColumns } from '../../results/columns.ts';
import { checkCount } from '../input.ts';
import type { AssetSeriesModel } from '../models.ts';

type Rows = Exclude<AssetSeriesModel['entry']['results'], Error | null | undefined>;

/** Something made of the rows; null or an error where these are. */
function fromRows<T>({ entry: { results } }: AssetSeriesModel, make: (rows: Rows) => T): T | Error | null {
  if (results === null || results === undefined) return null;
  return results instanceof Error ? results : make(results);
}

export const AssetSeries: AssetSeriesResolvers = {
  asset: ({ datasetId, latest }) => ({ datasetId, assetId: latest.assetId, entry: latest }),
  version: ({ entry }) => entry.version,
  resultCount: (series) => fromRows(series, (rows) => rows.length),
  metricNames: (series) => fromRows(series, metricNames),
  results: (series, { first, offset }, { budget }) => {
    checkCount('first', first);
    checkCount('offset', offset);
    const end = first === null || first === undefined ? undefined : offset + first;
    return fromRows(series, (rows) => {
      const page = rows.slice(offset, end);
      budget.spendRows(series.entry, page.length);
      return page;
    });
  },
  columns: (series, { metrics }, { budget }) =>
    fromRows(series, (rows) => {
      budget.spendRows(series.entry, rows.length);
      return toColumns(rows, metrics ?? metricNames(rows));
    }),
};
