import { type DocumentNode, execute, type FormattedExecutionResult, type GraphQLSchema } from 'graphql';
import { BoundedCache } from './bounded-cache.ts';
import type { OperationContext } from './context.ts';
import type { FormatError } from './errors.ts';
import { limitErrors, type OperationLimits } from './limits.ts';
import { completeResponse } from './response.ts';

/** What is kept of all documents together, in bytes, and what is taken for a character of one: most is its parsed form. */
const MAX_BYTES = 16 * 2 ** 20;
const BYTES_PER_CHARACTER = 100;
/** The same for the values of the header `Accept`, and what is taken for one besides its characters. */
const MAX_ACCEPT_BYTES = 64 * 2 ** 10;
const BYTES_PER_ACCEPT = 200;

/** An HTTP request to the GraphQL endpoint. */
export interface GraphQLHttpRequest {
  readonly method: string;
  readonly headers: { readonly accept?: string | undefined };
  /** The JSON that was sent; undefined without any. */
  readonly body: unknown;
}

/** What a request asks for, where it is of the usual form. */
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
  /** What is served, executable. */
  readonly schema: GraphQLSchema;
  readonly limits: OperationLimits;
  readonly formatError: FormatError;
}

/**
 * The documents that Apollo Server has parsed and found valid and within the limits. Asked for again in the usual way, by a
 * POST with JSON, such a document is executed here at once, without Apollo Server's pipeline, which is a third of the work of
 * a metadata query. It decides everything else: what is seen for the first time, what is wrong before it is executed, GET,
 * media types not asked for before.
 */
export class KnownDocuments {
  readonly #options: KnownDocumentsOptions;
  readonly #documents = new BoundedCache<DocumentNode>(MAX_BYTES);
  /** The media types that Apollo Server has answered with, by what was asked for in `Accept`. */
  readonly #contentTypes = new BoundedCache<string>(MAX_ACCEPT_BYTES);

  constructor(options: KnownDocumentsOptions) {
    this.#options = options;
  }

  /** Notes a document that may be executed. */
  add(source: string, document: DocumentNode): void {
    this.#documents.add(source, document, source.length * BYTES_PER_CHARACTER);
  }

  /** Notes with which media type a request with this header `Accept` is answered. */
  addContentType(accept: string | undefined, contentType: string): void {
    const key = accept ?? '';
    this.#contentTypes.add(key, contentType, BYTES_PER_ACCEPT + 2 * key.length);
  }

  /** The response to a request; undefined where Apollo Server is to answer it, and nothing has been executed. */
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

/** Whether a request has nothing but a document, and perhaps the name of an operation and variables. */
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
