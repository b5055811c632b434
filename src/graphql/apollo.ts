import {
  ApolloServer,
  type ApolloServerPlugin,
  type BaseContext,
  type GraphQLRequestListener,
  HeaderMap,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse } from 'graphql';
import type { OperationContext } from './context.ts';
import { KnownDocuments } from './documents/known-documents.ts';
import { coerceVariables, shortened } from './documents/variables.ts';
import { createFormatError, type FormatError, type ReportInternal } from './errors/errors.ts';
import { limitErrors } from './errors/operation-errors.ts';
import { boundedInlineTrace } from './federated-tracing.ts';
import { checkDocumentLimits, type OperationLimits } from './limits.ts';

/** The first operation that Apollo Sandbox shows. */
export interface SandboxPreset {
  readonly document: string;
  readonly variables: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

/** The options of the GraphQL server. */
export interface ApolloOptions {
  /** The executable schema. */
  readonly schema: GraphQLSchema;
  /** Whether introspection is on. If off, the names that GraphQL's error messages suggest are hidden too. */
  readonly introspection: boolean;
  /** The preset of Sandbox, the page that browsers get. Undefined: no such page. */
  readonly sandbox: SandboxPreset | undefined;
  readonly limits: OperationLimits;
  /**
   * Whether requests that ask for a trace get one. At the first such request, Apollo Server wraps every resolver of the
   * schema permanently. So a server that traces has its own schema, and serves no other requests.
   */
  readonly traced?: boolean;
  readonly logger: Logger;
  /** Reports errors that are bugs of this program. */
  readonly reportInternal: ReportInternal;
}

/** The log of the GraphQL library. */
export type Logger = Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>;

/** The GraphQL server. */
export interface GraphQLServer {
  readonly apollo: ApolloServer<OperationContext>;
  /** The documents that skip Apollo Server's pipeline. */
  readonly known: KnownDocuments;
}

/**
 * Creates the GraphQL server, and does not start it. It sets everything that Apollo Server would read from the environment:
 * introspection, stack traces, landing page, reporting to a cloud.
 */
export function createGraphQLServer(options: ApolloOptions): GraphQLServer {
  const { schema, introspection, sandbox, limits, logger } = options;
  const formatError = createFormatError(options.reportInternal, introspection);
  const known = new KnownDocuments({ schema, limits, formatError });
  const reports = new WeakMap<object, ReportInternal>();
  const apollo = new ApolloServer<OperationContext>({
    schema,
    nodeEnv: 'production',
    parseOptions: { maxTokens: limits.tokens },
    introspection,
    // formatError does this. Apollo's way is quadratic in the length of a message, and skips the errors of variables.
    hideSchemaDetailsFromClientErrors: false,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    logger,
    formatError: (formatted, error) => formatError(formatted, error, reports.get(error as object)),
    plugins: [
      ApolloServerPluginUsageReportingDisabled() as ApolloServerPlugin<BaseContext>,
      ApolloServerPluginCacheControlDisabled(),
      sandbox === undefined
        ? ApolloServerPluginLandingPageDisabled()
        : ApolloServerPluginLandingPageLocalDefault({ footer: false, includeCookies: false, ...sandbox }),
      guardOperations(options, formatError, known, reports),
      // After the guard, which limits the errors.
      options.traced === true ? boundedInlineTrace() : ApolloServerPluginInlineTraceDisabled(),
    ],
  });
  return { apollo, known };
}

/**
 * Rejects documents that exceed the limits before they are validated, cuts invalid variables, and completes responses.
 * Apollo Server cannot reject a document before validation. So a small document replaces it, also in Apollo's document cache,
 * and is rejected when its operation is resolved.
 *
 * @param reports gets what reports an error of each operation, because Apollo Server formats errors without a context
 */
function guardOperations(
  { schema, limits, traced = false }: ApolloOptions,
  format: FormatError,
  known: KnownDocuments,
  reports: WeakMap<object, ReportInternal>,
): ApolloServerPlugin<OperationContext> {
  const rejections = new WeakMap<DocumentNode, GraphQLError>();
  const listener: GraphQLRequestListener<OperationContext> = {
    parsingDidStart: async (request) => async () => {
      const limitError = request.document && checkDocumentLimits(request.document, request.source, limits, schema);
      if (limitError === undefined) return;
      const substitute = parse('{ __typename }');
      rejections.set(substitute, limitError);
      Object.assign(request, { document: substitute });
    },
    didResolveOperation: async ({ document, operation, contextValue, request }) => {
      const rejection = rejections.get(document);
      if (rejection !== undefined) throw rejection;
      if (operation === undefined) return;
      if (contextValue.observer !== undefined) contextValue.observer.operationType = operation.operation;
      const { variables = {} } = request;
      // Execution makes the errors of invalid variables, and quotes them.
      if (coerceVariables(schema, operation, variables) === undefined) {
        Object.assign(request, { variables: shortened(operation, variables) });
      }
    },
    // Its status and its headers are Apollo Server's, its body is in the context. Only requests for traces are executed by graphql-js.
    responseForOperation: async ({ document, source, operation, request: { variables = {} }, contextValue }) => {
      // There may be no operation, whatever its type says.
      if (traced || !operation) return null;
      const body = await known.executeValid(source, document, operation, variables, contextValue);
      if (body === undefined) return null;
      return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: {} } };
    },
    // Changes the list in place: the errors of the response are made from it.
    didEncounterErrors: async ({ errors, contextValue }) => {
      limitErrors(errors as GraphQLError[], limits, contextValue.errors);
      for (const error of errors) reports.set(error, contextValue.reportInternal);
    },
    willSendResponse: async ({ contextValue, response }) => {
      if (response.body.kind !== 'single' || contextValue.response.body !== undefined) return;
      const result = response.body.singleResult;
      contextValue.response.completeResult(result, contextValue, format);
      contextValue.partialErrors.variableCoercionFailed =
        response.http.status === 400 &&
        result.data === undefined &&
        result.errors?.every((error) => error.extensions?.code === 'BAD_USER_INPUT') === true;
    },
  };
  return { requestDidStart: async () => listener };
}
