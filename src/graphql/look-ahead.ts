import { collectSubFields } from '@graphql-tools/utils';
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
import { toRowsFilter, toTimeRange } from './input.ts';
import { MAX_ASSET_IDS, UNITS_PER_ASSET } from './limits.ts';
import { nameInSchema } from './type-prefix.ts';

/** What the selection on a dataset needs from the service. */
export interface DatasetRequirements {
  readonly metadata: boolean;
  /** How often a field of the metadata is selected, of the one that is selected most often. */
  readonly copies: number;
  /** How many fields are selected on each dataset, those within included. */
  readonly fields: number;
  readonly rows: readonly RowsFilter[];
  /** How many asset ids its filters have, repeated ones included. */
  readonly assetIds: number;
  /** How many results, and series of its assets, are selected. */
  readonly series: number;
  /** Their time ranges; undefined stands for all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
  readonly assets: readonly { readonly assetId: string; readonly requirements: AssetRequirements }[];
}

/** What the selection on an asset needs from the service. */
export interface AssetRequirements {
  readonly attributes: boolean;
  /** How often an attribute is selected, of the one that is selected most often. */
  readonly copies: number;
  /** How many fields are selected on each asset, those within included. */
  readonly fields: number;
  /** The time ranges of the series selected; undefined stands for all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
}

/** Fields that are answered without a call, or by calls of their own. */
const notMetadata: ReadonlySet<string> = new Set(['__typename', 'id', 'results', 'asset', 'download']);
const notAttributes: ReadonlySet<string> = new Set(['__typename', 'datasetId', 'assetId', 'series']);

/** What is selected on datasets, before the arguments of the fields are known. */
interface DatasetSelection {
  readonly metadata: boolean;
  /** How often a field of the metadata is selected, of the one that is selected most often. */
  readonly copies: number;
  readonly results: readonly SelectedField[];
  readonly assets: readonly { readonly field: SelectedField; readonly selection: AssetSelection }[];
}

/** What is selected on assets. */
interface AssetSelection {
  readonly attributes: boolean;
  /** How often an attribute is selected, of the one that is selected most often. */
  readonly copies: number;
  readonly series: readonly SelectedField[];
}

/**
 * Reads from the selection of a field that returns datasets what each of them needs. All calls of an operation can so
 * start together, and be planned together, before the first answer is there.
 *
 * @throws GraphQLError REQUEST_LIMIT_EXCEEDED when it needs more than is left
 */
export function datasetRequirements(
  info: GraphQLResolveInfo,
  { selections, budget }: OperationContext,
): DatasetRequirements {
  const selection = selections.get('Dataset', info, () => selectionOnDataset(info));
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

/** Reads from the selection of a field that returns assets what each of them needs. */
export function assetRequirements(
  info: GraphQLResolveInfo,
  { selections, budget }: OperationContext,
): AssetRequirements {
  const selection = selections.get('Asset', info, () => selectionOnAsset(info.fieldNodes, info));
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

function selectionOnDataset(info: GraphQLResolveInfo): DatasetSelection {
  const fields = selectionOn('Dataset', info.fieldNodes, info);
  return {
    metadata: fields.some(({ name }) => !notMetadata.has(name)),
    copies: copiesIn(fields),
    results: fields.filter(({ name }) => name === 'results'),
    assets: fields
      .filter(({ name }) => name === 'asset')
      .map((field) => ({ field, selection: selectionOnAsset(field.nodes, info) })),
  };
}

function selectionOnAsset(nodes: readonly FieldNode[], info: GraphQLResolveInfo): AssetSelection {
  const fields = selectionOn('Asset', nodes, info);
  return {
    attributes: fields.some(({ name }) => !notAttributes.has(name)),
    copies: copiesIn(fields),
    series: fields.filter(({ name }) => name === 'series'),
  };
}

/** How often the field is selected, here or as objects with fields of their own, that is selected most often. */
function copiesIn(fields: readonly SelectedField[]): number {
  const copies = new Map<string, number>();
  for (const { name, nodes } of fields) {
    const within = Math.max(1, ...nodes.map(({ selectionSet }) => selectionSet?.selections.length ?? 1));
    copies.set(name, (copies.get(name) ?? 0) + within);
  }
  return Math.max(1, ...copies.values());
}

type VariableValues = GraphQLResolveInfo['variableValues'];

/** A field of a selection, as it will be executed: merged, with `@skip` and `@include` applied. */
export interface SelectedField {
  /** The name, or the alias. */
  readonly responseKey: string;
  readonly name: string;
  /** The name of the type of the object, as `__typename` sends it. */
  readonly parentType: string;
  readonly nodes: FieldNode[];
  /** Whether it must not be null. */
  readonly isNonNull: boolean;
  args<T>(variableValues: VariableValues): T;
}

/** The fields selected on objects of a type, in the order of the answer. */
export function selectionOn(
  typeName: keyof ResolversTypes,
  nodes: readonly FieldNode[],
  info: GraphQLResolveInfo,
): SelectedField[] {
  const { schema, fragments, variableValues } = info;
  const type = schema.getType(nameInSchema(typeName, schema));
  if (!isObjectType(type)) return [];
  const variables = { coerced: variableValues, sources: {} };
  const { fields } = collectSubFields(schema, fragments, variables, type, [...nodes]);
  return [...fields.values()].flatMap((selected) => {
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

/** Private. A field whose arguments are wrong needs nothing: its resolver will say so. */
function ignoreErrors<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
