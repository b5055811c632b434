import type { DatasetResolvers, EpochUnit } from '../../generated/resolvers.ts';
import { badUserInput, invalidMetadata } from '../errors/errors.ts';
import { toRowsFilter } from '../input.ts';
import { loadAsset, loadDataset } from '../load.ts';
import type { AssetModel, DatasetModel } from '../models.ts';
import { fromMetadata, loadedMetadata } from '../selections/loaded-fields.ts';
import { assetRequirements, datasetRequirements, needsResults } from '../selections/look-ahead.ts';

type Metadata = Exclude<DatasetModel['metadata'], Error | null>;

const earliest = Date.parse('0000-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');
const DAY_MS = 86_400_000;
/** Some thirty years. */
const MAX_MIDNIGHTS = 10_000;

/** The arguments of a date. */
interface InUnit {
  readonly unit: EpochUnit;
}

/** A date of the metadata as an RFC 3339 date-time, whose year has four digits. */
function toDateTime(date: Metadata['startDate'], unit: EpochUnit): string | Error | null {
  if (date === null || date === undefined) return null;
  if (date instanceof Error) return date;
  // A number that is not exact is far outside the range.
  const milliseconds = unit === 'SECONDS' ? Number(date) * 1000 : Number(date);
  if (milliseconds < earliest || milliseconds > latest) return invalidMetadata();
  return milliseconds % DAY_MS === 0 ? midnight(milliseconds) : new Date(milliseconds).toISOString();
}

/** The texts of midnights. Most dates of datasets are, and making one takes twenty times as long as finding it. */
const midnights = new Map<number, string>();

function midnight(milliseconds: number): string {
  const known = midnights.get(milliseconds);
  if (known !== undefined) return known;
  if (midnights.size === MAX_MIDNIGHTS) midnights.clear();
  const text = new Date(milliseconds).toISOString();
  midnights.set(milliseconds, text);
  return text;
}

export const Dataset: DatasetResolvers = {
  __resolveReference: async (reference, context, info) => {
    const { id } = reference as { id?: unknown };
    if (typeof id !== 'string') throw badUserInput('A reference to a dataset needs "id" as a string.');
    return loadDataset(id, datasetRequirements(info, context), context);
  },
  ...loadedMetadata,
  startDateTime: fromMetadata(({ startDate }, { unit }: InUnit) => toDateTime(startDate, unit)),
  stopDateTime: fromMetadata(({ stopDate }, { unit }: InUnit) => toDateTime(stopDate, unit)),
  results: async ({ id }, { filter: input }, { loaders, partialErrors, selections }, info) => {
    const filter = toRowsFilter(input);
    const isNeeded = selections.get('DatasetResults', info, (source) => needsResults(source.fieldNodes, source));
    if (!selections.bind(isNeeded, () => isNeeded(info.variableValues)))
      return { datasetId: id, filter, results: null };
    const results = await loaders.results.rows(id, filter);
    if (results.arriving !== undefined) partialErrors.reportArriving(results.arriving, info);
    else partialErrors.reportIncomplete(results.incomplete, info);
    return { datasetId: id, filter, results };
  },
  asset: ({ id }, { assetId }, context, info) =>
    loadAsset(id, assetId, assetRequirements(info, context), context, info),
  assets: ({ id }, { ids }, context, info) => {
    if (ids.length === 0) return [];
    const requirements = assetRequirements(info, context);
    // The generated type of a list knows no promise of null.
    return ids.map((assetId) => loadAsset(id, assetId, requirements, context, info) as Promise<AssetModel>);
  },
  download: ({ id }) => ({ datasetId: id }),
};
