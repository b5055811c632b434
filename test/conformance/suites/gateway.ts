import composition from '@apollo/composition';
import { ApolloGateway } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { parse } from 'graphql';

// The gateway and its server have the graphql of this folder, because one copy of graphql cannot execute a schema of the other.

/** A subgraph of a supergraph. */
export interface Member {
  name: string;
  url: string;
  sdl: string;
}

/** Composes the subgraphs. */
export function compose(members: readonly Member[]) {
  return composition.composeServices(members.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })));
}

/** Starts a gateway on a free port. */
export async function startApolloGateway(supergraphSdl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = new ApolloServer({ gateway: new ApolloGateway({ supergraphSdl }) });
  const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } });
  return { url, stop: () => server.stop() };
}
