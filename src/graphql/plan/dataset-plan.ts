import type { AssetSeriesArgs, DatasetAssetArgs, DatasetAssetsByIdsArgs } from '../../generated/schema.ts';
import type { RowsFilter } from '../../loaders/loaders.ts';
import type { Requirements } from '../../results/results.ts';
import type { CompiledField, CompiledFields } from '../execution/execution.ts';
import { MAX_ASSET_IDS, toTimeRange } from '../input.ts';
import { madeOfAllResults, needsAttributes, needsMetadata, rowsOfAsset, selectsMetadata } from './loaded-fields.ts';
import type { OperationFacts } from './operation-facts.ts';
import type { BoundResults, ResultsPlan } from './results-requirements.ts';
import {
  argumentsOf,
  copiesIn,
  fieldsNamed,
  ignoreErrors,
  type Parts,
  type SelectionSource,
  selectionOn,
  type Variables,
} from './selected-fields.ts';

/*
 * What the selection on a dataset requires of the service, so that all calls of an operation can start and be planned together,
 * before the first response. For example, with the variable `from` = 5, the selection
 *
 *     dataset(id: "d") {
 *       name
 *       results(filter: { assetIds: ["a", "b"] }) { processingId }
 *       asset(assetId: "c") { name series(filter: { timeRange: { start: $from } }) { rowCount } }
 *     }
 *
 * is read to this plan (and the counts for the limits):
 *
 *     { metadata: ['name'], assetMetadata: false, all: { fields: [] }, results: [{ field: results }],
 *       assets: [{ field: asset, plan: { attributes: ['name'], metadata: false, series: [series] } }] }
 *
 * which is bound to the variables of a request:
 *
 *     { results: [{ filter: { assetIds: ['a', 'b'] }, isNeeded: true }],
 *       assets: [{ assetId: 'c', asset: { timeRanges: [{ start: 5n }] } }] }
 */

/** What is read of a selection on datasets. It depends on no variable but those of `@skip` and `@include`. */
export interface DatasetPlan {
  /** What it requires under any variables, if it needs no results. */
  readonly bound?: BoundDataset;
  readonly field: CompiledField;
  /** The response keys of the fields that need metadata. */
  readonly metadata: readonly string[];
  /** Whether metadata is selected on the dataset of its assets. */
  readonly assetMetadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  /** The number of fields on each dataset, with nested fields. */
  readonly fields: number;
  readonly all: AllResultsPlan;
  readonly results: readonly ResultsPlan[];
  readonly assets: readonly AssetPlan[];
}

/** The fields of a dataset that are made of all its results. */
export interface AllResultsPlan {
  /** Their response keys. */
  readonly fields: readonly string[];
  /** What they need of the results; undefined if all of them have to be kept. */
  readonly requirements: Requirements | undefined;
}

/** What is read of a selection on assets. */
export interface AssetPlan {
  readonly field: CompiledField;
  /** The response keys of the fields that need attributes. */
  readonly attributes: readonly string[];
  /** Whether metadata of its dataset is selected. */
  readonly metadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  /** The number of fields on each asset, with nested fields. */
  readonly fields: number;
  /** The fields that need its rows. */
  readonly series: CompiledFields;
  /** How many of its fields read results of its dataset. Those that are made of all results read them together. */
  readonly results: number;
}

/** What a selection on datasets requires under the variables of a request. */
export interface BoundDataset {
  readonly plan: DatasetPlan;
  /** The results that are needed, with valid filters. */
  readonly results: readonly BoundResults[];
  /** The number of asset ids in its filters and lists, with repetitions. */
  readonly assetIds: number;
  /** The number of selected results and series. */
  readonly series: number;
  /** Their time ranges. Undefined means all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
  readonly assets: readonly { readonly assetId: string; readonly asset: BoundAsset }[];
}

/** What a selection on assets requires under the variables of a request. */
export interface BoundAsset {
  readonly plan: AssetPlan;
  /** The time ranges of the selected series. Undefined means all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
}

/** Whether anything of an asset comes from the service, besides the metadata of its dataset. */
export function needsCalls({ plan, timeRanges }: BoundAsset): boolean {
  return plan.attributes.length + timeRanges.length > 0;
}

/** What plans of datasets are read from. */
export interface DatasetSource {
  readonly source: SelectionSource;
  readonly facts: OperationFacts;
  /** The number of fields on each object that a field returns, with nested fields. */
  readonly fieldCounts: Parts<number>;
  readonly results: Parts<ResultsPlan>;
  readonly assets: Parts<AssetPlan>;
}

const nothing = { results: [], assetIds: 0, series: 0, timeRanges: [], assets: [] };

/** Reads the selection of a field that returns datasets. */
export function readDataset(field: CompiledField, plan: DatasetSource): DatasetPlan {
  const fields = selectionOn('Dataset', field, plan.source);
  const results = fieldsNamed(fields, 'results').map((each) => plan.results.of(each));
  const assets = fieldsNamed(fields, 'asset', 'assetsByIds').map((each) => plan.assets.of(each));
  const all = readAll(fields, plan.facts);
  const read = {
    field,
    metadata: fields.filter(needsMetadata).map(({ key }) => key),
    assetMetadata: assets.some(({ metadata }) => metadata) || results.some((each) => each.assetMetadata),
    copies: copiesIn(fields),
    fields: plan.fieldCounts.of(field),
    all,
    results,
    assets,
  };
  if (all.fields.length + results.length + assets.length > 0) return read;
  const bound: { plan: DatasetPlan } & Omit<BoundDataset, 'plan'> = { plan: read, ...nothing };
  bound.plan = { ...read, bound };
  return bound.plan;
}

function readAll(fields: CompiledFields, { nestsResults }: OperationFacts): AllResultsPlan {
  const selected = fieldsNamed(fields, ...madeOfAllResults);
  // Others may ask for the results when the response has been read.
  const requirements = nestsResults ? undefined : { first: 0, names: fieldsNamed(selected, 'metricNames').length > 0 };
  return { fields: selected.map(({ key }) => key), requirements };
}

/** Reads the selection of a field that returns assets. */
export function readAsset(field: CompiledField, plan: DatasetSource): AssetPlan {
  const { source } = plan;
  const fields = selectionOn('Asset', field, source);
  return {
    field,
    attributes: fields.filter(needsAttributes).map(({ key }) => key),
    metadata: selectsMetadata(fields, source),
    copies: copiesIn(fields),
    fields: plan.fieldCounts.of(field),
    series: fieldsNamed(fields, ...rowsOfAsset),
    results: fieldsNamed(fields, 'dataset').reduce(
      (sum, dataset) => sum + readersIn(selectionOn('Dataset', dataset, source)),
      0,
    ),
  };
}

function readersIn(ofDataset: CompiledFields): number {
  const isMadeOfAll = fieldsNamed(ofDataset, ...madeOfAllResults).length > 0;
  return fieldsNamed(ofDataset, 'results').length + (isMadeOfAll ? 1 : 0);
}

/** Binds a plan to the variables of a request. A field with invalid arguments requires nothing. Its resolver reports the error. */
export function bindDataset(
  plan: DatasetPlan,
  variables: Variables,
  request: { results(plan: ResultsPlan): BoundResults; asset(plan: AssetPlan): BoundAsset },
): BoundDataset {
  const needed = plan.results.map((each) => request.results(each)).filter(({ isNeeded }) => isNeeded);
  const lists = plan.assets.map((asset) => ({ asset, ids: idsOf(asset.field, variables) }));
  const assetIds =
    needed.reduce((sum, each) => sum + each.assetIds, 0) +
    lists.reduce((sum, { asset, ids }) => sum + (isListOfAssets(asset) ? ids.length : 0), 0);
  // Converting them would take long.
  if (assetIds > MAX_ASSET_IDS) return { plan, ...nothing, assetIds };
  const results = needed.filter((each) => ignoreErrors(() => each.filter).length > 0);
  const assets = lists.flatMap((list) => {
    const asset = request.asset(list.asset);
    return list.ids.map((assetId) => ({ assetId, asset }));
  });
  const timeRanges = [
    ...plan.all.fields.map(() => undefined),
    ...results.map(({ filter }) => filter.timeRange),
    ...assets.flatMap(({ asset }) => asset.timeRanges),
  ];
  return { plan, results, assetIds, series: timeRanges.length, timeRanges, assets };
}

/** Binds a plan to the variables of a request. */
export function bindAsset(plan: AssetPlan, variables: Variables): BoundAsset {
  const timeRanges = plan.series.flatMap((field) =>
    ignoreErrors(() => toTimeRange(argumentsOf<AssetSeriesArgs>(field, variables).filter?.timeRange)),
  );
  return { plan, timeRanges };
}

type Args = DatasetAssetArgs & DatasetAssetsByIdsArgs;

function isListOfAssets({ field }: AssetPlan): boolean {
  return field.definition.name === 'assetsByIds';
}

/** The ids of `asset` or `assetsByIds`. */
function idsOf(field: CompiledField, variables: Variables): readonly string[] {
  const [ids = []] = ignoreErrors(() => {
    const { assetId, assetIds: list } = argumentsOf<Partial<Args>>(field, variables);
    return list ?? [assetId as string];
  });
  return ids;
}
