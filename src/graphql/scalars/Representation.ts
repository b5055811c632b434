import { GraphQLError, GraphQLScalarType, valueFromASTUntyped } from 'graphql';

/** An entity representation: `__typename`, and the fields of a key. */
interface EntityRepresentation {
  readonly __typename: string;
}

const entities: ReadonlySet<unknown> = new Set(['Asset', 'Dataset']);

/**
 * The scalar `_Any` of the federation specification. It checks the type here, because the library reports an unknown type as
 * an internal error.
 */
export const Representation: GraphQLScalarType<EntityRepresentation, unknown> = new GraphQLScalarType({
  name: '_Any',
  parseValue: (value) => {
    const known = typeof value === 'object' && value !== null && '__typename' in value;
    if (!known || !entities.has(value.__typename)) {
      throw new GraphQLError('_Any must be an object with the __typename "Asset" or "Dataset", and its key fields.');
    }
    return value as EntityRepresentation;
  },
  parseLiteral: (node, variables) => Representation.parseValue(valueFromASTUntyped(node, variables)),
});
