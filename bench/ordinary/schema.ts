import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { resolvers } from './resolvers.ts';

const typeDefs = parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'));

/** The schema that all of these servers execute. */
export const schema = buildSubgraphSchema([{ typeDefs, resolvers }]);
