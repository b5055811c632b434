import { Readable } from 'node:stream';
import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAuthorization } from '../core/bearer-token.ts';
import type { TicketContents } from '../downloads/tickets.ts';
import type { OperationContext } from '../graphql/context.ts';
import type { KnownDocuments, KnownResponse } from '../graphql/known-documents.ts';
import { OperationBudget, type OperationLimits } from '../graphql/limits.ts';
import { OperationErrors } from '../graphql/operation-errors.ts';
import { PartialErrors } from '../graphql/partial-errors.ts';
import { RawJson } from '../graphql/raw-json.ts';
import { Selections } from '../graphql/selections.ts';
import { TRACE_FORMAT, TRACE_HEADER } from '../graphql/tracing.ts';
import { Loaders, type LoadersOptions } from '../loaders/loaders.ts';
import { RestSession, type RestSessionOptions } from '../rest/session.ts';
import { prefersJson } from './accept.ts';
import { ownTurn } from './connection-order.ts';
import { errorBody, sendUnavailable } from './json-errors.ts';
import { nextImmediate } from './next-immediate.ts';
import { type AbortReason, type Operations, withResponseGrace } from './operations.ts';
import { onResponseClosed } from './response-closed.ts';
import { sendChunks, sendText } from './send-chunks.ts';

/** Where GraphQL is served. */
export const GRAPHQL_PATH = '/graphql';

/** What the route needs for every operation, none of which knows a caller. */
export interface GraphQLRouteOptions {
  readonly apollo: ApolloServer<OperationContext>;
  readonly known: KnownDocuments;
  /** Serves the requests that ask for a trace; undefined where none are made. */
  readonly tracing: ApolloServer<OperationContext> | undefined;
  readonly operations: Operations;
  readonly limits: OperationLimits;
  readonly rest: Pick<RestSessionOptions, 'client' | 'maxCalls' | 'timeoutMs'>;
  readonly loaders: Omit<LoadersOptions, 'session'>;
  readonly tokenInUrlAllowed: boolean;
  /** Makes the URL of a download ticket, if it is not too long; undefined where there are no tickets. */
  readonly ticketUrl: ((contents: TicketContents) => Promise<string | undefined>) | undefined;
  /** Is told of errors that are faults of this program. */
  readonly reportInternal: (error: unknown) => void;
}

/** Serves GraphQL over HTTP: one request, one REST session, one set of loaders. */
export function serveGraphQL(app: FastifyInstance, options: GraphQLRouteOptions): void {
  app.register(async (route) => {
    options.operations.shedLoad(route);
    route.all(GRAPHQL_PATH, (request, reply) => answer(request, reply, options));
  });
}

async function answer(request: FastifyRequest, reply: FastifyReply, options: GraphQLRouteOptions) {
  const operation = options.operations.begin(reply.raw);
  const session = new RestSession({
    ...options.rest,
    authorization: clientAuthorization(request.raw.rawHeaders),
    requestId: request.id,
  });
  // Also when the caller goes away before it has its answer.
  onResponseClosed(reply.raw, () => session.end());
  const { ticketUrl, loaders } = options;
  const selections = new Selections();
  const budget = new OperationBudget(options.limits, selections);
  const errors = new OperationErrors();
  const context: OperationContext = {
    requestId: request.id,
    loaders: new Loaders({ ...loaders, session }),
    budget,
    selections,
    partialErrors: new PartialErrors(),
    errors,
    raw: loaders.reader.hasFastPath ? new RawJson(budget.work, errors) : undefined,
    downloadUrl: (datasetId, withToken) => session.downloadUrl(datasetId, withToken),
    ticketUrl:
      ticketUrl && (async (datasetId) => ticketUrl({ datasetId, authorization: session.authorizationToDownload() })),
    tokenInUrlAllowed: options.tokenInUrlAllowed,
  };
  const execution = await operation.within(execute(options, context, request, reply));
  await nextImmediate();
  reply.header('cache-control', 'no-store');
  if (typeof execution === 'string') {
    session.end();
    return sendAborted(request, reply, execution, options.rest.timeoutMs);
  }
  const body = startResponse(execution, context, request, reply);
  const whenWritten = () => session.release();
  const chunks = typeof body === 'string' ? context.raw?.render(body) : undefined;
  if (chunks !== undefined) {
    return sendChunks(reply, { chunks, whenWritten, reportInternal: options.reportInternal });
  }
  whenWritten();
  return typeof body === 'string' ? sendText(reply, body, options.reportInternal) : reply.send(body);
}

/** Says why there is no answer. The memory of the REST answers is not given back: it may still be in use. */
function sendAborted(request: FastifyRequest, reply: FastifyReply, reason: AbortReason, timeoutMs: number) {
  if (reason === 'shutdown') return sendUnavailable(reply, 'The server is shutting down.', 'SHUTTING_DOWN');
  const message = `The operation took longer than ${withResponseGrace(timeoutMs)} ms (OPERATION_TIMEOUT_MS, and time to answer).`;
  return reply.status(prefersJson(request.headers.accept) ? 200 : 504).send(errorBody(message, 'UPSTREAM_TIMEOUT'));
}

type Execution = Awaited<ReturnType<ApolloServer<OperationContext>['executeHTTPGraphQLRequest']>>;

async function execute(
  { apollo, known, tracing }: GraphQLRouteOptions,
  context: OperationContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Execution> {
  await ownTurn(reply.raw);
  if (tracing !== undefined && request.headers[TRACE_HEADER] === TRACE_FORMAT) {
    return executeByApollo(tracing, context, request);
  }
  const response = await known.execute(request, context);
  if (response !== undefined) return toExecution(response);
  const execution = await executeByApollo(apollo, context, request);
  const { status, headers, body } = execution;
  const contentType = headers.get('content-type');
  if (request.method === 'POST' && status === undefined && body.kind === 'complete' && contentType !== undefined) {
    known.addContentType(request.headers.accept, contentType);
  }
  return execution;
}

function executeByApollo(
  apollo: ApolloServer<OperationContext>,
  context: OperationContext,
  request: FastifyRequest,
): Promise<Execution> {
  const queryStart = request.url.indexOf('?');
  return apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers: headerMap(request),
      search: queryStart === -1 ? '' : request.url.slice(queryStart),
      body: request.body,
    },
    context: async () => context,
  });
}

function toExecution({ contentType, text }: KnownResponse): Execution {
  return { headers: new HeaderMap([['content-type', contentType]]), body: { kind: 'complete', string: text } };
}

/** Sets the answer's head; what it gives is the answer's body. */
function startResponse(
  { status, headers, body }: Execution,
  { partialErrors }: OperationContext,
  request: FastifyRequest,
  reply: FastifyReply,
): string | Readable {
  for (const [name, value] of headers) if (name !== 'cache-control') reply.header(name, value);
  // A router turns the status 400 into an error of its own, in place of ours; see docs/errors.md.
  const refused = partialErrors.variableCoercionFailed && prefersJson(request.headers.accept);
  if (refused) reply.header('content-type', 'application/json; charset=utf-8');
  reply.status(refused ? 200 : (status ?? 200));
  return body.kind === 'complete' ? body.string : Readable.from(body.asyncIterator);
}

function headerMap(request: FastifyRequest): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}
