import { type GraphQLField, isLeafType, isNonNullType, isObjectType } from 'graphql';
import { leafJson } from './completion.ts';
import type { CompiledFields, OperationInfo, Text } from './execution.ts';
import { isPromise, NULL } from './json.ts';

/**
 * A resolver that only reads its object: it needs no context, no info, and does nothing else. So it may be called twice, and
 * most values of small objects are written without what errors and promises need.
 */
export type PlainResolver = (source: never, args: never) => unknown;

const plainResolvers = new WeakMap<object, PlainResolver>();

/** Marks a resolver as one that only reads its object. */
export function plain<Resolver extends PlainResolver>(resolver: Resolver): Resolver {
  plainResolvers.set(resolver, resolver);
  return resolver;
}

/** Marks a resolver that calls another one, unless it is absent: then a field is the property with its name. */
export function asPlainAs<Wrapper extends object>(wrapper: Wrapper, inner: object | undefined, name: string): Wrapper {
  const resolver = inner === undefined ? propertyReader(name) : plainResolvers.get(inner);
  if (resolver !== undefined) plainResolvers.set(wrapper, resolver);
  return wrapper;
}

type Reader = (source: unknown, args: Record<string, unknown>) => unknown;

function propertyReader(name: string): PlainResolver {
  return (source: Readonly<Record<string, unknown>>) => source[name];
}

/**
 * The JSON of a field whose resolver only reads its object. It is undefined where the value is one that the ordinary way must
 * complete: an error, a promise, a null that must not be one, a list. Undefined if the field is none of that kind.
 */
export function plainText({ name, type, resolve }: GraphQLField<unknown, unknown>): Text | undefined {
  const read = (resolve === undefined ? propertyReader(name) : plainResolvers.get(resolve)) as Reader | undefined;
  if (read === undefined) return undefined;
  const nullJson = isNonNullType(type) ? undefined : NULL;
  const valueType = isNonNullType(type) ? type.ofType : type;
  const isObject = isObjectType(valueType);
  if (!isObject && !isLeafType(valueType)) return undefined;
  const write: Text = isObject
    ? (value, variables, field) => objectText(field.selections.on(valueType), value, variables)
    : leafJson(valueType);
  return (source, variables, field) => {
    try {
      const value = read(source, field.argumentsFor(variables));
      if (value === null || value === undefined) return nullJson;
      if (isObject !== (typeof value === 'object') || value instanceof Error || isPromise(value)) return undefined;
      return typeof value === 'function' ? undefined : write(value, variables, field);
    } catch {
      return undefined;
    }
  };
}

function objectText(
  fields: CompiledFields,
  source: unknown,
  variables: OperationInfo['variableValues'],
): string | undefined {
  let text = '{';
  for (const field of fields) {
    const json = field.text?.(source, variables, field);
    if (json === undefined) return undefined;
    text += field.prefix + json;
  }
  return `${text}}`;
}
