import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type * as Schema from '../../generated/schema.ts';
import { compileArguments, subfields, usesVariables } from '../execution/compile.ts';
import { nameInSchema } from '../schema/schema-names.ts';

/** The object types whose selections are read, as schema.graphql names them. */
export type ObjectName = NonNullable<
  (
    | Schema.AggregatesByDate
    | Schema.Asset
    | Schema.AssetParent
    | Schema.AssetSeries
    | Schema.AssetSeriesConnection
    | Schema.AssetSeriesEdge
    | Schema.Dataset
    | Schema.DatasetProcessing
    | Schema.DatasetResults
    | Schema.DatasetSource
    | Schema.GeoPoint
    | Schema.Metric
    | Schema.MetricAggregates
    | Schema.MetricColumn
    | Schema.MetricPoint
    | Schema.MetricStatistics
    | Schema.PageInfo
    | Schema.Result
    | Schema.SeriesColumns
  )['__typename']
>;

/** The coerced variables of a request. */
export type Variables = GraphQLResolveInfo['variableValues'];

/** What a selection is read from. It holds nothing of a request but the variables in `@skip` and `@include`, because a plan outlives requests. */
export type SelectionSource = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

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
  /** The type of the field, if it is an object. */
  readonly objectType: GraphQLObjectType | undefined;
  /** Whether its arguments depend on variables. */
  readonly usesVariables: boolean;
  /** @throws GraphQLError if an argument is invalid */
  args<T>(variables: Variables): T;
}

/** The selected fields on objects of a type, in the order of the response. None if their conditions are invalid. */
export function selectionOn(
  typeName: ObjectName,
  nodes: readonly FieldNode[],
  source: SelectionSource,
): SelectedField[] {
  const type = objectNamed(typeName, source);
  return type === undefined ? [] : ignoreErrors(() => fieldsOn(type, nodes, source)).flat();
}

/** The fields that are selected on the object of a field. Undefined if it has none. */
export function selectionOf(
  { objectType, nodes }: SelectedField,
  source: SelectionSource,
): SelectedField[] | undefined {
  return objectType && ignoreErrors(() => fieldsOn(objectType, nodes, source)).flat();
}

/** The type that schema.graphql names so. */
export function objectNamed(
  typeName: ObjectName,
  { schema }: Pick<SelectionSource, 'schema'>,
): GraphQLObjectType | undefined {
  const type = schema.getType(nameInSchema(typeName, schema));
  return isObjectType(type) ? type : undefined;
}

/** @throws GraphQLError if a condition is invalid */
function fieldsOn(type: GraphQLObjectType, nodes: readonly FieldNode[], source: SelectionSource): SelectedField[] {
  return Array.from(subfields(source, source.variableValues, type, nodes)).flatMap((selected) => {
    const [first] = selected;
    return first === undefined ? [] : [selectedField(type, first, [...selected])];
  });
}

/** The error of an invalid condition anywhere in the selection of a field: null, in a variable with a default value. */
export function conditionErrorIn(
  type: GraphQLObjectType | undefined,
  nodes: readonly FieldNode[],
  source: SelectionSource,
): Error | undefined {
  if (type === undefined || !Object.values(source.variableValues).includes(null)) return undefined;
  try {
    const errors = fieldsOn(type, nodes, source).map((field) =>
      conditionErrorIn(field.objectType, field.nodes, source),
    );
    return errors.find((error) => error !== undefined);
  } catch (error) {
    return error as Error;
  }
}

/** The field that is being resolved. */
export function resolvedField({ parentType, fieldNodes }: GraphQLResolveInfo): SelectedField {
  return selectedField(parentType, fieldNodes[0] as FieldNode, [...fieldNodes]);
}

function selectedField(type: GraphQLObjectType, first: FieldNode, nodes: FieldNode[]): SelectedField {
  const name = first.name.value;
  const field = type.getFields()[name];
  const args = field === undefined ? () => ({}) : compileArguments(field, first);
  return {
    responseKey: first.alias?.value ?? name,
    name,
    parentType: type.name,
    nodes,
    isNonNull: field !== undefined && isNonNullType(field.type),
    objectType: field === undefined ? undefined : objectTypeOf(field.type),
    usesVariables: usesVariables(first),
    args: <T>(variables: Variables) => args(variables) as T,
  };
}

function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType | undefined {
  const named = getNamedType(type);
  return isObjectType(named) ? named : undefined;
}

/** How often the same field is selected, at most. For an object, the fields selected on it count too. */
export function copiesIn(fields: readonly SelectedField[], source: SelectionSource): number {
  const copies = new Map<string, number>();
  for (const { name, nodes, objectType } of fields) {
    // The fields of an object differ from those of others, but their texts may be the same.
    const within = objectType === undefined ? 1 : ignoreErrors(() => fieldsOn(objectType, nodes, source)).flat().length;
    copies.set(name, (copies.get(name) ?? 0) + Math.max(1, within));
  }
  return Math.max(1, ...copies.values());
}

/** What a function returns. Nothing if it throws: then the resolver of the field reports the error. */
export function ignoreErrors<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}
