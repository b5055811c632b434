import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';

/** Another team's schema: notes about assets. It knows only the key of an asset. */
export const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

  type Query {
    notes: [Note!]!
  }

  type Note {
    text: String!
    asset: Asset!
  }

  type Asset @key(fields: "datasetId assetId") {
    datasetId: ID!
    assetId: ID!
    notes: [Note!]!
  }
`);

const weather = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';
const notes = [
  { text: 'Rain all of January', asset: { datasetId: weather, assetId: 'seattle-tacoma' } },
  { text: 'A hot summer', asset: { datasetId: weather, assetId: 'new-york-central-park' } },
];

const resolvers = {
  Query: { notes: () => notes },
  Asset: {
    notes: ({ assetId }: { assetId: string }) => notes.filter(({ asset }) => asset.assetId === assetId),
  },
};

/** Starts that team's subgraph on a free port. Returns the URL of its endpoint. */
export async function startNotes(): Promise<string> {
  const server = new ApolloServer({ schema: buildSubgraphSchema([{ typeDefs, resolvers }]) });
  const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } });
  return url;
}
