import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';

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
    const parsed =
      typeof value === 'string' ? (parseInt64(value) ?? parseDateTime(value) ?? parseDate(value)) : undefined;
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
    'A point in time must be an integer of at most 2^53 - 1, a string of digits, a date, or an RFC 3339 date-time with an offset.',
  );
}

/** RFC 3339, section 5.6. Leap seconds are rejected: epoch time has none. */
const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The epoch milliseconds of an RFC 3339 date-time, with further digits cut off. Undefined for another text. */
function parseDateTime(text: string): bigint | undefined {
  const match = text.length > MAX_TEXT_LENGTH ? null : dateTime.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  const date = new Date(0);
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  return BigInt(date.getTime() - offset);
}

/** RFC 3339, section 5.6: `full-date`. */
const fullDate = /^\d{4}-\d{2}-\d{2}$/;

/** The start of a day in UTC. Undefined for another text. */
function parseDate(text: string): bigint | undefined {
  return fullDate.test(text) ? parseDateTime(`${text}T00:00:00Z`) : undefined;
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
