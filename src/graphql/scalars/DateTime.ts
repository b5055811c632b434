import { GraphQLScalarType } from 'graphql';

/** An RFC 3339 date-time in UTC. Only sent: the resolvers make the text. */
export const DateTime = new GraphQLScalarType<string, string>({ name: 'DateTime', serialize: String });
