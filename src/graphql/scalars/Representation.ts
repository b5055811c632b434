import { GraphQLError, GraphQLScalarType, valueFromASTUntyped } from 'graphql';

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
