import { type DocumentNode, execute, type FormattedExecutionResult, type GraphQLSchema } from 'graphql';
import { BoundedCache } from './bounded-cache.ts';
import type { OperationContext } from './context.ts';
import type { FormatError } from './errors.ts';
import { limitErrors, type OperationLimits } from './limits.ts';
import { completeResponse } from './response.ts';

/** The limit of all documents in bytes, and the estimated bytes for each character: mostly its AST. */
const MAX_BYTES = 16 * 2 ** 20;
const BYTES_PER_CHARACTER = 100;
/** The same for the values of the header `Accept`, and the estimated bytes for each value without its characters. */
const MAX_ACCEPT_BYTES = 64 * 2 ** 10;
const BYTES_PER_ACCEPT = 200;

/** An HTTP request to the GraphQL endpoint. */
export interface GraphQLHttpRequest {
  readonly method: string;
  readonly headers: { readonly accept?: string | undefined };
  /** The parsed JSON. Undefined if there is none. */
  readonly body: unknown;
}

/** A body with only the usual parameters. */
interface UsualRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A response with this media type. */
export interface KnownResponse {
  readonly contentType: string;
  readonly text: string;
}

/** How known documents are executed. */
export interface KnownDocumentsOptions {
  /** The executable schema. */
  readonly schema: GraphQLSchema;
  readonly limits: OperationLimits;
  readonly formatError: FormatError;
}

/**
 * The documents that Apollo Server found valid and within the limits. A POST with such a document is executed directly,
 * without Apollo Server's pipeline, which is a third of the work of a metadata query. Apollo Server handles everything else:
 * new documents, errors before execution, GET, and new values of `Accept`.
 */
export class KnownDocuments {
  readonly #options: KnownDocumentsOptions;
  readonly #documents = new BoundedCache<DocumentNode>(MAX_BYTES);
  /** The media types of Apollo Server's responses, by the value of `Accept`. */
  readonly #contentTypes = new BoundedCache<string>(MAX_ACCEPT_BYTES);

  constructor(options: KnownDocumentsOptions) {
    this.#options = options;
  }

  /** Adds a document that may be executed. */
  add(source: string, document: DocumentNode): void {
    this.#documents.add(source, document, source.length * BYTES_PER_CHARACTER);
  }

  /** Adds the media type of the response to this value of `Accept`. */
  addContentType(accept: string | undefined, contentType: string): void {
    const key = accept ?? '';
    this.#contentTypes.add(key, contentType, BYTES_PER_ACCEPT + 2 * key.length);
  }

  /** Executes a request. Undefined if Apollo Server must handle it; then nothing was executed. */
  async execute(
    { method, headers, body }: GraphQLHttpRequest,
    context: OperationContext,
  ): Promise<KnownResponse | undefined> {
    if (method !== 'POST' || !isUsual(body)) return undefined;
    const contentType = this.#contentTypes.get(headers.accept ?? '');
    const document = this.#documents.get(body.query);
    if (contentType === undefined || document === undefined) return undefined;
    const { schema, limits, formatError } = this.#options;
    const { data, errors } = await execute({
      schema,
      document,
      contextValue: context,
      variableValues: body.variables ?? null,
      operationName: body.operationName ?? null,
    });
    if (data === undefined) return undefined;
    const response: FormattedExecutionResult = { data };
    if (errors !== undefined) {
      const sent = [...errors];
      limitErrors(sent, limits, context.errors);
      Object.assign(response, { errors: sent.map((error) => formatError(error.toJSON(), error)) });
    }
    completeResponse(response, context, formatError);
    return { contentType, text: `${JSON.stringify({ errors: response.errors, data })}\n` };
  }
}

/** Whether a body has only a document, and perhaps an operation name and variables. */
function isUsual(body: unknown): body is UsualRequest {
  if (!isRecord(body)) return false;
  const { query, operationName, variables, extensions } = body;
  return (
    typeof query === 'string' &&
    (isAbsent(operationName) || typeof operationName === 'string') &&
    (isAbsent(variables) || isRecord(variables)) &&
    (isAbsent(extensions) || (isRecord(extensions) && !('persistedQuery' in extensions)))
  );
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
