import composition from '@apollo/composition';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTypeDefs } from '../src/graphql/schema.ts';
import { DATASET_ID, start, TOKEN } from './harness.ts';

/** Another team's subgraph: refers to datasets by their id, and adds a field to assets. */
const favourites = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

  type Query { favourites: [Favourite!]! }

  type Favourite { rank: Int! dataset: Dataset! asset: Asset! }

  type Dataset @key(fields: "id") { id: ID! }

  type Asset @key(fields: "datasetId assetId") { datasetId: ID! assetId: ID! note: String }
`;

function compose(
  dataset = { url: 'http://dataset.invalid' },
  other = { url: 'http://favourites.invalid' },
  sdl = favourites,
) {
  return composition.composeServices([
    { name: 'dataset', typeDefs: readTypeDefs(), ...dataset },
    { name: 'favourites', typeDefs: parse(sdl), ...other },
  ]);
}

describe('Composition', () => {
  it('has no errors and no hints, alone and with a subgraph that refers to datasets and adds to assets', () => {
    const alone = composition.composeServices([{ name: 'dataset', url: '', typeDefs: readTypeDefs() }]);
    expect({ errors: alone.errors, hints: alone.hints }).toEqual({ errors: undefined, hints: [] });
    const { errors, hints } = compose();
    expect({ errors, hints }).toEqual({ errors: undefined, hints: [] });
  });

  it('notices a subgraph that defines a field of ours', () => {
    const { errors } = compose(undefined, undefined, favourites.replace('{ id: ID! }', '{ id: ID! name: String }'));
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['INVALID_FIELD_SHARING']);
  });
});

describe('Gateway', () => {
  /** A gateway in front of the subgraph and of the other one; forwards the caller's token. */
  async function startGateway(subgraphUrl: string): Promise<string> {
    const other = new ApolloServer({
      schema: buildSubgraphSchema([
        {
          typeDefs: parse(favourites),
          resolvers: {
            Query: {
              favourites: () => [
                { rank: 1, dataset: { id: DATASET_ID }, asset: { datasetId: DATASET_ID, assetId: 'b' } },
                { rank: 2, dataset: { id: 'nowhere' }, asset: { datasetId: DATASET_ID, assetId: 'a' } },
              ],
            },
            Asset: { note: ({ assetId }: { assetId: string }) => `note on ${assetId}` },
          },
        },
      ]),
    });
    const { url } = await startStandaloneServer(other, { listen: { port: 0, host: '127.0.0.1' } });
    onTestFinished(() => other.stop());
    const { supergraphSdl } = compose({ url: subgraphUrl }, { url });
    const gateway = new ApolloGateway({
      supergraphSdl: supergraphSdl ?? '',
      buildService: ({ url: serviceUrl }) =>
        new (class extends RemoteGraphQLDataSource {
          override willSendRequest({
            request,
            context,
          }: Parameters<NonNullable<RemoteGraphQLDataSource['willSendRequest']>>[0]) {
            request.http?.headers.set('authorization', context.authorization);
          }
        })({ url: serviceUrl ?? '' }),
    });
    const server = new ApolloServer({ gateway });
    const started = await startStandaloneServer(server, {
      listen: { port: 0, host: '127.0.0.1' },
      context: async ({ req }) => ({ authorization: req.headers.authorization }),
    });
    onTestFinished(() => server.stop());
    return started.url;
  }

  it('answers one query from both, with the token forwarded as it came', async () => {
    const { subgraph, simulator, calls } = await start();
    const response = await fetch(await startGateway(subgraph.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({
        query: `{
          favourites { rank dataset { id name } asset { assetId name note } }
          dataset(id: "${DATASET_ID}") { startDate asset(assetId: "c") { name note } }
        }`,
      }),
    });
    const { data, errors } = (await response.json()) as { data: unknown; errors: { extensions: { code: string } }[] };
    expect(data).toEqual({
      favourites: [
        {
          rank: 1,
          dataset: { id: DATASET_ID, name: 'Soil moisture' },
          asset: { assetId: 'b', name: 'Field b', note: 'note on b' },
        },
        // The reference itself is known; what the service does not have of it is null.
        {
          rank: 2,
          dataset: { id: 'nowhere', name: null },
          asset: { assetId: 'a', name: 'Field a', note: 'note on a' },
        },
      ],
      dataset: { startDate: '1704067200000', asset: { name: 'Field c', note: 'note on c' } },
    });
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
    expect(new Set(simulator.requests.flatMap(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${TOKEN}`]),
    );
    expect(calls().toSorted()).toEqual(
      [
        'GET /v1/collection/dataset/summary/nowhere',
        `GET /v1/collection/dataset/summary/${DATASET_ID}`,
        `GET /v1/collection/dataset/summary/${DATASET_ID}`,
        `POST /v1/processingresult/dataset/${DATASET_ID} {"mo_ids":["b","a"]}`,
        `POST /v1/processingresult/dataset/${DATASET_ID} {"mo_ids":["c"]}`,
      ].toSorted(),
    );
  });
});
