import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';

/** A schema whose one field, `forever`, never has a value. */
export function endlessSchema(): GraphQLSchema {
  const forever = { type: new GraphQLNonNull(GraphQLString), resolve: () => new Promise(() => {}) };
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { forever } }) });
}
