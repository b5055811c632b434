import { GraphQLScalarType } from 'graphql';

/** An RFC 3339 date-time in UTC. Only for output: the resolvers format it. */
export const DateTime = new GraphQLScalarType<string, string>({ name: 'DateTime', serialize: String });
