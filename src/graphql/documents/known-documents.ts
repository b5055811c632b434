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
import { factsOf, type OperationFacts } from '../plan/operation-facts.ts';
import { OperationPlan } from '../plan/operation-plan.ts';
import type { ResponseBody } from '../response.ts';
import { SegmentedCache } from './segmented-cache.ts';
import { coerceVariables } from './variables.ts';

/** The limit of all documents with their plans, in bytes. It is enough for 300 operations of 8 kB. */
const MAX_BYTES = Math.min(288 * 2 ** 20, getHeapStatistics().heap_size_limit / 8);
/** The most plans of a document: of its operations, under each of their conditions. */
const MAX_PLANS = 32;
/** The measured bytes for each lexical token: of the AST, 350 to 385, and of a plan, 220 of metadata and 320 of results. */
const BYTES_PER_TOKEN = 380;
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

/** An operation of a document. */
interface KnownOperation {
  readonly node: OperationDefinitionNode;
  /** Undefined until it is executed. */
  facts: OperationFacts | undefined;
}

/** The parts of a document. */
interface KnownDocument {
  readonly source: string;
  readonly operations: readonly KnownOperation[];
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** By the operation and the conditions. */
  readonly plans: Map<string, OperationPlan>;
  /** The bytes of each. */
  readonly planBytes: number;
}

/**
 * The documents that Apollo Server found valid and within the limits. Each is executed by the plan of its operation under the conditions
 * of the request. A POST with a document that is known is executed directly. Apollo Server handles everything before execution for all
 * else: new documents, GET, and new values of `Accept`; and it makes the errors of what is not executed.
 */
export class KnownDocuments {
  readonly #options: KnownDocumentsOptions;
  readonly #documents = new SegmentedCache<KnownDocument>(MAX_BYTES);
  /** The media types of Apollo Server's responses, by the value of `Accept`. */
  readonly #contentTypes = new LRUCache<string, string>({
    maxSize: MAX_ACCEPT_BYTES,
    sizeCalculation: (_type, accept) => BYTES_PER_ACCEPT + 2 * accept.length,
  });

  constructor(options: KnownDocumentsOptions) {
    this.#options = options;
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
    if (operation?.node.operation !== OperationTypeNode.QUERY) return undefined;
    const { schema } = this.#options;
    // Apollo Server makes the errors of the response, 50 at most.
    const coerced = coerceVariables(schema, operation.node, body.variables ?? {});
    if (coerced === undefined) return undefined;
    if (context.observer !== undefined) context.observer.operationType = operation.node.operation;
    const executing = this.#execute(document, operation, coerced, context, true);
    return executing.then((body) => ({ headers: [['content-type', contentType]], body }));
  }

  /**
   * Adds a document that Apollo Server has found valid, and executes an operation of it. Undefined if Apollo Server must make an error of
   * it; then nothing was executed.
   */
  executeValid(
    source: string,
    document: DocumentNode,
    { name }: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
    context: OperationContext,
  ): Promise<ResponseBody> | undefined {
    const known = this.#add(source, document);
    const operation = operationNamed(name?.value, known);
    if (operation?.node.operation !== OperationTypeNode.QUERY) return undefined;
    const coerced = coerceVariables(this.#options.schema, operation.node, variables);
    // Where more documents come in turn than there is room for, plans would take that of others, and nobody would use them.
    return coerced && this.#execute(known, operation, coerced, context, this.#documents.isNew(source));
  }

  #add(source: string, { definitions, loc }: DocumentNode): KnownDocument {
    let tokens = 0;
    for (let token = loc?.startToken; token; token = token.next ?? undefined) tokens += 1;
    const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
    const document: KnownDocument = {
      source,
      operations: definitions
        .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
        .map((node) => ({ node, facts: undefined })),
      fragments: Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment])),
      plans: new Map(),
      planBytes: tokens * PLAN_BYTES_PER_TOKEN,
    };
    return this.#documents.add(source, document, source.length + tokens * BYTES_PER_TOKEN);
  }

  /** The plan of an operation under the conditions of a request. @param isStored whether the document keeps it */
  #planFor(info: OperationInfo, operation: KnownOperation, document: KnownDocument, isStored: boolean): OperationPlan {
    const { source, operations, plans, planBytes } = document;
    operation.facts ??= factsOf(info);
    let key = String(operations.indexOf(operation));
    for (const name of operation.facts.conditionNames) key += signOf(info.variableValues[name]);
    const known = plans.get(key);
    if (known !== undefined) return known;
    const added = new OperationPlan(info, operation.facts);
    if (!isStored || plans.size === MAX_PLANS) return added;
    plans.set(key, added);
    this.#documents.grow(source, planBytes);
    return added;
  }

  async #execute(
    document: KnownDocument,
    operation: KnownOperation,
    variableValues: OperationInfo['variableValues'],
    context: OperationContext,
    isStored: boolean,
  ): Promise<ResponseBody> {
    const { schema, limits, formatError } = this.#options;
    const info = { schema, operation: operation.node, fragments: document.fragments, variableValues };
    const plan = this.#planFor(info, operation, document, isStored);
    const execution = new Execution(info, context);
    context.plan.setOperation(plan);
    const data = await execution.run(() => plan.root);
    const { errors } = execution;
    if (errors.length > 0) limitErrors(errors, limits, context.errors);
    const formatted = errors.map((error) => formatError(error.toJSON(), error, context.reportInternal));
    return context.response.complete(data, formatted, context, formatError);
  }
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
function operationNamed(name: string | null | undefined, { operations }: KnownDocument): KnownOperation | undefined {
  if (isAbsent(name)) return operations.length === 1 ? operations[0] : undefined;
  return operations.find(({ node }) => node.name?.value === name);
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
