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
import { isPromise } from './execution/execution.ts';

/** The most errors in one response. */
export const MAX_ERRORS = 1000;

/** Counts the errors of one operation. Errors beyond the limit are not created. */
export class OperationErrors {
  #admitted = 0;
  #omitted = 0;

  /** The number of omitted errors. */
  get omitted(): number {
    return this.#omitted;
  }

  /** Whether the limit is reached, so that further errors are only counted. */
  get isFull(): boolean {
    return this.#admitted >= MAX_ERRORS;
  }

  /** Counts an error. Returns whether it may be created. */
  admit(): boolean {
    if (this.isFull) {
      this.#omitted += 1;
      return false;
    }
    this.#admitted += 1;
    return true;
  }

  /** Counts omitted errors. */
  omit(count: number): void {
    this.#omitted += count;
  }
}

/**
 * Limits the errors of resolvers, because GraphQL execution creates an error with a path for each, which takes much longer
 * than a field. Beyond the limit, a nullable field becomes null, and its error is only counted.
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

/** The part of the operation's context that is needed here. */
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
      return throwOrNull(error, context);
    }
  };
}

/** The same for the items of a list, if they are nullable. */
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

/** The value, or null instead of an omitted error. */
function limitValue(value: unknown, context: CountsErrors): unknown {
  if (value instanceof Error) return context.errors.admit() ? value : null;
  if (!isPromise(value)) return value;
  return value.then(
    (settled) => limitValue(settled, context),
    (error) => throwOrNull(error, context),
  );
}

/** @throws the error, unless it is omitted */
function throwOrNull(error: unknown, { errors }: CountsErrors): null {
  if (errors.admit()) throw error;
  return null;
}
