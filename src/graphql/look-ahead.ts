import { collectSubFields } from '@graphql-tools/utils';
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isObjectType,
} from 'graphql';
import type { AssetSeriesArgs, DatasetAssetArgs, DatasetResultsArgs, ResolversTypes } from '../generated/resolvers.ts';
import type { RowsFilter } from '../loaders/results.ts';
import { toRowsFilter, toTimeRange } from './input.ts';
import type { OperationBudget } from './limits.ts';
import { PlanCache } from './plan-cache.ts';
import { nameInSchema } from './type-prefix.ts';

/** What the selection on a dataset needs from the service. */
export interface DatasetNeeds {
  readonly metadata: boolean;
  readonly rows: readonly RowsFilter[];
  /** How many asset ids its filters have, repeated ones included. */
  readonly assetIds: number;
  /** How many results, and series of its assets, are selected. */
  readonly series: number;
  readonly assets: readonly { readonly assetId: string; readonly needs: AssetNeeds }[];
}

/** What the selection on an asset needs from the service. */
export interface AssetNeeds {
  readonly attributes: boolean;
  /** The time ranges of the series selected; undefined stands for all time. */
  readonly timeRanges: readonly RowsFilter['timeRange'][];
}

/** Fields that are answered without a call, or by calls of their own. */
const notMetadata: ReadonlySet<string> = new Set(['__typename', 'id', 'results', 'asset', 'download']);
const notAttributes: ReadonlySet<string> = new Set(['__typename', 'datasetId', 'assetId', 'series']);

/** What is selected on datasets, before the arguments of the fields are known. */
interface DatasetSelection {
  readonly metadata: boolean;
  readonly results: readonly SelectedField[];
  readonly assets: readonly { readonly field: SelectedField; readonly selection: AssetSelection }[];
}

/** What is selected on assets. */
interface AssetSelection {
  readonly attributes: boolean;
  readonly series: readonly SelectedField[];
}

const datasetSelections = new PlanCache<DatasetSelection>('conditions');
const assetSelections = new PlanCache<AssetSelection>('conditions');

/**
 * Reads from the selection of a field that returns datasets what they need. All calls of an operation can so start
 * together, and be planned together, before the first answer is there.
 *
 * @throws GraphQLError REQUEST_LIMIT_EXCEEDED when it needs more than is left
 */
export function datasetNeeds(info: GraphQLResolveInfo, budget: OperationBudget): DatasetNeeds {
  const selection = datasetSelections.get(info, () => selectionOnDataset(info));
  const { variableValues } = info;
  const filters = selection.results.flatMap((field) =>
    attempt(() => field.args<DatasetResultsArgs>(variableValues).filter),
  );
  const assetIds = filters.reduce((sum, filter) => sum + (filter?.assetIds?.length ?? 0), 0);
  budget.spendAssetIds(assetIds);
  const rows = filters.flatMap((filter) => attempt(() => toRowsFilter(filter)));
  const assets = selection.assets.flatMap(({ field, selection: selected }) =>
    attempt(() => ({
      assetId: field.args<DatasetAssetArgs>(variableValues).assetId,
      needs: needsOf(selected, variableValues),
    })),
  );
  const timeRanges = [...rows.map(({ timeRange }) => timeRange), ...assets.flatMap(({ needs }) => needs.timeRanges)];
  budget.spendSeries(timeRanges.length, timeRanges);
  return { metadata: selection.metadata, rows, assetIds, series: timeRanges.length, assets };
}

/** Reads from the selection of a field that returns assets what they need. */
export function assetNeeds(info: GraphQLResolveInfo): AssetNeeds {
  const selection = assetSelections.get(info, () => selectionOnAsset(info.fieldNodes, info));
  return needsOf(selection, info.variableValues);
}

function needsOf({ attributes, series }: AssetSelection, variableValues: VariableValues): AssetNeeds {
  return {
    attributes,
    timeRanges: series.flatMap((field) =>
      attempt(() => toTimeRange(field.args<AssetSeriesArgs>(variableValues).timeRange)),
    ),
  };
}

function selectionOnDataset(info: GraphQLResolveInfo): DatasetSelection {
  const fields = selectionOn('Dataset', info.fieldNodes, info);
  return {
    metadata: fields.some(({ name }) => !notMetadata.has(name)),
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
    series: fields.filter(({ name }) => name === 'series'),
  };
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

function selectedField(type: GraphQLObjectType, first: FieldNode, nodes: FieldNode[]): SelectedField {
  const name = first.name.value;
  return {
    responseKey: first.alias?.value ?? name,
    name,
    parentType: type.name,
    nodes,
    args: <T>(variableValues: VariableValues) => {
      const field = type.getFields()[name];
      return (field === undefined ? {} : getArgumentValues(field, first, variableValues)) as T;
    },
  };
}

/** Private. A field whose arguments are wrong needs nothing: its resolver will say so. */
function attempt<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
