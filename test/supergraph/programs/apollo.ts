import { readFileSync } from 'node:fs';
import { ApolloGateway, type GraphQLDataSourceProcessOptions, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

interface Context {
  authorization?: string | undefined;
}

/** Forwards the client's Authorization header, and adds the secret of the router. */
class Subgraph extends RemoteGraphQLDataSource<Context> {
  override willSendRequest({ request, context }: GraphQLDataSourceProcessOptions<Context>) {
    if (context.authorization !== undefined) request.http?.headers.set('authorization', context.authorization);
    request.http?.headers.set('router-authorization', process.env.ROUTER_SECRET ?? '');
  }
}

const [file = '', port] = process.argv.slice(2);
const gateway = new ApolloGateway({
  supergraphSdl: readFileSync(file, 'utf8'),
  buildService: ({ url = '' }) => new Subgraph({ url }),
});
const server = new ApolloServer<Context>({ gateway, introspection: true });
await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(port) },
  context: async ({ req }) => ({ authorization: req.headers.authorization }),
});
