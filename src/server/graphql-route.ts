import { Readable } from 'node:stream';
import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationContext } from '../graphql/context.ts';
import { OperationOutcome } from '../graphql/outcome.ts';
import { Splices } from '../graphql/splices.ts';
import { createLoaders, type LoadersOptions } from '../loaders/loaders.ts';
import { bearerAuthorization } from '../rest/bearer-token.ts';
import { RestSession, type RestSessionOptions } from '../rest/session.ts';
import { welcomesJson } from './accept.ts';

/** Where GraphQL is served. */
export const GRAPHQL_PATH = '/graphql';

/** Up to this size an answer is sent in one piece. */
const JOINED_BYTES = 262_144;

/** What the route needs for every operation, none of which knows a caller. */
export interface GraphQLRouteOptions {
  readonly apollo: ApolloServer<OperationContext>;
  readonly rest: Pick<RestSessionOptions, 'client' | 'maxCalls' | 'timeoutMs'>;
  readonly loaders: Omit<LoadersOptions, 'session'>;
  readonly tokenInUrlAllowed: boolean;
}

/** Serves GraphQL over HTTP: one request, one REST session, one set of loaders. */
export function serveGraphQL(app: FastifyInstance, options: GraphQLRouteOptions): void {
  app.all(GRAPHQL_PATH, async (request, reply) => {
    const session = new RestSession({
      ...options.rest,
      authorization: bearerAuthorization(request.raw.headersDistinct.authorization),
      requestId: request.id,
    });
    const splices = new Splices(options.loaders.fastWay);
    reply.raw.once('close', () => {
      // Also when the caller goes away before it has its answer.
      session.end();
      if (!reply.raw.writableFinished) return;
      splices.giveBack();
      session.giveBack();
    });
    const context: OperationContext = {
      requestId: request.id,
      loaders: createLoaders({ ...options.loaders, session }),
      outcome: new OperationOutcome(),
      splices,
      downloadUrl: (datasetId, withToken) => session.downloadUrl(datasetId, withToken),
      tokenInUrlAllowed: options.tokenInUrlAllowed,
    };
    return execute(options.apollo, context, request, reply);
  });
}

async function execute(
  apollo: ApolloServer<OperationContext>,
  context: OperationContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const queryStart = request.url.indexOf('?');
  const { status, headers, body } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers: headerMap(request),
      search: queryStart === -1 ? '' : request.url.slice(queryStart),
      body: request.body,
    },
    context: async () => context,
  });
  for (const [name, value] of headers) reply.header(name, value);
  reply.header('cache-control', 'no-store');
  // A router turns the status 400 into an error of its own, in place of ours; see the README.
  const refused = context.outcome.variablesRefused && welcomesJson(request.headers.accept);
  if (refused) reply.header('content-type', 'application/json; charset=utf-8');
  reply.status(refused ? 200 : (status ?? 200));
  if (body.kind !== 'complete') return reply.send(Readable.from(body.asyncIterator));
  const pieces = context.splices.apply(body.string);
  if (pieces === undefined) return reply.send(body.string);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= JOINED_BYTES) return reply.send(Buffer.concat(pieces, length));
  reply.header('content-length', length);
  return reply.send(Readable.from(pieces));
}

function headerMap(request: FastifyRequest): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}
