import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  responsePathAsArray,
} from 'graphql';
import { RestError } from '../../rest/contract/rest-error.ts';
import type { ResponsePath } from '../execution/execution.ts';
import { isPromise } from '../execution/json.ts';
import { locatedAt } from '../execution/located-error.ts';
import { asPlainAs } from '../execution/plain.ts';
import { limitExceeded } from './errors.ts';

/** The most errors in one response. */
const MAX_ERRORS = 1000;

/** The most characters of all messages, and of all names in paths. Both can be as long as a request. */
const MAX_CHARACTERS = 2 ** 16;

/** Counts the errors of one operation. Errors beyond a limit are not created. */
export class OperationErrors {
  /** The number of omitted errors. Only it changes the number. */
  omitted = 0;
  #admitted = 0;
  #messageCharacters = 0;
  #pathCharacters = 0;

  /** The limit that is reached. */
  get limit(): string {
    return this.#admitted >= MAX_ERRORS ? `${MAX_ERRORS} errors` : `${MAX_CHARACTERS} characters of errors`;
  }

  /** Whether a limit is reached, so that further errors are only counted. */
  get isFull(): boolean {
    return (
      this.#admitted >= MAX_ERRORS ||
      this.#messageCharacters >= MAX_CHARACTERS ||
      this.#pathCharacters >= MAX_CHARACTERS
    );
  }

  /**
   * Counts an error. Returns whether it may be created. The last one may exceed the limit of characters.
   *
   * @param keys the path, in any order
   */
  admit(message: string, keys: Iterable<string | number>): boolean {
    if (this.isFull) {
      this.omitted += 1;
      return false;
    }
    this.#admitted += 1;
    this.#messageCharacters += message.length;
    for (const key of keys) if (typeof key === 'string') this.#pathCharacters += key.length;
    return true;
  }

  /** Counts omitted errors. */
  omit(count: number): void {
    this.omitted += count;
  }
}

/** The keys of a path, from its end. */
function* keysOf(path: ResponsePath): Iterable<string | number> {
  for (let part: ResponsePath | undefined = path; part !== undefined; part = part.prev) yield part.key;
}

/**
 * Limits the errors of resolvers, because GraphQL execution creates an error with a path for each, which takes much longer
 * than a field. Beyond the limit, a nullable field becomes null, and its error is only counted.
 */
export function limitFieldErrors(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      if (!isNonNullType(field.type)) {
        field.resolve = asPlainAs(limited(resolve ?? defaultFieldResolver, field.type), resolve, field.name);
      } else if (isListType(field.type.ofType)) {
        field.resolve = limitedItems(resolve ?? defaultFieldResolver, field.type.ofType);
      }
    }
  }
}

/** The part of the operation's context that is needed here. */
interface CountsErrors {
  readonly errors: OperationErrors;
}

type Resolver = GraphQLFieldResolver<unknown, CountsErrors>;

/** Where an error is: a field, or an item of its list. */
interface Position {
  readonly info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;
  readonly index?: number;
}

function limited(resolve: Resolver, type: GraphQLOutputType): Resolver {
  const inner = isListType(type) ? limitedItems(resolve, type) : resolve;
  return (source, args, context, info) => {
    try {
      return limitValue(inner(source, args, context, info), context, { info });
    } catch (error) {
      return throwOrNull(error, context, { info });
    }
  };
}

/** The same for the items of a list, if they are nullable. */
function limitedItems(resolve: Resolver, type: GraphQLOutputType): Resolver {
  if (!isListType(type) || isNonNullType(type.ofType)) return resolve;
  const limitItems = (list: unknown, context: CountsErrors, info: Position['info']) =>
    Array.isArray(list) && list.some((item) => item instanceof Error || isPromise(item))
      ? list.map((item, index) => limitValue(item, context, { info, index }))
      : list;
  return (source, args, context, info) => {
    const list = resolve(source, args, context, info);
    return isPromise(list) ? list.then((items) => limitItems(items, context, info)) : limitItems(list, context, info);
  };
}

/** The value, or null instead of an omitted error. */
function limitValue(value: unknown, context: CountsErrors, position: Position): unknown {
  if (value instanceof Error) return admitted(value, context, position) ?? null;
  if (!isPromise(value)) return value;
  return value.then(
    (settled) => limitValue(settled, context, position),
    (error) => throwOrNull(error, context, position),
  );
}

/** @throws the error, unless it is omitted */
function throwOrNull(error: unknown, context: CountsErrors, position: Position): null {
  const thrown = admitted(error as Error, context, position);
  if (thrown !== undefined) throw thrown;
  return null;
}

/** The error at its position. Undefined if it is omitted. */
function admitted(error: Error, { errors }: CountsErrors, { info: { fieldNodes, path }, index }: Position) {
  if (!errors.admit(error.message, keysOf(path))) return undefined;
  const keys = responsePathAsArray(path);
  return locatedAt(error, fieldNodes, index === undefined ? keys : [...keys, index]);
}

/**
 * Changes a list of errors in place. A document that the parser rejected as too large or too deep gets the error of its
 * limit. Errors beyond the limit are removed and counted.
 */
export function limitErrors(
  list: GraphQLError[],
  { tokens }: { readonly tokens: number },
  errors: OperationErrors,
): void {
  const [first] = list;
  if (first?.extensions.code === 'GRAPHQL_PARSE_FAILED') {
    if (first.message.startsWith('Syntax Error: Document contains more tha')) {
      list[0] = limitExceeded(`The document has more than ${tokens} tokens (MAX_DOCUMENT_TOKENS).`, 400);
    } else if (isStackOverflow(first)) {
      list[0] = limitExceeded('The document is nested too deeply to be parsed.', 400);
    }
  }
  const counted = new OperationErrors();
  const excess = list.findIndex(({ message, path = [] }) => !counted.admit(message, path));
  if (excess >= 0) errors.omit(list.splice(excess).length);
}

/** The error that says how many errors are omitted. */
export function omittedErrors({ omitted, limit }: OperationErrors): GraphQLError {
  return limitExceeded(`A response has at most ${limit}; ${omitted} more are omitted.`);
}

/** The parser is recursive: a deep document overflows the stack. */
function isStackOverflow(error: Error | undefined): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof GraphQLError && isStackOverflow(error.originalError);
}

type Field = Pick<GraphQLResolveInfo, 'fieldNodes' | 'path'>;

/** The errors of one operation that no resolver throws. */
export class PartialErrors {
  /** Whether a variable could not be coerced, so that the operation was not executed. */
  variableCoercionFailed = false;
  /** The responses, each with the first field that uses it. */
  #used: Map<{ readonly omitted: boolean }, Field> | undefined;
  readonly #reported: GraphQLError[] = [];

  /**
   * Notes that a field uses responses. Whether list entries of them are omitted is known when they have been read. A resolver cannot
   * return data and an error, so each response with omissions becomes one error when the operation is done.
   */
  noteResponses(responses: readonly { readonly omitted: boolean }[], info: GraphQLResolveInfo): void {
    for (const response of responses) {
      this.#used ??= new Map();
      const known = this.#used.get(response);
      if (known === undefined || compareFields(info, known) < 0) this.#used.set(response, info);
    }
  }

  /** Reports the error of a field that has a value all the same. */
  report(error: GraphQLError, { fieldNodes, path }: Field): void {
    this.#reported.push(locatedAt(error, fieldNodes, responsePathAsArray(path)));
  }

  /** The reported errors, and one for each response with omissions, at the first field that uses it. */
  errorsWithData(): readonly GraphQLError[] {
    return this.#used === undefined ? this.#reported : [...this.#reported, ...this.omissions()];
  }

  /** One for each response with omissions that were found since this was asked last. */
  omissions(): readonly GraphQLError[] {
    if (this.#used === undefined) return [];
    const found = [...this.#used].filter(([{ omitted }]) => omitted);
    if (found.length === 0) return [];
    for (const [response] of found) this.#used?.delete(response);
    return toErrors(found.map(([, field]) => field));
  }
}

function toErrors(fields: readonly Field[]): GraphQLError[] {
  return fields.toSorted(compareFields).map(({ fieldNodes, path }) => {
    const originalError = new RestError('getDatasetResults', 'invalidResponse', { status: 200 });
    return new GraphQLError(originalError.message, {
      nodes: fieldNodes,
      path: responsePathAsArray(path),
      originalError,
    });
  });
}

/**
 * Compares two fields by their order in the document, and then in lists. The order of their resolution would depend on which
 * response arrives first.
 */
function compareFields(one: Field, other: Field): number {
  const offset = startOf(one) - startOf(other);
  if (offset !== 0) return offset;
  const path = responsePathAsArray(other.path);
  for (const [depth, step] of responsePathAsArray(one.path).entries()) {
    const otherStep = path[depth];
    if (step === otherStep) continue;
    if (typeof step === 'number' && typeof otherStep === 'number') return step - otherStep;
    return String(step) < String(otherStep) ? -1 : 1;
  }
  return 0;
}

function startOf({ fieldNodes }: Field): number {
  return fieldNodes[0]?.loc?.start ?? 0;
}
