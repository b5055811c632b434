/**
 * A supergraph around a running dataset subgraph: npm run demo:supergraph [-- URL [PORT]]
 *
 * Reads the subgraph's schema from URL (by default the demo's), composes it with that of another team's subgraph
 * (notes.ts), and serves both through Apollo Gateway on PORT (by default 4001).
 */
import composition from '@apollo/composition';
import { ApolloGateway, type GraphQLDataSourceProcessOptions, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { type DocumentNode, parse } from 'graphql';
import { run, UsageError } from '../../src/run.ts';
import { startNotes, typeDefs } from './notes.ts';

interface ClientIdentity {
  readonly authorization: string | undefined;
}

/** Forwards only the client's token. */
class DatasetSource extends RemoteGraphQLDataSource<ClientIdentity> {
  override willSendRequest({ request, context }: GraphQLDataSourceProcessOptions<ClientIdentity>) {
    if (context.authorization !== undefined) request.http?.headers.set('authorization', context.authorization);
  }
}

const [datasetUrl = 'http://127.0.0.1:4000/graphql', port = '4001'] = process.argv.slice(2);

await run(async () => {
  const schema = await readSchema(datasetUrl);
  const notesUrl = await startNotes();
  const { supergraphSdl, errors = [] } = composition.composeServices([
    { name: 'dataset', url: datasetUrl, typeDefs: schema },
    { name: 'notes', url: notesUrl, typeDefs },
  ]);
  if (supergraphSdl === undefined) throw new UsageError(errors.map(({ message }) => message).join('\n'));

  const gateway = new ApolloGateway({
    supergraphSdl,
    // Only the dataset subgraph gets the token.
    buildService: ({ name, url = '' }) =>
      name === 'dataset' ? new DatasetSource({ url }) : new RemoteGraphQLDataSource({ url }),
  });
  const server = new ApolloServer<ClientIdentity>({ gateway, introspection: true });
  process.stdout.write(`Supergraph: ${await serve(server)}\n`);
});

/** @throws UsageError when no subgraph answers */
async function readSchema(url: string): Promise<DocumentNode> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ _service { sdl } }' }),
    });
    const { data } = (await response.json()) as { data: { _service: { sdl: string } } };
    return parse(data._service.sdl);
  } catch {
    throw new UsageError(
      `No subgraph answers at ${url}. Start the demo in another terminal (npm run demo), or name another subgraph: npm run demo:supergraph -- URL`,
    );
  }
}

/** @throws UsageError when the port is in use */
async function serve(server: ApolloServer<ClientIdentity>): Promise<string> {
  // startStandaloneServer does not catch the error of its listener.
  const failed = Promise.withResolvers<never>();
  process.once('uncaughtException', failed.reject);
  const listening = startStandaloneServer(server, {
    listen: { host: '127.0.0.1', port: Number(port) },
    context: async ({ req }) => ({ authorization: req.headers.authorization }),
  });
  try {
    return (await Promise.race([listening, failed.promise])).url;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new UsageError(
      `Port ${port} of 127.0.0.1 is in use. Name another one: npm run demo:supergraph -- ${datasetUrl} PORT`,
    );
  } finally {
    process.removeListener('uncaughtException', failed.reject);
  }
}
