import { GraphQLScalarType } from 'graphql';

/** An absolute URL. Only for output: the REST client formats it. */
export const URL = new GraphQLScalarType<string, string>({ name: 'URL', serialize: String });
