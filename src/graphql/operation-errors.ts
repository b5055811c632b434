import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLSchema,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** The most errors in one response. */
export const MAX_ERRORS = 1000;

/** Counts the errors of one operation, so that those that would not be sent are not made. */
export class OperationErrors {
  #made = 0;
  #omitted = 0;

  /** How many were not made, or left out. */
  get omitted(): number {
    return this.#omitted;
  }

  /** Whether further errors are only counted. */
  get isFull(): boolean {
    return this.#made >= MAX_ERRORS;
  }

  /** Counts an error; whether it may be made. */
  admit(): boolean {
    if (this.isFull) {
      this.#omitted += 1;
      return false;
    }
    this.#made += 1;
    return true;
  }

  /** Counts errors that are not made. */
  omit(count: number): void {
    this.#omitted += count;
  }
}

/**
 * Bounds the errors that resolvers cause: GraphQL execution makes an error with a path for each of them, which takes much
 * longer than a field. Beyond the limit a field that may be null is null, and its error is counted.
 */
export function limitFieldErrors(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isNonNullType(field.type)) field.resolve = limited(field.resolve ?? defaultFieldResolver, field.type);
      else if (isListType(field.type.ofType)) {
        field.resolve = limitedItems(field.resolve ?? defaultFieldResolver, field.type.ofType);
      }
    }
  }
}

/** What the context of an operation has for this. */
interface CountsErrors {
  readonly errors: OperationErrors;
}

type Resolver = GraphQLFieldResolver<unknown, CountsErrors>;

function limited(resolve: Resolver, type: GraphQLOutputType): Resolver {
  const inner = isListType(type) ? limitedItems(resolve, type) : resolve;
  return (source, args, context, info) => {
    try {
      return limitValue(inner(source, args, context, info), context);
    } catch (error) {
      return nullUnless(error, context);
    }
  };
}

/** The same for the items of a list, where they may be null. */
function limitedItems(resolve: Resolver, type: GraphQLOutputType): Resolver {
  if (!isListType(type) || isNonNullType(type.ofType)) return resolve;
  const limitItems = (list: unknown, context: CountsErrors) =>
    Array.isArray(list) && list.some((item) => item instanceof Error || isPromise(item))
      ? list.map((item) => limitValue(item, context))
      : list;
  return (source, args, context, info) => {
    const list = resolve(source, args, context, info);
    return isPromise(list) ? list.then((items) => limitItems(items, context)) : limitItems(list, context);
  };
}

/** The value, or null in place of an error that would not be sent. */
function limitValue(value: unknown, context: CountsErrors): unknown {
  if (value instanceof Error) return context.errors.admit() ? value : null;
  if (!isPromise(value)) return value;
  return value.then(
    (settled) => limitValue(settled, context),
    (error) => nullUnless(error, context),
  );
}

/** @throws the error, where it may be made */
function nullUnless(error: unknown, { errors }: CountsErrors): null {
  if (errors.admit()) throw error;
  return null;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value;
}
