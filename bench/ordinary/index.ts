import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { DatasetsAPI } from './datasets-api.ts';
import { type ContextValue, resolvers } from './resolvers.ts';

const baseURL = process.env.DATASET_SERVICE_URL ?? 'http://127.0.0.1:8080/';
const typeDefs = parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'));

const server = new ApolloServer<ContextValue>({
  schema: buildSubgraphSchema([{ typeDefs, resolvers }]),
});

const { url } = await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(process.env.PORT ?? 4001) },
  context: async ({ req }) => {
    const { cache } = server;
    return {
      dataSources: {
        datasetsAPI: new DatasetsAPI({ cache, baseURL, authorization: req.headers.authorization ?? '' }),
      },
    };
  },
});

console.log(`Server ready at ${url}`);
