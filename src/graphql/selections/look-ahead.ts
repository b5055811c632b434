import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import type {
  AssetSeriesArgs,
  DatasetAssetArgs,
  DatasetAssetsArgs,
  DatasetResultsArgs,
  DatasetResultsSeriesArgs,
  ResolversTypes,
} from '../../generated/resolvers.ts';
import type { RowsFilter } from '../../loaders/results-loader.ts';
import type { PartialNeeds } from '../../results/results.ts';
import type { OperationContext } from '../context.ts';
import { isCursorOrAbsent, toRowsFilter, toTimeRange } from '../input.ts';
import { MAX_ASSET_IDS, UNITS_PER_ASSET } from '../limits.ts';
import { type NeedsOfResults, needsCompiler, type OperationInfo } from './passing.ts';
import { copiesIn, type SelectedField, selectionOn } from './selected-fields.ts';
import type { SelectionSource } from './selections.ts';

/**
 * What the selection on a dataset requires of the service. For example, with the variable `from` = 5, the selection
 *
 *     dataset(id: "d") {
 *       name
 *       results(filter: { assetIds: ["a", "b"] }) { processingId }
 *       asset(assetId: "c") { name series(timeRange: { start: $from }) { rowCount } }
 *     }
 *
 * has these requirements (and the counts for the limits):
 *
 *     { metadata: true, assetMetadata: false, rows: [{ assetIds: ['a', 'b'], timeRange: undefined }],
 *       assets: [{ assetId: 'c', requirements: { attributes: true, timeRanges: [{ start: 5n, stop: undefined }] } }] }
 */
export interface DatasetRequirements {
  readonly metadata: boolean;
  /** Whether metadata is selected on the dataset of its assets. */
  readonly assetMetadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  /** The number of fields on each dataset, with nested fields. */
  readonly fields: number;
  readonly rows: readonly (RowsFilter & { readonly needs: PartialNeeds | undefined })[];
  /** The number of asset ids in its filters and lists, with repetitions. */
  readonly assetIds: number;
  /** The number of selected results and series. */
  readonly series: number;
  /** Their time ranges. Undefined means all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
  readonly assets: readonly { readonly assetId: string; readonly requirements: AssetRequirements }[];
}

/** What the selection on an asset requires of the service. */
export interface AssetRequirements {
  readonly attributes: boolean;
  /** Whether metadata of its dataset is selected. */
  readonly metadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  /** The number of fields on each asset, with nested fields. */
  readonly fields: number;
  /** The time ranges of the selected series. Undefined means all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
}

/** The fields that need no call, or their own calls. */
const notMetadata: ReadonlySet<string> = new Set(['__typename', 'id', 'results', 'asset', 'assets', 'download']);
const notResults: ReadonlySet<string> = new Set(['__typename', 'file']);
const notAttributes: ReadonlySet<string> = new Set(['__typename', 'datasetId', 'assetId', 'dataset', 'series']);

/** A selection on datasets, without the arguments of its fields. */
interface DatasetSelection {
  readonly metadata: boolean;
  readonly assetMetadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  /** The fields with results, and whether any of them needs them under the variables of a request. */
  readonly results: readonly {
    readonly field: SelectedField;
    readonly isNeeded: ResultsNeeded;
    readonly needs: NeedsOfResults;
  }[];
  readonly assets: readonly { readonly field: SelectedField; readonly selection: AssetSelection }[];
  /** Its requirements if it selects only metadata, because they depend on no argument. */
  readonly ofMetadata: DatasetRequirements | undefined;
}

/** A selection on assets. */
interface AssetSelection {
  readonly attributes: boolean;
  readonly metadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  readonly series: readonly SelectedField[];
}

/**
 * The requirements of each dataset that a field returns. With them, all calls of an operation can start and be planned
 * together, before the first response.
 *
 * @throws GraphQLError REQUEST_LIMIT_EXCEEDED if the requirements exceed a limit
 */
export function datasetRequirements(
  info: GraphQLResolveInfo,
  { selections, budget }: OperationContext,
): DatasetRequirements {
  const selection = selections.get('Dataset', info, (source) =>
    selectionOnDataset(source, budget.fieldsOn(info), info),
  );
  if (selection.ofMetadata !== undefined) return selection.ofMetadata;
  const fields = budget.fieldsOn(info);
  const requirements = selections.bind(selection, () => requirementsOfDataset(selection, fields, info.variableValues));
  budget.spendAssetIds(requirements.assetIds);
  budget.spendSeries(requirements.series, requirements.timeRanges);
  budget.spendWork(requirements.assets.length * UNITS_PER_ASSET);
  return requirements;
}

function requirementsOfDataset(
  selection: DatasetSelection,
  fields: number,
  variableValues: VariableValues,
): DatasetRequirements {
  const filters = selection.results.flatMap(({ field, isNeeded, needs }) =>
    isNeeded(variableValues)
      ? ignoreErrors(() => ({
          filter: field.args<DatasetResultsArgs>(variableValues).filter,
          needs: ignoreErrors(() => needs(variableValues))[0],
        }))
      : [],
  );
  const lists = selection.assets.map((selected) => ({ ...selected, ids: idsOf(selected.field, variableValues) }));
  const assetIds =
    filters.reduce((sum, { filter }) => sum + (filter?.assetIds?.length ?? 0), 0) +
    lists.reduce((sum, { field, ids }) => sum + (field.name === 'assets' ? ids.length : 0), 0);
  const isTooLarge = assetIds > MAX_ASSET_IDS;
  const rows = isTooLarge
    ? []
    : filters.flatMap(({ filter, needs }) => ignoreErrors(() => ({ ...toRowsFilter(filter), needs })));
  const assets = (isTooLarge ? [] : lists).flatMap(({ selection: selected, ids }) => {
    const requirements = requirementsOf(selected, fields, variableValues);
    return ids.map((assetId) => ({ assetId, requirements }));
  });
  const timeRanges = [
    ...rows.map(({ timeRange }) => timeRange),
    ...assets.flatMap(({ requirements }) => requirements.timeRanges),
  ];
  const { metadata, assetMetadata, copies } = selection;
  return { metadata, assetMetadata, copies, fields, rows, assetIds, series: timeRanges.length, timeRanges, assets };
}

/** The ids of `asset` or `assets`. */
function idsOf(field: SelectedField, variableValues: VariableValues): readonly string[] {
  const [ids = []] = ignoreErrors(() => {
    const { assetId, ids: list } = field.args<Partial<DatasetAssetArgs & DatasetAssetsArgs>>(variableValues);
    return list ?? [assetId as string];
  });
  return ids;
}

/** The requirements of each asset that a field returns. */
export function assetRequirements(
  info: GraphQLResolveInfo,
  { selections, budget }: OperationContext,
): AssetRequirements {
  const selection = selections.get('Asset', info, (source) => selectionOnAsset(source.fieldNodes, source));
  return selections.bind(selection, () => requirementsOf(selection, budget.fieldsOn(info), info.variableValues));
}

function requirementsOf(
  { attributes, metadata, copies, series }: AssetSelection,
  fields: number,
  variableValues: VariableValues,
): AssetRequirements {
  return {
    attributes,
    metadata,
    copies,
    fields,
    timeRanges: series.flatMap((field) =>
      ignoreErrors(() => toTimeRange(field.args<AssetSeriesArgs>(variableValues).timeRange)),
    ),
  };
}

function selectionOnDataset(source: SelectionSource, fieldCount: number, info: OperationInfo): DatasetSelection {
  const fields = selectionOn('Dataset', source.fieldNodes, source);
  const ofResults = fields.filter(({ name }) => name === 'results');
  // It goes through the whole operation.
  const needsOf = ofResults.length === 0 ? undefined : needsCompiler(info);
  const results = ofResults.map((field) => ({
    field,
    isNeeded: needsResults(field.nodes, source),
    needs: ignoreErrors(() => needsOf?.(field.nodes, source))[0] ?? (() => undefined),
  }));
  const assets = fields
    .filter(({ name }) => name === 'asset' || name === 'assets')
    .map((field) => ({ field, selection: selectionOnAsset(field.nodes, source) }));
  const metadata = needsMetadata(fields);
  const assetMetadata =
    assets.some(({ selection }) => selection.metadata) ||
    results.some(({ field }) => ignoreErrors(() => selectAssetMetadata(field.nodes, source)).includes(true));
  const copies = copiesIn(fields, source);
  const nothing = { assetMetadata: false, rows: [], assetIds: 0, series: 0, timeRanges: [], assets: [] };
  const isMetadataOnly = results.length + assets.length === 0;
  const ofMetadata = isMetadataOnly ? { metadata, copies, fields: fieldCount, ...nothing } : undefined;
  return { metadata, assetMetadata, copies, results, assets, ofMetadata };
}

/** Whether a selection on results needs them under these variables. */
export type ResultsNeeded = (variableValues: VariableValues) => boolean;

/**
 * Whether a selection on the results of a dataset needs them, and not only the URL of a file. Series after an invalid cursor
 * need none.
 */
export function needsResults(nodes: readonly FieldNode[], source: SelectionSource): ResultsNeeded {
  const fields = selectionOn('DatasetResults', nodes, source);
  const isFile = fields.some(({ name }) => name === 'file');
  const needing = fields.filter(({ name }) => !notResults.has(name));
  const paged = needing.filter(({ name, nodes: [first] }) => name === 'series' && hasArgument(first, 'after'));
  if (paged.length === 0 || paged.length < needing.length) return () => needing.length > 0 || !isFile;
  return (variableValues) =>
    paged.some((field) =>
      ignoreErrors(() => field.args<DatasetResultsSeriesArgs>(variableValues).after).some(isCursorOrAbsent),
    );
}

function hasArgument(node: FieldNode | undefined, argument: string): boolean {
  return node?.arguments?.some(({ name }) => name.value === argument) === true;
}

function needsMetadata(fields: readonly SelectedField[]): boolean {
  return fields.some(({ name }) => !notMetadata.has(name));
}

/** Whether a selection on results selects metadata on the dataset of their assets. */
function selectAssetMetadata(nodes: readonly FieldNode[], source: SelectionSource): boolean {
  const within = (type: keyof ResolversTypes, name: string, selected: readonly FieldNode[]) =>
    selectionOn(type, selected, source).flatMap((field) => (field.name === name ? field.nodes : []));
  const connection = within('DatasetResults', 'series', nodes);
  const series = [
    ...within('AssetSeriesConnection', 'nodes', connection),
    ...within('AssetSeriesEdge', 'node', within('AssetSeriesConnection', 'edges', connection)),
  ];
  return selectionOnAsset(within('AssetSeries', 'asset', series), source).metadata;
}

function selectionOnAsset(nodes: readonly FieldNode[], source: SelectionSource): AssetSelection {
  const fields = selectionOn('Asset', nodes, source);
  return {
    attributes: fields.some(({ name }) => !notAttributes.has(name)),
    metadata: fields.some(
      ({ name, nodes: own }) => name === 'dataset' && needsMetadata(selectionOn('Dataset', own, source)),
    ),
    copies: copiesIn(fields, source),
    series: fields.filter(({ name }) => name === 'series'),
  };
}

type VariableValues = GraphQLResolveInfo['variableValues'];

/** A field with invalid arguments or conditions requires nothing. Its resolver reports the error. */
function ignoreErrors<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
