import { getHeapStatistics } from 'node:v8';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { OperationContext } from '../context.ts';
import type { FormatError } from '../errors/errors.ts';
import { limitErrors } from '../errors/operation-errors.ts';
import { Execution, type OperationInfo } from '../execution/execution.ts';
import type { OperationLimits } from '../limits.ts';
import { conditionsOf } from '../plan/operation-facts.ts';
import { OperationPlan } from '../plan/operation-plan.ts';
import type { ResponseBody } from '../response.ts';
import { SegmentedCache } from './segmented-cache.ts';
import { coerceVariables } from './variables.ts';

/** The limits of all documents, and of all plans, in bytes. They are enough for 300 operations of 8 kB. */
const MAX_BYTES = Math.min(256 * 2 ** 20, getHeapStatistics().heap_size_limit / 8);
const MAX_DOCUMENT_BYTES = MAX_BYTES * 0.57;
const MAX_PLAN_BYTES = Math.ceil(MAX_BYTES * 0.43);
/** The measured bytes for each lexical token: of the AST, and of a plan. */
const BYTES_PER_TOKEN = 390;
const PLAN_BYTES_PER_TOKEN = 290;
/** The limit of the values of the header `Accept` in bytes, and the estimated bytes for each value without its characters. */
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
  readonly body: ResponseBody;
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
  /** The start of its keys among the plans. */
  readonly name: string;
  /** The bytes of the plan of an operation. */
  readonly planBytes: number;
}

/**
 * The documents that Apollo Server found valid and within the limits. A POST with such a document is executed directly, by
 * the plan of its operation under the conditions of the request. Apollo Server handles everything else: new documents,
 * errors before execution, GET, and new values of `Accept`.
 */
export class KnownDocuments {
  readonly #options: KnownDocumentsOptions;
  readonly #documents = new SegmentedCache<KnownDocument>(MAX_DOCUMENT_BYTES);
  /** By the document, its operation and the conditions. Only for documents that came again. */
  readonly #plans = new LRUCache<string, OperationPlan>({ maxSize: MAX_PLAN_BYTES });
  /** The number of documents so far. */
  #added = 0;
  /** The media types of Apollo Server's responses, by the value of `Accept`. */
  readonly #contentTypes = new LRUCache<string, string>({
    maxSize: MAX_ACCEPT_BYTES,
    sizeCalculation: (_type, accept) => BYTES_PER_ACCEPT + 2 * accept.length,
  });

  constructor(options: KnownDocumentsOptions) {
    this.#options = options;
  }

  /** Adds a document that may be executed. */
  add(source: string, { definitions, loc }: DocumentNode): void {
    let tokens = 0;
    for (let token = loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
    this.#added += 1;
    const document = {
      operations: definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION),
      fragments: fragmentsOf(definitions),
      name: `${this.#added} `,
      planBytes: tokens * PLAN_BYTES_PER_TOKEN,
    };
    this.#documents.add(source, document, source.length + tokens * BYTES_PER_TOKEN);
  }

  /** Adds the media type of the response to this value of `Accept`. */
  addContentType(accept: string | undefined, contentType: string): void {
    this.#contentTypes.set(accept ?? '', contentType);
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
    const executing = this.#execute(info, this.#planFor(info, document), context);
    return executing.then((body) => ({ headers: [['content-type', contentType]], body }));
  }

  /**
   * Executes an operation of a new document, which Apollo Server has found valid. Undefined if it must make an error of it; then nothing
   * was executed.
   */
  executeFirst(
    { definitions }: DocumentNode,
    operation: OperationDefinitionNode | undefined,
    variables: Readonly<Record<string, unknown>>,
    context: OperationContext,
  ): Promise<ResponseBody> | undefined {
    if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
    const { schema } = this.#options;
    const coerced = coerceVariables(schema, operation, variables);
    if (coerced === undefined) return undefined;
    const info = { schema, operation, fragments: fragmentsOf(definitions), variableValues: coerced };
    return this.#execute(info, new OperationPlan(info), context);
  }

  /** The plan of an operation under the conditions of a request. */
  #planFor(info: OperationInfo, { operations, name, planBytes }: KnownDocument): OperationPlan {
    const signs = Object.values(conditionsOf(info)).map(signOf);
    const key = `${name}${operations.indexOf(info.operation)}${signs.join('')}`;
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const added = new OperationPlan(info);
    this.#plans.set(key, added, { size: planBytes });
    return added;
  }

  async #execute(info: OperationInfo, plan: OperationPlan, context: OperationContext): Promise<ResponseBody> {
    const { limits, formatError } = this.#options;
    const execution = new Execution(info, context);
    context.plan.use(plan);
    const data = await execution.run(() => plan.root);
    const { errors } = execution;
    limitErrors(errors, limits, context.errors);
    const formatted = errors.map((error) => formatError(error.toJSON(), error, context.observer));
    return context.response.complete(data, formatted, context, formatError);
  }
}

function fragmentsOf(definitions: DocumentNode['definitions']): Record<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]));
}

/**
 * The sign of a condition in a key. It is no digit, because it follows the number of the operation. Null is neither true nor
 * false: it is possible for a variable with a default value, and an error where it is evaluated.
 */
function signOf(condition: unknown): string {
  if (condition === null) return '?';
  return condition === true ? '+' : '-';
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
