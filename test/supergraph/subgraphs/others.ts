import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema, type GraphQLSchemaModule } from '@apollo/subgraph';
import { type DocumentNode, parse } from 'graphql';
import { type OtherName, otherSubgraphs, sdlOf } from './schemas.ts';

/** A subgraph of another team. */
export interface OtherSubgraph {
  /** Its name in the supergraph. */
  readonly name: string;
  readonly sdl: string;
  readonly resolvers: NonNullable<GraphQLSchemaModule['resolvers']>;
}

/** A collection of the catalog. */
export interface Collection {
  readonly title: string;
  readonly datasetIds: readonly string[];
}

/** A visit in the subgraph of the inspections. */
export interface Inspection {
  readonly id: string;
  readonly date: string;
  readonly datasetId: string;
  readonly assetId: string;
}

/** A picture in the subgraph of the media team. */
export interface Picture {
  readonly id: string;
  readonly url: string;
  /** The asset that it shows. */
  readonly datasetId: string;
  readonly assetId: string;
}

/** The data of the other teams' subgraphs. It may change while they run. */
export interface OtherData {
  /** By id. */
  readonly collections: Map<string, Collection>;
  /** By the id of their round. */
  readonly inspections: Map<string, readonly Inspection[]>;
  /** By the id of their training set. */
  readonly pictures: Map<string, readonly Picture[]>;
}

/** A running subgraph. */
export interface RunningSubgraph {
  readonly url: string;
  readonly typeDefs: DocumentNode;
  stop(): Promise<void>;
}

type AssetReference = { datasetId: string; assetId: string; name?: string; version?: string };

function resolversOf({ collections, inspections, pictures }: OtherData) {
  const asCollection = ([id, { title, datasetIds }]: [string, Collection]) => ({
    id,
    title,
    datasets: datasetIds.map((datasetId) => ({ id: datasetId })),
  });
  const asInspection = ({ id, date, datasetId, assetId }: Inspection) => ({
    id,
    date,
    place: { latitude: 45.25, longitude: 7.5 },
    asset: { datasetId, assetId },
  });
  return {
    catalog: {
      Query: {
        collection: (_: unknown, { id }: { id: string }) => {
          const collection = collections.get(id);
          return collection ? asCollection([id, collection]) : null;
        },
      },
      Dataset: {
        collections: ({ id }: { id: string }) => {
          const nodes = [...collections].filter(([, { datasetIds }]) => datasetIds.includes(id)).map(asCollection);
          const [first, last] = [nodes.at(0), nodes.at(-1)];
          const pageInfo = {
            hasNextPage: false,
            hasPreviousPage: false,
            startCursor: first?.id ?? null,
            endCursor: last?.id ?? null,
          };
          return { nodes, pageInfo };
        },
      },
    },
    inspections: {
      Query: {
        inspections: (_: unknown, { round }: { round: string }) => (inspections.get(round) ?? []).map(asInspection),
      },
      Asset: {
        lastInspection: ({ datasetId, assetId }: AssetReference) => {
          const visits = [...inspections.values()].flat();
          const last = visits.findLast((visit) => visit.datasetId === datasetId && visit.assetId === assetId);
          return last ? asInspection(last) : null;
        },
        sign: ({ name, version }: AssetReference) => `${name}, version ${version}`,
      },
    },
    media: {
      Query: {
        dataset: (_: unknown, { id }: { id: string }) =>
          pictures.has(id) ? { id, title: `Pictures of ${id}`, pictures: pictures.get(id) } : null,
      },
      Asset: {
        __resolveReference: ({ id }: { id: string }) => [...pictures.values()].flat().find((each) => each.id === id),
        shows: ({ datasetId, assetId }: Picture) => ({ datasetId, assetId }),
      },
      DatasetAsset: {
        pictures: ({ datasetId, assetId }: AssetReference) =>
          [...pictures.values()].flat().filter((each) => each.datasetId === datasetId && each.assetId === assetId),
      },
    },
  };
}

/** No data. */
export function emptyData(): OtherData {
  return { collections: new Map(), inspections: new Map(), pictures: new Map() };
}

/** Other teams' subgraphs with this data. */
export function othersWith(data: OtherData, names: readonly OtherName[] = otherSubgraphs): OtherSubgraph[] {
  const resolvers = resolversOf(data);
  return names.map((name) => ({ name, sdl: sdlOf(name), resolvers: resolvers[name] }));
}

/** Starts a subgraph of another team on a free port. */
export async function startOther({ sdl, resolvers }: OtherSubgraph): Promise<RunningSubgraph> {
  const typeDefs = parse(sdl);
  const server = new ApolloServer({
    schema: buildSubgraphSchema([{ typeDefs, resolvers }]),
    plugins: [ApolloServerPluginInlineTraceDisabled()],
  });
  const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } });
  return { url, typeDefs, stop: () => server.stop() };
}
