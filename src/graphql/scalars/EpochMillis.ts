import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { parseInt64 } from './decimal.ts';

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
    const parsed = typeof value === 'string' ? (parseInt64(value) ?? parseDateTime(value)) : undefined;
    if (parsed !== undefined) return parsed;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
    throw invalidValue();
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return EpochMillis.parseValue(node.value);
    if (node.kind === Kind.INT) return EpochMillis.parseValue(Number(node.value));
    throw invalidValue();
  },
});

function invalidValue(): GraphQLError {
  return new GraphQLError(
    'A point in time must be an integer of at most 2^53 - 1, a string of digits, or an RFC 3339 date-time with an offset.',
  );
}

/** RFC 3339, section 5.6. Leap seconds are rejected: epoch time has none. */
const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const MAX_TEXT_LENGTH = 64;

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
