import type { GraphQLResolveInfo } from 'graphql';
import { DAY_MS, dateOf, hasYearOfFourDigits } from '../../core/dates.ts';
import type { DatasetResolvers } from '../../generated/resolvers.ts';
import type { Results } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { badUserInput, forbidden, invalidMetadata } from '../errors/errors.ts';
import { loadAsset, loadDataset } from '../load.ts';
import type { AssetModel, DatasetModel } from '../models.ts';
import { fromMetadata, loadedMetadata } from '../plan/loaded-fields.ts';
import { namesOf } from './DatasetResults.ts';

/** The unit of dates, counted since 1970-01-01T00:00:00Z. The service does not document it. */
export type DateUnit = 'milliseconds' | 'seconds';

type Metadata = Exclude<DatasetModel['metadata'], Error | null>;

/** A date of the metadata as an RFC 3339 date-time, whose year has four digits. */
function toDateTime(date: Metadata['startDate'], unit: DateUnit): string | Error | null {
  if (date === null || date === undefined) return null;
  if (date instanceof Error) return date;
  // A number that is not exact is far outside the range.
  const milliseconds = unit === 'seconds' ? Number(date) * 1000 : Number(date);
  if (!hasYearOfFourDigits(milliseconds)) return invalidMetadata();
  const days = milliseconds / DAY_MS;
  // Most dates of datasets are midnights, of which this takes a third of the time.
  return Number.isInteger(days) ? `${dateOf(days)}T00:00:00.000Z` : new Date(milliseconds).toISOString();
}

/** The fields that are dates of the metadata in this unit. */
export function dateTimesIn(unit: DateUnit): Pick<DatasetResolvers, 'startDateTime' | 'stopDateTime'> {
  return {
    startDateTime: fromMetadata(({ startDate }) => toDateTime(startDate, unit)),
    stopDateTime: fromMetadata(({ stopDate }) => toDateTime(stopDate, unit)),
  };
}

/** All results of a dataset, for a field that is made of them. */
async function allOf(
  { allResults }: DatasetModel,
  { partialErrors }: OperationContext,
  info: GraphQLResolveInfo,
): Promise<Results> {
  if (allResults === undefined) throw new Error('The plan of the dataset missed a field that is made of all results.');
  const results = await allResults;
  partialErrors.noteResponses(results.responses, info);
  return results;
}

/** The fields whose values do not depend on settings. */
export const Dataset: DatasetResolvers = {
  __resolveReference: async (reference, context, info) => {
    const { id } = reference as { id?: unknown };
    if (typeof id !== 'string') throw badUserInput('A reference to a dataset needs "id" as a string or an integer.');
    const dataset = context.plan.dataset(info);
    context.budget.spendCalls(dataset, 1);
    return loadDataset(id, dataset, context, 'list');
  },
  ...loadedMetadata,
  seriesCount: async (dataset, _args, context, info) => {
    const { assets } = await allOf(dataset, context, info);
    return assets === null || assets === undefined || assets instanceof Error ? assets : assets.length;
  },
  metricNames: async (dataset, _args, context, info) => namesOf(await allOf(dataset, context, info), context, info),
  results: async ({ id, results: started }, _args, { plan, partialErrors }, info) => {
    const planned = plan.results(info);
    const { filter } = planned;
    if (!planned.isNeeded) return { datasetId: id, filter, results: null };
    const results = await started?.get(planned);
    if (results === undefined) throw new Error('The plan of the dataset missed its results.');
    partialErrors.noteResponses(results.responses, info);
    return { datasetId: id, filter, results };
  },
  asset: ({ id }, { assetId }, context, info) => loadAsset(id, assetId, context.plan.asset(info), context, info),
  assetsByIds: ({ id }, { assetIds }, context, info) => {
    if (assetIds.length === 0) return [];
    const asset = context.plan.asset(info);
    // The generated type of a list knows no promise of null.
    return assetIds.map((assetId) => loadAsset(id, assetId, asset, context, info) as Promise<AssetModel>);
  },
  download: ({ id }) => ({ datasetId: id }),
  downloadUrlWithToken: ({ id }, _args, { tokenInUrlAllowed, downloadUrl, budget }) => {
    if (!tokenInUrlAllowed) throw forbidden('Tokens in URLs are not enabled in this subgraph.');
    const url = downloadUrl(id, true);
    budget.spendText(url.length, 1);
    return url;
  },
};
