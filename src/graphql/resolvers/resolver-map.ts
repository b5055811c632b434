import type { Resolvers } from '../../generated/resolvers.ts';
import { DateTime, Int64, TimeBound, URL } from '../schema/scalars.ts';
import { Asset } from './Asset.ts';
import { AssetParent } from './AssetParent.ts';
import { AssetSeries } from './AssetSeries.ts';
import { AssetSeriesConnection } from './AssetSeriesConnection.ts';
import { Dataset, type DateUnit, dateTimesIn } from './Dataset.ts';
import { DatasetDownload } from './DatasetDownload.ts';
import { DatasetResults } from './DatasetResults.ts';
import { Query } from './Query.ts';

/**
 * Every resolver of the schema. Other fields read the property of the same name.
 *
 * @param dateUnit DATE_UNIT
 */
export const createResolvers = (dateUnit: DateUnit): Resolvers => ({
  Asset,
  AssetParent,
  AssetSeries,
  AssetSeriesConnection,
  Dataset: { ...Dataset, ...dateTimesIn(dateUnit) },
  DatasetDownload,
  DatasetResults,
  DateTime,
  TimeBound,
  Int64,
  Query,
  URL,
});
