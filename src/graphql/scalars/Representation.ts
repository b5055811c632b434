import { GraphQLError, GraphQLScalarType, valueFromASTUntyped } from 'graphql';

/** An entity representation: `__typename`, and the fields of a key. */
interface EntityRepresentation {
  readonly __typename: string;
}

const entities: ReadonlySet<unknown> = new Set(['Asset', 'Dataset']);

/**
 * The federation specification's `_Any`. Checked here, because the library fails on a type that it does not know with
 * an error of the program, not of the request.
 */
export const Representation: GraphQLScalarType<EntityRepresentation, unknown> = new GraphQLScalarType({
  name: '_Any',
  parseValue: (value) => {
    const known = typeof value === 'object' && value !== null && '__typename' in value;
    if (!known || !entities.has(value.__typename)) {
      throw new GraphQLError('_Any must be an object with the __typename "Asset" or "Dataset", and its key.');
    }
    return value as EntityRepresentation;
  },
  parseLiteral: (node, variables) => Representation.parseValue(valueFromASTUntyped(node, variables)),
});
