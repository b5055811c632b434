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

/** A point in time in epoch milliseconds: a `bigint` in the code, a JSON integer in a response. */
export const EpochMillis: GraphQLScalarType<bigint, number> = new GraphQLScalarType({
  name: 'EpochMillis',
  serialize: (value) => {
    const milliseconds = typeof value === 'bigint' ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(milliseconds))
      throw new GraphQLError('This point in time is outside the range of exact JSON integers.');
    return milliseconds;
  },
  parseValue: (value) => {
    const parsed = typeof value === 'string' ? (parseInt64(value) ?? parseDate(value)) : undefined;
    if (parsed !== undefined) return parsed;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    throw invalidPointInTime();
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return EpochMillis.parseValue(node.value);
    if (node.kind === Kind.INT) return EpochMillis.parseValue(Number(node.value));
    throw invalidPointInTime();
  },
});

function invalidPointInTime(): GraphQLError {
  return new GraphQLError(
    'A point in time must be an integer of at most 2^53 - 1, a string of digits, a month, a date, or an RFC 3339 date-time with an offset.',
  );
}

/** The epoch milliseconds of a date. Undefined for another text. */
function parseDate(text: string): bigint | undefined {
  const milliseconds = text.length > MAX_TEXT_LENGTH ? undefined : inputTimeOf(text);
  return milliseconds === undefined ? undefined : BigInt(milliseconds);
}

/** An RFC 3339 date-time in UTC. Only for output: the resolvers format it. */
export const DateTime = new GraphQLScalarType<string, string>({ name: 'DateTime', serialize: String });

/** An absolute URL. Only for output: the REST client formats it. */
export const URL = new GraphQLScalarType<string, string>({ name: 'URL', serialize: String });

/** An entity representation: `__typename`, and the fields of a key. */
interface EntityRepresentation {
  readonly __typename: string;
}

/**
 * The scalar `_Any` of the federation specification, for these entity types. It checks the type here, because the library
 * reports an unknown type as an internal error.
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
      return value as EntityRepresentation;
    },
    parseLiteral: (node, variables) => scalar.parseValue(valueFromASTUntyped(node, variables)),
  });
  return scalar;
}
