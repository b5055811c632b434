import type { GraphQLResolveInfo } from 'graphql';

/** A value whose JSON is written while the response is sent. */
export class Placeholder {
  readonly info: Pick<GraphQLResolveInfo, 'path' | 'fieldNodes'>;
  /** What writes it. Execution does not know what that is. */
  readonly write: unknown;

  constructor(info: Placeholder['info'], write: unknown) {
    this.info = info;
    this.write = write;
  }
}

/** The JSON of a value: a text; or texts and placeholders in turn, with a text at both ends. */
export type Json = string | readonly (string | Placeholder)[];

/** The JSON of null, also in place of a value with an error. */
export const NULL = 'null';

/** Whether it has a method `then`, as far as GraphQL execution looks. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value;
}

/** The JSON of a placeholder. */
export function jsonOf(placeholder: Placeholder): Json {
  return ['', placeholder, ''];
}

/**
 * Joins the parts of an object or a list. The promise rejects with the first rejection of a part.
 *
 * @param parts texts, and what is no text, in turn; undefined if all of it is in `end`
 * @param end the text after them
 */
export function joined(parts: readonly (Json | Promise<Json>)[] | undefined, end: string): Json | Promise<Json> {
  if (parts === undefined) return end;
  const [start, only] = parts;
  // Most objects have one promise.
  if (parts.length === 2 && isPromise(only)) {
    return only.then((json) =>
      typeof json === 'string' ? `${start}${json}${end}` : flat([start as string, json], end),
    );
  }
  return parts.some(isPromise) ? Promise.all(parts).then((all) => flat(all, end)) : flat(parts as readonly Json[], end);
}

function flat(parts: readonly Json[], end: string): Json {
  let all: (string | Placeholder)[] | undefined;
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    all ??= [];
    for (const each of part) {
      if (typeof each === 'string') text += each;
      else {
        all.push(text, each);
        text = '';
      }
    }
  }
  text += end;
  all?.push(text);
  return all ?? text;
}

/** The JSON of data of graphql-js that has placeholders. */
export function jsonOfData(value: unknown): Json {
  if (value instanceof Placeholder) return jsonOf(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts: Json[] = [];
  for (const [key, part] of Object.entries(value)) {
    const comma = parts.length === 0 ? '' : ',';
    parts.push(isList ? comma : `${comma}${JSON.stringify(key)}:`, jsonOfData(part));
  }
  return flat([isList ? '[' : '{', ...parts], isList ? ']' : '}');
}
