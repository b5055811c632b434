import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';
import { inputTimeOf } from '../../core/dates.ts';

const decimal = /^([+-]?)0*(\d{1,19})$/;
/** No valid text of a number or a point in time is longer. */
const MAX_TEXT_LENGTH = 64;

/** Parses an int64 in decimal digits with an optional sign. Undefined for another text. */
function parseInt64(text: string): bigint | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const [, sign, magnitude] = decimal.exec(text) ?? [];
  if (magnitude === undefined) return undefined;
  const value = BigInt(sign === '-' ? `-${magnitude}` : magnitude);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A 64-bit integer: a `bigint` in the code, a decimal string in a response. */
export const Int64: GraphQLScalarType<bigint, string> = new GraphQLScalarType({
  name: 'Int64',
  serialize: (value) => {
    if (typeof value !== 'bigint') throw new GraphQLError('Int64 serializes only bigint values.');
    return value.toString();
  },
  parseValue: (value) => {
    const parsed = typeof value === 'string' ? parseInt64(value) : undefined;
    if (parsed !== undefined) return parsed;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    throw invalidInt64();
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return Int64.parseValue(node.value);
    if (node.kind === Kind.INT) return Int64.parseValue(Number(node.value));
    throw invalidInt64();
  },
});

function invalidInt64(): GraphQLError {
  return new GraphQLError('A 64-bit integer must be a decimal string, or an integer of at most 2^53 - 1.');
}

/** The first and the last epoch millisecond of a day or a month in UTC. Of a point in time they are the same. */
export interface TimeBoundValue {
  readonly first: bigint;
  readonly last: bigint;
}

/** A bound of a time range. Only for input: the range takes the first millisecond of its start, and the last of its stop. */
export const TimeBound: GraphQLScalarType<TimeBoundValue, never> = new GraphQLScalarType({
  name: 'TimeBound',
  serialize: () => {
    throw new GraphQLError('TimeBound is only for input.');
  },
  parseValue: (value) => {
    const bound = typeof value === 'string' ? (pointAt(parseInt64(value)) ?? parseDate(value)) : undefined;
    if (bound !== undefined) return bound;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return pointAt(BigInt(value)) as TimeBoundValue;
    throw invalidPointInTime();
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return TimeBound.parseValue(node.value);
    if (node.kind === Kind.INT) return TimeBound.parseValue(Number(node.value));
    throw invalidPointInTime();
  },
});

function pointAt(milliseconds: bigint | undefined): TimeBoundValue | undefined {
  return milliseconds === undefined ? undefined : { first: milliseconds, last: milliseconds };
}

function invalidPointInTime(): GraphQLError {
  return new GraphQLError(
    'A point in time must be an integer of at most 2^53 - 1, a string of digits, a month, a date, or an RFC 3339 date-time with an offset.',
  );
}

/** The bound that a date is. Undefined for another text. */
function parseDate(text: string): TimeBoundValue | undefined {
  const time = text.length > MAX_TEXT_LENGTH ? undefined : inputTimeOf(text);
  return time && { first: BigInt(time.first), last: BigInt(time.last) };
}

/** An RFC 3339 date-time in UTC. Only for output: the resolvers format it. */
export const DateTime = new GraphQLScalarType<string, string>({ name: 'DateTime', serialize: String });

/** An absolute URL. Only for output: the REST client formats it. */
export const URL = new GraphQLScalarType<string, string>({ name: 'URL', serialize: String });

/**
 * Reads the value of a variable of type ID: a text, or an integer. graphql-js takes any number that a double has as an integer,
 * and so the digits of another id.
 */
export function parseId(value: unknown): string {
  const id = idOf(value);
  if (typeof id !== 'string') throw new GraphQLError('An ID must be a text, or an integer of at most 2^53 - 1.');
  return id;
}

/** The digits of an integer that a double has exactly. Another value stays as it is. */
function idOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

/** An entity representation: `__typename`, and the fields of a key. A field of a key is a text, unless it is invalid. */
interface EntityRepresentation {
  readonly __typename: string;
  readonly id: unknown;
  readonly datasetId: unknown;
  readonly assetId: unknown;
}

/**
 * The scalar `_Any` of the federation specification, for these entity types. It checks the type here, because the library
 * reports an unknown type as an internal error. Integers in keys become texts, as those of the type ID do.
 */
export function representationOf(types: readonly string[]): GraphQLScalarType<EntityRepresentation, unknown> {
  const entities: ReadonlySet<unknown> = new Set(types);
  const allowed = types.map((type) => `"${type}"`).join(' or ');
  const scalar: GraphQLScalarType<EntityRepresentation, unknown> = new GraphQLScalarType({
    name: '_Any',
    parseValue: (value) => {
      const known = typeof value === 'object' && value !== null && '__typename' in value;
      if (!known || !entities.has(value.__typename)) {
        throw new GraphQLError(`_Any must be an object with the __typename ${allowed}, and its key fields.`);
      }
      const { __typename, id, datasetId, assetId } = value as EntityRepresentation;
      return { __typename, id: idOf(id), datasetId: idOf(datasetId), assetId: idOf(assetId) };
    },
    parseLiteral: (node, variables) => scalar.parseValue(valueFromASTUntyped(node, variables)),
  });
  return scalar;
}
