import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import * as z from 'zod';

/** What models are told of the variables of the tools. The schema says more, about limits and other fields. */
const descriptions: Readonly<Record<string, string>> = {
  id: 'The id of the dataset.',
  ids: 'The ids of the datasets.',
  assetId: 'The id of the asset: an assetId of Outline.',
  assetIds: 'Only these assets, by the assetId that Outline has. Absent: all assets.',
  metrics: 'Only these metrics, by the names that Outline has. Absent: all metrics.',
  metricNames: 'Only these metrics, by the names that Outline has. Absent: all metrics.',
  timeRange: 'Only values within this range. Absent: all values.',
  range: 'Only values within this range. Absent: all values.',
  every: 'How long each period is.',
  hasDates: 'Whether the response also has the dates, each with its number of values.',
  quantiles: 'Which quantiles: at most 20 numbers from 0 to 1, such as 0.5 for the median. An empty list: none.',
  points: 'At most so many rows of each asset.',
  first: 'At most so many assets.',
  after: 'The endCursor of the page before. Absent: the first page.',
};

/** What models are told of scalars, beside the built-in ones. */
const scalars: Readonly<Record<string, string>> = {
  TimeBound:
    'A day, such as 2012-01-31, or a month, such as 2012-01, which are all of it in UTC; or an RFC 3339 date-time with an ' +
    'offset, such as 2012-01-01T00:00:00Z; or milliseconds since 1970-01-01T00:00:00Z.',
};

/**
 * The arguments of a tool: the variables of its operation with their types and defaults. Other names are not allowed. A null
 * counts as absent.
 *
 * @param document an operation that the schema validates
 */
export function inputSchemaOf(document: DocumentNode, schema: GraphQLSchema): z.ZodType<Record<string, unknown>> {
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  const shape = (operation?.variableDefinitions ?? []).map(({ variable, type: typeNode, defaultValue }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as never) as unknown as GraphQLInputType;
    const input = schemaOf(type).describe(descriptions[name] ?? '');
    if (defaultValue !== undefined) return [name, input.default(valueFromAST(defaultValue, type))];
    return [name, isNonNullType(type) ? input : input.optional()];
  });
  return objectOf(Object.fromEntries(shape));
}

/** A type of GraphQL as a type of JSON, without null. */
function schemaOf(type: GraphQLInputType): z.ZodType {
  if (isNonNullType(type)) return schemaOf(type.ofType);
  if (isListType(type)) return z.array(schemaOf(type.ofType));
  if (isEnumType(type)) return z.enum(type.getValues().map(({ name }) => name) as [string]);
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map(({ name, type: fieldType }) => {
      const input = schemaOf(fieldType);
      return [name, isNonNullType(fieldType) ? input : input.optional()];
    });
    return objectOf(Object.fromEntries(fields));
  }
  switch (type.name) {
    case 'ID':
    case 'String':
      return z.string();
    case 'Int':
      return z.int32();
    case 'Float':
      return z.number();
    case 'Boolean':
      return z.boolean();
    default:
      // A larger integer is a string of digits, because JSON numbers lose digits above 2^53.
      return z.union([z.string(), z.int()]).describe(scalars[type.name] ?? type.description ?? '');
  }
}

/** An object without members of other names. A null counts as absent. */
function objectOf(shape: Record<string, z.ZodType>): z.ZodType<Record<string, unknown>> {
  return z.preprocess(
    (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
        : value,
    z.strictObject(shape),
  );
}
