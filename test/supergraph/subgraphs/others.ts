import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema, type GraphQLSchemaModule } from '@apollo/subgraph';
import { parse } from 'graphql';
import { type OtherName, otherSubgraphs, sdlOf } from './schemas.ts';

/** A subgraph of another team. */
export interface OtherSubgraph {
  /** Its name in the supergraph. */
  readonly name: string;
  readonly sdl: string;
  readonly resolvers: NonNullable<GraphQLSchemaModule['resolvers']>;
}

/** An asset that another subgraph refers to. */
interface AssetReference {
  readonly datasetId: string;
  readonly assetId: string;
}

/** The data of the other teams' subgraphs. It may change while they run. */
export interface OtherData {
  /** The collections of the catalog. */
  readonly collections: Map<string, { readonly title: string; readonly datasetIds: readonly string[] }>;
  /** The inspections of assets, by the id of their round. */
  readonly inspections: Map<string, readonly (AssetReference & { readonly id: string; readonly date: string })[]>;
  /** The media team's pictures of assets, by the id of their training set. */
  readonly pictures: Map<string, readonly (AssetReference & { readonly id: string; readonly url: string })[]>;
}

/** No data. */
export const emptyData = (): OtherData => ({ collections: new Map(), inspections: new Map(), pictures: new Map() });

function resolversOf({ collections, inspections, pictures }: OtherData) {
  const isOf = (asset: AssetReference) => (other: AssetReference) =>
    other.datasetId === asset.datasetId && other.assetId === asset.assetId;
  const collectionOf = (id: string) => {
    const { title = '', datasetIds = [] } = collections.get(id) ?? {};
    return { id, title, datasets: datasetIds.map((datasetId) => ({ id: datasetId })) };
  };
  const inspectionOf = ({ id, date, ...asset }: AssetReference & { id: string; date: string }) => {
    return { id, date, place: { latitude: 45.25, longitude: 7.5 }, asset };
  };
  return {
    catalog: {
      Query: {
        collection: (_: unknown, { id }: { id: string }) => (collections.has(id) ? collectionOf(id) : null),
      },
      Dataset: {
        collections: ({ id }: { id: string }) => {
          const ids = [...collections].flatMap(([name, { datasetIds }]) => (datasetIds.includes(id) ? [name] : []));
          const [startCursor = null, endCursor = null] = [ids.at(0), ids.at(-1)];
          const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor, endCursor };
          return { nodes: ids.map(collectionOf), pageInfo };
        },
      },
    },
    inspections: {
      Query: {
        inspections: (_: unknown, { round }: { round: string }) => (inspections.get(round) ?? []).map(inspectionOf),
      },
      Asset: {
        lastInspection: (asset: AssetReference) => {
          const last = [...inspections.values()].flat().findLast(isOf(asset));
          return last ? inspectionOf(last) : null;
        },
        sign: ({ name, version }: { name?: string; version?: string }) => `${name}, version ${version}`,
      },
    },
    media: {
      Query: {
        dataset: (_: unknown, { id }: { id: string }) =>
          pictures.has(id) ? { id, title: `Pictures of ${id}`, pictures: pictures.get(id) } : null,
      },
      Asset: {
        __resolveReference: ({ id }: { id: string }) => [...pictures.values()].flat().find((each) => each.id === id),
        shows: ({ datasetId, assetId }: AssetReference) => ({ datasetId, assetId }),
      },
      DatasetAsset: { pictures: (asset: AssetReference) => [...pictures.values()].flat().filter(isOf(asset)) },
    },
  };
}

/** Other teams' subgraphs with this data. */
export function othersWith(data: OtherData, names: readonly OtherName[] = otherSubgraphs): OtherSubgraph[] {
  const resolvers = resolversOf(data);
  return names.map((name) => ({ name, sdl: sdlOf(name), resolvers: resolvers[name] }));
}

/** Starts a subgraph of another team on a free port. */
export async function startOther({ sdl, resolvers }: OtherSubgraph) {
  const typeDefs = parse(sdl);
  const server = new ApolloServer({
    schema: buildSubgraphSchema([{ typeDefs, resolvers }]),
    plugins: [ApolloServerPluginInlineTraceDisabled()],
  });
  const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } });
  return { url, typeDefs, stop: () => server.stop() };
}
