import { type GraphQLObjectType, type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import type * as Schema from '../../generated/schema.ts';
import type { CompiledField, CompiledFields, OperationInfo } from '../execution/execution.ts';
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

/** The operation of a plan. Its variables are those in `@skip` and `@include`: it holds nothing else of a request, because a plan outlives requests. */
export type SelectionSource = OperationInfo;

/** The fields that are selected on objects of a type, in the order of the response. None if their conditions are invalid. */
export function selectionOn(typeName: ObjectName, field: CompiledField, { schema }: SelectionSource): CompiledFields {
  const type = schema.getType(nameInSchema(typeName, schema));
  return isObjectType(type) ? ignoreErrors(() => field.selections.on(type)).flat() : [];
}

/** The fields that are selected on the object of a field. Undefined if it has none. */
export function selectionOf(field: CompiledField): CompiledFields | undefined {
  const type = objectTypeOf(field);
  return type && ignoreErrors(() => field.selections.on(type)).flat();
}

/** The error of an invalid condition anywhere in the selection of a field: null, in a variable with a default value. */
export function conditionErrorIn(field: CompiledField, { variableValues }: SelectionSource): Error | undefined {
  return Object.values(variableValues).includes(null) ? errorBelow(field) : undefined;
}

function errorBelow(field: CompiledField): Error | undefined {
  const type = objectTypeOf(field);
  if (type === undefined) return undefined;
  try {
    const errors = field.selections.on(type).map(errorBelow);
    return errors.find((error) => error !== undefined);
  } catch (error) {
    return error as Error;
  }
}

function objectTypeOf({ definition }: CompiledField): GraphQLObjectType | undefined {
  const named = getNamedType(definition.type);
  return isObjectType(named) ? named : undefined;
}

/** The arguments of a field. @throws GraphQLError if one is invalid */
export function argumentsOf<T>(field: CompiledField, variables: Variables): T {
  return field.argumentsFor(variables) as T;
}

/** The fields with one of these names in the schema. */
export function fieldsNamed(fields: CompiledFields, ...names: readonly string[]): CompiledFields {
  return fields.filter(({ definition }) => names.includes(definition.name));
}

/** How often the same field is selected, at most. For an object, the fields selected on it count too. */
export function copiesIn(fields: CompiledFields): number {
  const copies = new Map<string, number>();
  for (const field of fields) {
    const { name } = field.definition;
    // The fields of an object differ from those of others, but their texts may be the same.
    copies.set(name, (copies.get(name) ?? 0) + Math.max(1, selectionOf(field)?.length ?? 1));
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

/** Parts of a plan, each read of its field once. */
export class Parts<Part> {
  readonly #read: (field: CompiledField) => Part;
  readonly #parts = new Map<CompiledField, Part>();

  constructor(read: (field: CompiledField) => Part) {
    this.#read = read;
  }

  of(field: CompiledField): Part {
    const known = this.#parts.get(field);
    if (known !== undefined) return known;
    const part = this.#read(field);
    this.#parts.set(field, part);
    return part;
  }
}
