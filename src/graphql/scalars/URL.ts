import { GraphQLScalarType } from 'graphql';

/** An absolute URL. Only sent: the REST client makes the text. */
export const URL = new GraphQLScalarType<string, string>({ name: 'URL', serialize: String });
