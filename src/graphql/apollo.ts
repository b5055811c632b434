import { ApolloServer, type ApolloServerPlugin, type BaseContext, type GraphQLRequestListener } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse } from 'graphql';
import type { OperationContext } from './context.ts';
import { createFormatError, type FormatError } from './errors.ts';
import { KnownDocuments } from './known-documents.ts';
import { checkDocumentLimits, limitErrors, type OperationLimits } from './limits.ts';
import { completeResponse } from './response.ts';
import { boundedInlineTrace } from './tracing.ts';

/** What Apollo Sandbox shows at first. */
export interface SandboxPreset {
  readonly document: string;
  readonly variables: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

/** How the GraphQL server is set up. */
export interface ApolloOptions {
  /** What is served, executable. */
  readonly schema: GraphQLSchema;
  /** Off also hides the names that GraphQL's own error messages suggest. */
  readonly introspection: boolean;
  /** What Sandbox, the endpoint's page for browsers, shows; undefined: there is no such page. */
  readonly sandbox: SandboxPreset | undefined;
  readonly limits: OperationLimits;
  /**
   * Whether requests that ask for a trace get one. Apollo Server then wraps every resolver of the schema, at the first such
   * request and for good; so a server that traces has a schema of its own, and serves no other requests.
   */
  readonly traced?: boolean;
  readonly logger: Logger;
  /** Is told of errors that are faults of this program. */
  readonly reportInternal: (error: unknown) => void;
}

/** Where the GraphQL library writes what it has to say. */
export type Logger = Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>;

/** What answers GraphQL requests. */
export interface GraphQLServer {
  readonly apollo: ApolloServer<OperationContext>;
  /** The documents that need not go through Apollo Server again. */
  readonly known: KnownDocuments;
}

/**
 * The GraphQL server, not yet started. Everything that Apollo Server would decide by itself from the environment
 * (introspection, stack traces, landing page, reporting to a cloud) is decided here.
 */
export function createGraphQLServer(options: ApolloOptions): GraphQLServer {
  const { schema, introspection, sandbox, limits, logger } = options;
  const formatError = createFormatError(options.reportInternal, introspection);
  const known = new KnownDocuments({ schema, limits, formatError });
  const apollo = new ApolloServer<OperationContext>({
    schema,
    nodeEnv: 'production',
    parseOptions: { maxTokens: limits.tokens },
    introspection,
    // Done by formatError: this way is quadratic in the length of a message, and leaves out the errors of variables.
    hideSchemaDetailsFromClientErrors: false,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    logger,
    formatError,
    plugins: [
      ApolloServerPluginUsageReportingDisabled() as ApolloServerPlugin<BaseContext>,
      ApolloServerPluginCacheControlDisabled(),
      sandbox === undefined
        ? ApolloServerPluginLandingPageDisabled()
        : ApolloServerPluginLandingPageLocalDefault({ footer: false, includeCookies: false, ...sandbox }),
      guardOperations(formatError, limits, known),
      // After the guard, which bounds the errors.
      options.traced === true ? boundedInlineTrace() : ApolloServerPluginInlineTraceDisabled(),
    ],
  });
  return { apollo, known };
}

/**
 * Refuses documents that ask for more than is allowed, before they are validated, and puts into an answer what is known
 * only when it is complete. Apollo Server has no way to refuse a document before it is validated; so a small one takes
 * its place, also in the cache of documents, and is refused when it is to be executed.
 */
function guardOperations(
  format: FormatError,
  limits: OperationLimits,
  known: KnownDocuments,
): ApolloServerPlugin<OperationContext> {
  const refusals = new WeakMap<DocumentNode, GraphQLError>();
  const listener: GraphQLRequestListener<OperationContext> = {
    parsingDidStart: async (request) => async () => {
      const excess = request.document && checkDocumentLimits(request.document, limits);
      if (excess === undefined) return;
      const substitute = parse('{ __typename }');
      refusals.set(substitute, excess);
      Object.assign(request, { document: substitute });
    },
    didResolveOperation: async ({ document, source }) => {
      const refusal = refusals.get(document);
      if (refusal !== undefined) throw refusal;
      known.add(source, document);
    },
    // The errors of the answer are made from this very list.
    didEncounterErrors: async ({ errors, contextValue }) =>
      limitErrors(errors as GraphQLError[], limits, contextValue.errors),
    willSendResponse: async ({ contextValue, response }) => {
      if (response.body.kind !== 'single') return;
      const result = response.body.singleResult;
      completeResponse(result, contextValue, format);
      contextValue.partialErrors.variableCoercionFailed =
        response.http.status === 400 &&
        result.data === undefined &&
        result.errors?.every((error) => error.extensions?.code === 'BAD_USER_INPUT') === true;
    },
  };
  return { requestDidStart: async () => listener };
}
