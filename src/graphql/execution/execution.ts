import {
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  responsePathAsArray,
} from 'graphql';
import { isPromise, type Json, joined, NULL } from './json.ts';
import { locatedAt } from './located-error.ts';

/** An operation to execute. */
export type OperationInfo = Pick<GraphQLResolveInfo, 'schema' | 'operation' | 'fragments' | 'variableValues'>;

export type ResponsePath = GraphQLResolveInfo['path'];

/** The fields of a selection on objects of one type, merged, in the order of the response. */
export type CompiledFields = readonly CompiledField[];

/** A field of a selection, with everything that does not depend on the request. */
export interface CompiledField {
  /** The alias, or else the name. */
  readonly key: string;
  /** Its nodes in the document, for resolvers and errors. */
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** The JSON before its value: the key, after a comma if another field precedes it. */
  readonly prefix: string;
  /** @throws GraphQLError if an argument is invalid */
  argumentsFor(variables: OperationInfo['variableValues']): Record<string, unknown>;
  /** Resolves it. */
  readonly resolve: NonNullable<GraphQLField<unknown, unknown>['resolve']>;
  readonly isNonNull: boolean;
  /** What is selected on the objects that it returns. */
  readonly selections: SelectionsByType;
  /** Writes most of its values at once (plain.ts). Undefined where the field must be resolved and completed. */
  readonly text: Text | undefined;
  /** Writes its value. @throws if the value is not one of the field's type */
  readonly complete: Complete;
}

/** The selections of one field on objects of each type that it can return. */
export interface SelectionsByType {
  on(type: GraphQLObjectType): CompiledFields;
}

/** Writes a value of a field. Undefined if it must be resolved and completed. */
export type Text = (
  source: unknown,
  variables: OperationInfo['variableValues'],
  field: CompiledField,
) => string | undefined;

/** Completes a value (GraphQL specification, section 6.4.3). Throws, or rejects, if its position is null because of an error. */
export type Complete = (info: FieldInfo, path: ResponsePath, value: unknown) => Json | Promise<Json>;

/** One execution of a compiled operation. */
export class Execution {
  readonly info: OperationInfo;
  /** The context that the resolvers get. */
  readonly context: unknown;
  /** The errors so far. */
  readonly errors: GraphQLError[] = [];
  /** The positions that are null because of an error. */
  #nulled: Set<ResponsePath | undefined> | undefined;

  constructor(info: OperationInfo, context: unknown) {
    this.info = info;
    this.context = context;
  }

  /** Executes the root fields. Returns the JSON of `data`. @param fields may throw a GraphQLError */
  run(fields: () => CompiledFields): Json | Promise<Json> {
    const fail = (error: GraphQLError) => {
      this.#add(error, undefined);
      return NULL;
    };
    try {
      const json = this.fields(fields(), undefined, undefined);
      return isPromise(json) ? json.then(undefined, fail) : json;
    } catch (error) {
      return fail(error as GraphQLError);
    }
  }

  /** Executes the selected fields of an object (GraphQL specification, section 6.3). Returns the JSON of the object. */
  fields(fields: CompiledFields, source: unknown, path: ResponsePath | undefined): Json | Promise<Json> {
    let text = '{';
    let parts: (Json | Promise<Json>)[] | undefined;
    const { variableValues } = this.info;
    try {
      for (const field of fields) {
        const json = field.text?.(source, variableValues, field) ?? this.#field(field, source, path);
        text += field.prefix;
        if (typeof json === 'string') text += json;
        else {
          parts ??= [];
          parts.push(text, json);
          text = '';
        }
      }
    } catch (error) {
      if (parts?.some(isPromise) !== true) throw error;
      // The other fields complete first, because they may report errors too. graphql-js takes as many microtasks for it.
      const others = Promise.all(parts).then(() => {});
      return others.finally(() => {
        throw error;
      }) as Promise<never>;
    }
    return joined(parts, `${text}}`);
  }

  /**
   * Reports the error of a field, or of an item of its list. Returns null.
   *
   * @throws GraphQLError the same error if the position is non-null, so that its parent becomes null
   */
  #fail(thrown: unknown, nodes: readonly FieldNode[], path: ResponsePath, isNonNull: boolean): string {
    const error = locatedAt(thrown, nodes, responsePathAsArray(path));
    if (isNonNull) throw error;
    this.#add(error, path);
    return NULL;
  }

  /** Completes the value of a field or of an item of its list, or a promise of it. Its error makes it null. */
  settle(
    info: FieldInfo,
    path: ResponsePath,
    value: unknown,
    complete: Complete,
    isNonNull: boolean,
  ): Json | Promise<Json> {
    try {
      const json = isPromise(value)
        ? value.then((resolved) => complete(info, path, resolved))
        : complete(info, path, value);
      if (!isPromise(json)) return json;
      return json.then(undefined, (error) => this.#fail(error, info.field.nodes, path, isNonNull));
    } catch (error) {
      return this.#fail(error, info.field.nodes, path, isNonNull);
    }
  }

  /** The JSON of a field whose value is known, and has no promises. */
  valueOf(field: CompiledField, value: unknown): string {
    const info = new FieldInfo(this, field, undefined);
    const json = this.settle(info, info, value, field.complete, field.isNonNull);
    if (typeof json !== 'string') throw new Error('A known value waits for something.');
    return json;
  }

  /** Resolves a field and completes its value. */
  #field(field: CompiledField, source: unknown, parent: ResponsePath | undefined): Json | Promise<Json> {
    const info = new FieldInfo(this, field, parent);
    let value: unknown;
    try {
      value = field.resolve(source, field.argumentsFor(this.info.variableValues), this.context, info);
    } catch (error) {
      return this.#fail(error, field.nodes, info, field.isNonNull);
    }
    return this.settle(info, info, value, field.complete, field.isNonNull);
  }

  /** Adds an error unless its position or a parent of it is already null because of one. */
  #add(error: GraphQLError, path: ResponsePath | undefined): void {
    this.#nulled ??= new Set();
    if (this.#nulled.has(undefined)) return;
    for (let part = path; part !== undefined; part = part.prev) if (this.#nulled.has(part)) return;
    this.#nulled.add(path);
    this.errors.push(error);
  }
}

/**
 * What a resolver learns about its field. It is the path of the field as well, and its other properties are getters, because
 * there is one for each value, and few resolvers read it.
 */
export class FieldInfo implements GraphQLResolveInfo, ResponsePath {
  readonly execution: Execution;
  readonly field: CompiledField;
  readonly prev: ResponsePath | undefined;

  /** @param prev the path of the object */
  constructor(execution: Execution, field: CompiledField, prev: ResponsePath | undefined) {
    this.execution = execution;
    this.field = field;
    this.prev = prev;
  }

  get key() {
    return this.field.key;
  }
  get typename() {
    return this.field.parentType.name;
  }
  get path() {
    return this;
  }
  get fieldNodes() {
    return this.field.nodes;
  }
  get fieldName() {
    return this.field.definition.name;
  }
  get returnType() {
    return this.field.definition.type;
  }
  get parentType() {
    return this.field.parentType;
  }
  get schema() {
    return this.execution.info.schema;
  }
  get fragments() {
    return this.execution.info.fragments;
  }
  get rootValue() {
    return undefined;
  }
  get operation() {
    return this.execution.info.operation;
  }
  get variableValues() {
    return this.execution.info.variableValues;
  }
}
