import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { AssetSeriesArgs, DatasetAssetArgs, DatasetResultsArgs, ResolversTypes } from '../generated/resolvers.ts';
import type { RowsFilter } from '../loaders/results.ts';
import type { OperationContext } from './context.ts';
import { subfields } from './execution/compile.ts';
import { toRowsFilter, toTimeRange } from './input.ts';
import { MAX_ASSET_IDS, UNITS_PER_ASSET } from './limits.ts';
import type { SelectionSource } from './selections.ts';
import { nameInSchema } from './type-prefix.ts';

/**
 * What the selection on a dataset requires of the service. For example, with the variable `from` = 5, the selection
 *
 *     dataset(id: "d") {
 *       name
 *       results(filter: { assetIds: ["a", "b"] }) { processingId }
 *       asset(assetId: "c") { name series(timeRange: { start: $from }) { resultCount } }
 *     }
 *
 * has these requirements (and the counts for the limits):
 *
 *     { metadata: true, rows: [{ assetIds: ['a', 'b'], timeRange: undefined }],
 *       assets: [{ assetId: 'c', requirements: { attributes: true, timeRanges: [{ start: 5n, stop: undefined }] } }] }
 */
export interface DatasetRequirements {
  readonly metadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  /** The number of fields on each dataset, with nested fields. */
  readonly fields: number;
  readonly rows: readonly RowsFilter[];
  /** The number of asset ids in its filters, with repetitions. */
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
  /** How often the same field is selected, at most. */
  readonly copies: number;
  /** The number of fields on each asset, with nested fields. */
  readonly fields: number;
  /** The time ranges of the selected series. Undefined means all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
}

/** The fields that need no call, or their own calls. */
const notMetadata: ReadonlySet<string> = new Set(['__typename', 'id', 'results', 'asset', 'download']);
const notResults: ReadonlySet<string> = new Set(['__typename', 'file']);
const notAttributes: ReadonlySet<string> = new Set(['__typename', 'datasetId', 'assetId', 'series']);

/** A selection on datasets, without the arguments of its fields. */
interface DatasetSelection {
  readonly metadata: boolean;
  /** How often the same field is selected, at most. */
  readonly copies: number;
  readonly results: readonly SelectedField[];
  readonly assets: readonly { readonly field: SelectedField; readonly selection: AssetSelection }[];
  /** Its requirements if it selects only metadata, because they depend on no argument. */
  readonly ofMetadata: DatasetRequirements | undefined;
}

/** A selection on assets. */
interface AssetSelection {
  readonly attributes: boolean;
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
  const selection = selections.get('Dataset', info, (source) => selectionOnDataset(source, budget.fieldsOn(info)));
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
  const filters = selection.results.flatMap((field) =>
    ignoreErrors(() => field.args<DatasetResultsArgs>(variableValues).filter),
  );
  const assetIds = filters.reduce((sum, filter) => sum + (filter?.assetIds?.length ?? 0), 0);
  const rows = assetIds > MAX_ASSET_IDS ? [] : filters.flatMap((filter) => ignoreErrors(() => toRowsFilter(filter)));
  const assets = selection.assets.flatMap(({ field, selection: selected }) =>
    ignoreErrors(() => ({
      assetId: field.args<DatasetAssetArgs>(variableValues).assetId,
      requirements: requirementsOf(selected, fields, variableValues),
    })),
  );
  const timeRanges = [
    ...rows.map(({ timeRange }) => timeRange),
    ...assets.flatMap(({ requirements }) => requirements.timeRanges),
  ];
  const { metadata, copies } = selection;
  return { metadata, copies, fields, rows, assetIds, series: timeRanges.length, timeRanges, assets };
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
  { attributes, copies, series }: AssetSelection,
  fields: number,
  variableValues: VariableValues,
): AssetRequirements {
  return {
    attributes,
    copies,
    fields,
    timeRanges: series.flatMap((field) =>
      ignoreErrors(() => toTimeRange(field.args<AssetSeriesArgs>(variableValues).timeRange)),
    ),
  };
}

function selectionOnDataset(source: SelectionSource, fieldCount: number): DatasetSelection {
  const fields = selectionOn('Dataset', source.fieldNodes, source);
  const results = fields.filter(({ name, nodes }) => name === 'results' && needsResults(nodes, source));
  const assets = fields
    .filter(({ name }) => name === 'asset')
    .map((field) => ({ field, selection: selectionOnAsset(field.nodes, source) }));
  const metadata = fields.some(({ name }) => !notMetadata.has(name));
  const copies = copiesIn(fields);
  const nothing = { rows: [], assetIds: 0, series: 0, timeRanges: [], assets: [] };
  const isMetadataOnly = results.length + assets.length === 0;
  const ofMetadata = isMetadataOnly ? { metadata, copies, fields: fieldCount, ...nothing } : undefined;
  return { metadata, copies, results, assets, ofMetadata };
}

/** Whether a selection on the results of a dataset needs them, and not only the URL of a file. */
export function needsResults(nodes: readonly FieldNode[], source: SelectionSource): boolean {
  const fields = selectionOn('DatasetResults', nodes, source);
  return !fields.some(({ name }) => name === 'file') || fields.some(({ name }) => !notResults.has(name));
}

function selectionOnAsset(nodes: readonly FieldNode[], source: SelectionSource): AssetSelection {
  const fields = selectionOn('Asset', nodes, source);
  return {
    attributes: fields.some(({ name }) => !notAttributes.has(name)),
    copies: copiesIn(fields),
    series: fields.filter(({ name }) => name === 'series'),
  };
}

/** How often the same field is selected, at most. For an object, its selections count too. */
function copiesIn(fields: readonly SelectedField[]): number {
  const copies = new Map<string, number>();
  for (const { name, nodes } of fields) {
    const within = Math.max(1, ...nodes.map(({ selectionSet }) => selectionSet?.selections.length ?? 1));
    copies.set(name, (copies.get(name) ?? 0) + within);
  }
  return Math.max(1, ...copies.values());
}

type VariableValues = GraphQLResolveInfo['variableValues'];

/** A field of a selection as it is executed: merged, with `@skip` and `@include` applied. */
export interface SelectedField {
  /** The alias, or else the name. */
  readonly responseKey: string;
  readonly name: string;
  /** The name of the object's type, as in `__typename`. */
  readonly parentType: string;
  readonly nodes: FieldNode[];
  /** Whether its type is non-null. */
  readonly isNonNull: boolean;
  args<T>(variableValues: VariableValues): T;
}

/** The selected fields on objects of a type, in the order of the response. */
export function selectionOn(
  typeName: keyof ResolversTypes,
  nodes: readonly FieldNode[],
  source: SelectionSource,
): SelectedField[] {
  const { schema, variableValues } = source;
  const type = schema.getType(nameInSchema(typeName, schema));
  if (!isObjectType(type)) return [];
  return Array.from(subfields(source, variableValues, type, nodes)).flatMap((selected) => {
    const [first] = selected;
    return first === undefined ? [] : [selectedField(type, first, selected)];
  });
}

/** The field that is being resolved. */
export function resolvedField({ parentType, fieldNodes }: GraphQLResolveInfo): SelectedField | undefined {
  const [first] = fieldNodes;
  return first && selectedField(parentType, first, [...fieldNodes]);
}

function selectedField(type: GraphQLObjectType, first: FieldNode, nodes: FieldNode[]): SelectedField {
  const name = first.name.value;
  const field = type.getFields()[name];
  return {
    responseKey: first.alias?.value ?? name,
    name,
    parentType: type.name,
    nodes,
    isNonNull: field !== undefined && isNonNullType(field.type),
    args: <T>(variableValues: VariableValues) =>
      (field === undefined ? {} : getArgumentValues(field, first, variableValues)) as T,
  };
}

/** A field with invalid arguments requires nothing. Its resolver reports the error. */
function ignoreErrors<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
