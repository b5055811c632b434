import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAuthorization } from '../../core/bearer-token.ts';
import { nextImmediate } from '../../core/event-loop.ts';
import type { OperationContext } from '../../graphql/context.ts';
import type { KnownDocuments } from '../../graphql/documents/known-documents.ts';
import { codeOf } from '../../graphql/errors/errors.ts';
import { OperationErrors, PartialErrors } from '../../graphql/errors/operation-errors.ts';
import { TRACE_FORMAT, TRACE_HEADER } from '../../graphql/federated-tracing.ts';
import { OperationBudget, type OperationLimits } from '../../graphql/limits.ts';
import { RequestPlan } from '../../graphql/plan/operation-plan.ts';
import { OperationResponse, type ResponseBody } from '../../graphql/response.ts';
import type { FileLinks } from '../../graphql/results-file.ts';
import { Loaders, type LoadersOptions } from '../../loaders/loaders.ts';
import type { RestAccess, RestSession } from '../../rest/session.ts';
import { observedBy } from '../../rest/transport/rest-call.ts';
import type { OddRowCounter } from '../../results/results.ts';
import { CallList } from '../../telemetry/telemetry.ts';
import { runningRequest } from '../connections/connection.ts';
import {
  asksForCalls,
  type ExtendedOperation,
  type ExtensionOptions,
  extensionsOf,
} from '../features/response-extensions.ts';
import { ResponseCaching, type RouterCacheOptions } from '../features/router-cache.ts';
import { reportInternalError } from '../requests/observe-requests.ts';
import { type AbortReason, type Operations, operationDeadlineMs, RESPONSE_GRACE_MS } from '../requests/operations.ts';
import { prefersJson } from '../responses/content-negotiation.ts';
import { errorBody, sendUnavailable } from '../responses/json-errors.ts';
import { sendChunks, sendText } from '../responses/send-chunks.ts';

/** The path of the GraphQL endpoint. */
export const GRAPHQL_PATH = '/graphql';

/** What all operations share. It holds no data of a client. */
export interface GraphQLRouteOptions {
  readonly apollo: ApolloServer<OperationContext>;
  readonly known: KnownDocuments;
  /** Executes the requests that ask for a trace; undefined if tracing is off. */
  readonly tracing: ApolloServer<OperationContext> | undefined;
  readonly operations: Operations;
  readonly limits: OperationLimits;
  readonly rest: RestAccess;
  /** Counts the odd rows of all operations. */
  readonly oddRows: OddRowCounter;
  readonly loaders: Omit<LoadersOptions, 'session' | 'observer'>;
  /** Undefined if no response may be reused: then nothing of it is observed. */
  readonly routerCache: RouterCacheOptions | undefined;
  readonly tokenInUrlAllowed: boolean;
  readonly files: FileLinks;
  /** Undefined if no response has extensions. */
  readonly extensions: ExtensionOptions | undefined;
}

/** Serves GraphQL over HTTP: one request, one REST session, one set of loaders. */
export function serveGraphQL(app: FastifyInstance, options: GraphQLRouteOptions): void {
  app.register(async (route) => {
    options.operations.shedLoad(route);
    route.all(GRAPHQL_PATH, (request, reply) => {
      handle(request, reply, options).catch((error) => reply.send(error));
    });
  });
}

async function handle(request: FastifyRequest, reply: FastifyReply, options: GraphQLRouteOptions): Promise<void> {
  const running = runningRequest(reply.raw);
  const operation = options.operations.begin(running);
  const { routerCache, extensions } = options;
  const caching = routerCache && new ResponseCaching(routerCache);
  const listsCalls = extensions?.listsCalls === true && asksForCalls(request);
  const calls = listsCalls ? new CallList(running?.since ?? performance.now()) : undefined;
  const observer = observedBy(request.observation, caching, calls);
  const session = options.rest.open(clientAuthorization(request.raw.rawHeaders), observer);
  // Its client may have left while its body was read.
  if (running === undefined) session.end();
  else running.listeners.push(() => session.end());
  const context = contextOf(request, reply, { session, caching, calls }, options);
  const executing = execute(options, context, request);
  const release = () => session.release();
  try {
    const response = await Promise.race([executing, operation.aborted]);
    operation.end();
    await nextImmediate();
    reply.header('cache-control', 'no-store');
    if (typeof response !== 'string') return await send(response, reply, { request, context, session, caching });
    session.end();
    sendAborted(request, reply, response, options.rest.shared.timeoutMs);
  } finally {
    // If the client has left, or the time is over, execution may still read the responses.
    executing.then(release, release);
  }
}

/** What sending a response needs of its operation. */
interface SentOperation {
  readonly request: FastifyRequest;
  readonly context: OperationContext;
  readonly session: RestSession;
  readonly caching: ResponseCaching | undefined;
}

async function send(
  response: GraphQLResponse,
  reply: FastifyReply,
  { request, context, session, caching }: SentOperation,
): Promise<void> {
  const { observation } = request;
  const { reportInternal, response: written } = context;
  const { status, headers, body } = response;
  for (const [name, value] of headers) if (name !== 'cache-control') reply.header(name, value);
  // A router would replace an error with status 400 by its own; see docs/errors.md.
  const useStatus200 = context.partialErrors.variableCoercionFailed && prefersJson(request.headers.accept);
  if (useStatus200) reply.header('content-type', 'application/json; charset=utf-8');
  reply.status(useStatus200 ? 200 : (status ?? 200));
  if (typeof body !== 'string') {
    const whenWritten = () => session.release();
    const whenSent = observation && ((bytes: number) => observation.streamed(bytes));
    const beforeHeaders = caching?.mayReuse ? () => void (written.hasErrors || caching.allow(reply)) : undefined;
    const reportFailure = (error: unknown) => {
      const code = codeOf(error);
      if (code === undefined) reportInternal(error);
      else observation?.error(code);
    };
    await sendChunks(reply, { chunks: body, whenWritten, whenSent, reportFailure, beforeHeaders });
    return;
  }
  session.release();
  if (caching !== undefined && !written.hasErrors) caching.allow(reply);
  await sendText(reply, body, reportInternal);
}

/** What the resolvers of one operation share. */
function contextOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, caching, calls }: Pick<ExtendedOperation, 'session' | 'caching' | 'calls'>,
  options: GraphQLRouteOptions,
): OperationContext {
  const { files, loaders } = options;
  const { observation } = request;
  const oddRows = observation?.operationStarted(options.oddRows) ?? options.oddRows;
  const plan = new RequestPlan();
  const budget = new OperationBudget(options.limits, plan);
  const errors = new OperationErrors();
  const operationLoaders = new Loaders({ ...loaders, session, observer: observation?.trace });
  const reserve = (bytes: number) => operationLoaders.reserveMemory(bytes);
  const response = new OperationResponse(budget.work, errors, reserve, oddRows);
  return {
    requestId: request.id,
    observer: observation,
    reportInternal: (error) => reportInternalError(reply, error),
    loaders: operationLoaders,
    budget,
    plan,
    partialErrors: new PartialErrors(),
    errors,
    response,
    downloadUrl: (datasetId, withToken) => {
      if (withToken) caching?.preventReuse();
      return session.downloadUrl(datasetId, withToken);
    },
    resultsFileUrl: files.resultsUrl,
    ticketUrl:
      files.ticketUrl &&
      (async (datasetId, file) => {
        caching?.preventReuse();
        return files.ticketUrl?.(datasetId, session.authorizationToDownload(), file);
      }),
    onEntities: caching && ((datasetIds) => caching.entitiesRead(datasetIds)),
    extensions:
      options.extensions &&
      extensionsOf(request, options.extensions, {
        ...{ plan, loaders: operationLoaders, response },
        ...{ session, caching, calls },
      }),
    tokenInUrlAllowed: options.tokenInUrlAllowed,
  };
}

/** Sends why the operation was aborted. */
function sendAborted(request: FastifyRequest, reply: FastifyReply, reason: AbortReason, timeoutMs: number) {
  const { observation } = request;
  if (reason === 'shutting_down') {
    observation?.aborted(reason, 'SHUTTING_DOWN');
    return sendUnavailable(reply, 'The server is shutting down.', 'SHUTTING_DOWN');
  }
  observation?.aborted(reason, 'UPSTREAM_TIMEOUT');
  const message = `The operation took longer than ${operationDeadlineMs(timeoutMs)} ms (OPERATION_TIMEOUT_MS plus ${RESPONSE_GRACE_MS} ms).`;
  return reply.status(prefersJson(request.headers.accept) ? 200 : 504).send(errorBody(message, 'UPSTREAM_TIMEOUT'));
}

/** A response to send. */
interface GraphQLResponse {
  readonly status?: number | undefined;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body: ResponseBody;
}

function execute(
  { apollo, known, tracing }: GraphQLRouteOptions,
  context: OperationContext,
  request: FastifyRequest,
): Promise<GraphQLResponse> {
  if (tracing !== undefined && request.headers[TRACE_HEADER] === TRACE_FORMAT) {
    return executeByApollo(tracing, context, request);
  }
  return known.execute(request, context) ?? executeAndLearn(apollo, known, context, request);
}

/** Executes a request by Apollo Server, and learns which media type it chooses. */
async function executeAndLearn(
  apollo: GraphQLRouteOptions['apollo'],
  known: KnownDocuments,
  context: OperationContext,
  request: FastifyRequest,
): Promise<GraphQLResponse> {
  const response = await executeByApollo(apollo, context, request);
  const { status, headers } = response;
  const contentType = headers.get('content-type');
  if (request.method === 'POST' && status === undefined && contentType !== undefined) {
    known.addContentType(request.headers.accept, contentType);
  }
  return response;
}

async function executeByApollo(
  apollo: GraphQLRouteOptions['apollo'],
  context: OperationContext,
  request: FastifyRequest,
): Promise<GraphQLResponse & { readonly headers: HeaderMap }> {
  const queryStart = request.url.indexOf('?');
  const { observation } = request;
  const { status, headers, body } = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers: headerMap(request),
      search: queryStart === -1 ? '' : request.url.slice(queryStart),
      body: request.body,
    },
    context: async () => context,
  });
  if (headers.get('content-type')?.startsWith('text/html')) observation?.markAsPage();
  // The request itself is invalid, or accepts no media type that there is.
  else if (status !== undefined && status >= 400 && !context.response.hasErrors) {
    context.response.hasErrors = true;
    observation?.error(status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
  }
  if (body.kind !== 'complete') throw new Error('A response came in parts.');
  // Apollo Server may refuse the media type when the operation is executed.
  const { body: own } = context.response;
  return { status, headers, body: status === undefined && own !== undefined ? own : body.string };
}

function headerMap(request: FastifyRequest): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}
