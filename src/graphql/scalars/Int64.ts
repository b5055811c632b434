import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { parseInt64 } from './decimal.ts';

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
    throw invalidValue();
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return Int64.parseValue(node.value);
    if (node.kind === Kind.INT) return Int64.parseValue(Number(node.value));
    throw invalidValue();
  },
});

function invalidValue(): GraphQLError {
  return new GraphQLError('A 64-bit integer must be a decimal string, or an integer of at most 2^53 - 1.');
}
