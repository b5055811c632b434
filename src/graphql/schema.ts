import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type DocumentNode, type GraphQLSchema, parse } from 'graphql';
import { resolvers } from './resolvers/resolvers.ts';

/** The type definitions of `schema.graphql`, which are the contract with routers and clients. */
export function readTypeDefs(): DocumentNode {
  return parse(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
}

/** The executable subgraph schema: the type definitions, their resolvers, and what federation adds to them. */
export function createSchema(): GraphQLSchema {
  return buildSubgraphSchema([{ typeDefs: readTypeDefs(), resolvers: resolvers as never }]);
}
