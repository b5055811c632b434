import graphql from '@graphql-eslint/eslint-plugin';
import { printedSchema } from '../schema/printed-schema.ts';

/** The rules for schema.graphql: those that GraphQL ESLint recommends, and those of Relay's connections. */
export default [
  {
    files: ['**/*.graphql'],
    plugins: { '@graphql-eslint': graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: [printedSchema] } },
    },
    rules: {
      ...graphql.configs['flat/schema-recommended'].rules,
      ...graphql.configs['flat/schema-relay'].rules,
      // Most types are values, and an asset has a key of two fields.
      '@graphql-eslint/strict-id-in-types': 'off',
      // Relay's `Node` needs an id that is unique over all types. Rows, metrics and ids are lists: their order is all they need.
      '@graphql-eslint/relay-edge-types': ['error', { shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false }],
      // A page is a part of one REST response. Nobody needs to read it backwards.
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
    },
  },
];
