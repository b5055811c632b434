import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { BoundedCache } from './bounded-cache.ts';
import type { OperationContext } from './context.ts';
import type { FormatError } from './errors.ts';
import { type Conditions, compileOperation } from './execution/compile.ts';
import { Execution } from './execution/execution.ts';
import { limitErrors, type OperationLimits } from './limits.ts';
import { completeErrors } from './response.ts';
import { coerceVariables } from './variables.ts';

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

/** A response with status 200. */
export interface KnownResponse {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** How known documents are executed. */
export interface KnownDocumentsOptions {
  /** The executable schema. */
  readonly schema: GraphQLSchema;
  readonly limits: OperationLimits;
  readonly formatError: FormatError;
}

/** The parts of a document. */
interface KnownDocument {
  readonly operations: readonly OperationDefinitionNode[];
  readonly fragments: Record<string, FragmentDefinitionNode>;
}

/**
 * The documents that Apollo Server found valid and within the limits. A POST with such a document is executed directly, by
 * what was compiled for its operation. Apollo Server handles everything else: new documents, errors before execution, GET,
 * and new values of `Accept`.
 */
export class KnownDocuments {
  readonly #options: KnownDocumentsOptions;
  readonly #documents = new BoundedCache<KnownDocument>(MAX_BYTES);
  /** The media types of Apollo Server's responses, by the value of `Accept`. */
  readonly #contentTypes = new BoundedCache<string>(MAX_ACCEPT_BYTES);

  constructor(options: KnownDocumentsOptions) {
    this.#options = options;
  }

  /** Adds a document that may be executed. */
  add(source: string, { definitions }: DocumentNode): void {
    const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
    const document = {
      operations: definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION),
      fragments: Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment])),
    };
    this.#documents.add(source, document, source.length * BYTES_PER_CHARACTER);
  }

  /** Adds the media type of the response to this value of `Accept`. */
  addContentType(accept: string | undefined, contentType: string): void {
    const key = accept ?? '';
    this.#contentTypes.add(key, contentType, BYTES_PER_ACCEPT + 2 * key.length);
  }

  /** Executes a request. Undefined if Apollo Server must handle it; then nothing was executed. */
  execute(
    { method, headers, body }: GraphQLHttpRequest,
    context: OperationContext,
  ): Promise<KnownResponse> | undefined {
    if (method !== 'POST' || !isUsual(body)) return undefined;
    const contentType = this.#contentTypes.get(headers.accept ?? '');
    const document = this.#documents.get(body.query);
    if (contentType === undefined || document === undefined) return undefined;
    const operation = operationNamed(body.operationName, document);
    // Other operations are valid in a schema without them, and fail when they are executed.
    if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
    const { schema } = this.#options;
    // Apollo Server makes the errors of the response, 50 at most.
    const coerced = coerceVariables(schema, operation, body.variables ?? {});
    if (coerced === undefined) return undefined;
    context.observer.operationResolved(operation.operation);
    const info = { schema, operation, fragments: document.fragments, variableValues: coerced };
    return this.#execute(new Execution(info, context), context, contentType);
  }

  async #execute(execution: Execution, context: OperationContext, contentType: string): Promise<KnownResponse> {
    const { limits, formatError } = this.#options;
    const { info } = execution;
    const compile = (conditions: Conditions) => compileOperation(info, conditions);
    const data = await execution.run(() => context.selections.ofOperation(info, compile));
    const { errors } = execution;
    limitErrors(errors, limits, context.errors);
    const formatted = errors.map((error) => formatError(error.toJSON(), error, context.observer));
    const sent = completeErrors(formatted, context, formatError);
    const extensions = context.extensions();
    const start = sent.length > 0 ? `{"errors":${JSON.stringify(sent)},` : '{';
    const end = extensions === undefined ? '' : `,"extensions":${JSON.stringify(extensions)}`;
    const body = `${start}"data":${data}${end}}\n`;
    return { headers: [['content-type', contentType]], body };
  }
}

/** The operation that a request selects (GraphQL specification, section 6.1). Undefined if there is none, or several. */
function operationNamed(
  name: string | null | undefined,
  { operations }: KnownDocument,
): OperationDefinitionNode | undefined {
  if (isAbsent(name)) return operations.length === 1 ? operations[0] : undefined;
  return operations.find((operation) => operation.name?.value === name);
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
