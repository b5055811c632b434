import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Complete, FieldInfo, ResponsePath } from './execution.ts';
import { isPromise, type Json, joined, jsonOf, NULL, Placeholder } from './json.ts';

/** How the values of a type are completed. What is selected on objects is that of the field. */
export function completionOf(type: GraphQLOutputType): Complete {
  if (isNonNullType(type)) return nonNull(completionOf(type.ofType));
  return nullable(isListType(type) ? list(type.ofType) : named(type));
}

function named(type: Exclude<GraphQLOutputType, { ofType: unknown }>): Complete {
  if (isLeafType(type)) return leaf(type);
  if (isAbstractType(type)) return abstract(type);
  return (info, path, value) => info.execution.fields(info.field.selections.on(type), value, path);
}

function nonNull(complete: Complete): Complete {
  return (info, path, value) => {
    const json = complete(info, path, value);
    if (json !== NULL) return json;
    throw new Error(`Cannot return null for non-nullable field ${info.parentType.name}.${info.fieldName}.`);
  };
}

function nullable(complete: Complete): Complete {
  return (info, path, value) => {
    if (value === null || value === undefined) return NULL;
    if (value instanceof Error) throw value;
    return value instanceof Placeholder ? jsonOf(value) : complete(info, path, value);
  };
}

/** A text without a character that JSON.stringify escapes, or might: a control character, a quote, a backslash, a surrogate. */
const unescaped = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

function leaf(type: GraphQLLeafType): Complete {
  const json = leafJson(type);
  return (_info, _path, value) => json(value);
}

/** Compiles the JSON of the values of a scalar or an enum. It throws if a value is none of the type. */
export function leafJson(type: GraphQLLeafType): (value: unknown) => string {
  return (value) => {
    const serialized = type.serialize(value);
    if (typeof serialized === 'string' && unescaped.test(serialized)) return `"${serialized}"`;
    const json = JSON.stringify(serialized);
    if (json === undefined || json === NULL) throw new Error(`A value of ${type.name} has no result.`);
    return json;
  };
}

function list(itemType: GraphQLOutputType): Complete {
  const complete = completionOf(itemType);
  const isNonNull = isNonNullType(itemType);
  return (info, path, items) => {
    let text = '[';
    let parts: (Json | Promise<Json>)[] | undefined;
    let index = 0;
    try {
      for (const item of items as Iterable<unknown>) {
        const itemPath = { prev: path, key: index, typename: undefined };
        const json = info.execution.settle(info, itemPath, item, complete, isNonNull);
        if (index > 0) text += ',';
        index += 1;
        if (typeof json === 'string') text += json;
        else {
          parts ??= [];
          parts.push(text, json);
          text = '';
        }
      }
    } catch (error) {
      // The list is null because of it, so the errors of other items do not count.
      for (const part of parts ?? []) if (isPromise(part)) part.catch(() => {});
      throw error;
    }
    return joined(parts, `${text}]`);
  };
}

/** Completes objects of the types of an interface or union (GraphQL specification, section 6.4.3, ResolveAbstractType). */
function abstract(type: GraphQLAbstractType): Complete {
  const resolveType = type.resolveType ?? defaultTypeResolver;
  const complete = (info: FieldInfo, path: ResponsePath, value: unknown, name: string | undefined) => {
    const found = name === undefined ? undefined : info.schema.getType(name);
    if (!isObjectType(found) || !info.schema.isSubType(type, found)) {
      throw new Error(`An object of ${type.name} is of the type ${name}.`);
    }
    return info.execution.fields(info.field.selections.on(found), value, path);
  };
  return (info, path, value) => {
    const name = resolveType(value, info.execution.context, info, type);
    return isPromise(name)
      ? name.then((resolved) => complete(info, path, value, resolved))
      : complete(info, path, value, name);
  };
}
