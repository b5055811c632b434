import {
  type ASTNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { BoundedCache } from './bounded-cache.ts';
import { subfields } from './execution/compile.ts';
import { sizeOfSelections } from './selection-size.ts';

/** The operation that is being executed. */
type OperationInfo = Pick<GraphQLResolveInfo, 'operation' | 'fragments' | 'variableValues'>;

/** What a selection is compiled from. It holds nothing else of the request, because the compiled selection outlives that. */
export type SelectionSource = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'fieldNodes' | 'variableValues'>;

/** The limit of the cache in bytes, estimated. */
const MAX_CACHE_BYTES = 8 * 2 ** 20;
/** The estimated bytes of a field in all compiled forms, for each spread of its fragment; and of an operation without fields. */
const BYTES_PER_FIELD = 2_000;
const BYTES_PER_OPERATION = 2_000;

/**
 * The compiled selections of one operation, by kind and by the source positions of the fields. For example
 * `AssetSeries@57`, or `AssetSeries@57@120` for a field that is selected twice and merged.
 */
type Compiled = Map<string, unknown>;

/**
 * Caches compiled selections for all requests. A compiled selection depends only on the document and its `@skip` and
 * `@include`. It holds no value of an argument, and its key holds no other value of a variable.
 */
class SelectionCache {
  /** By operation and conditions. */
  readonly #operations = new BoundedCache<Compiled>(MAX_CACHE_BYTES);
  readonly #known = new WeakMap<OperationDefinitionNode, { readonly id: number; readonly conditions: string[] }>();
  #ids = 0;

  /** The compiled selections of an operation, under the conditions of a request. */
  of(info: OperationInfo): Compiled {
    const { operation, fragments, variableValues } = info;
    const known = this.#knownOperation(info);
    let key = String(known.id);
    for (const name of known.conditions) key += signOf(variableValues[name]);
    const found = this.#operations.get(key);
    if (found !== undefined) return found;
    const { fields } = sizeOfSelections(operation.selectionSet, Object.values(fragments));
    const compiled: Compiled = new Map();
    this.#operations.add(key, compiled, BYTES_PER_OPERATION + 2 * key.length + fields * BYTES_PER_FIELD);
    return compiled;
  }

  /** The variables in `@skip` and `@include` of an operation, with their values. */
  conditionsOf(info: OperationInfo): Record<string, unknown> {
    const { conditions } = this.#knownOperation(info);
    return Object.fromEntries(conditions.map((name) => [name, info.variableValues[name]]));
  }

  #knownOperation({ operation, fragments }: OperationInfo): { readonly id: number; readonly conditions: string[] } {
    let known = this.#known.get(operation);
    if (known === undefined) {
      this.#ids += 1;
      known = { id: this.#ids, conditions: conditionsIn(operation, fragments) };
      this.#known.set(operation, known);
    }
    return known;
  }
}

const cache = new SelectionCache();

/** The compiled selections of one request, and the same bound to its variables. */
export class Selections {
  #compiled: Compiled | undefined;
  readonly #bound = new Map<object, unknown>();

  /**
   * The compiled selection of the field that is being resolved.
   *
   * @param kind the kind of the compiled selection
   */
  get<T>(kind: string, info: GraphQLResolveInfo, compile: (source: SelectionSource) => T): T {
    this.#compiled ??= cache.of(info);
    let key = kind;
    for (const { loc } of info.fieldNodes) key += `@${loc?.start}`;
    return getOrAdd(this.#compiled, key, () => compile(sourceOf(info))) as T;
  }

  /** The compiled form of the whole operation. `compile` gets the variables in `@skip` and `@include`. */
  ofOperation<T>(info: OperationInfo, compile: (conditions: Record<string, unknown>) => T): T {
    this.#compiled ??= cache.of(info);
    return getOrAdd(this.#compiled, 'operation', () => compile(cache.conditionsOf(info))) as T;
  }

  /**
   * Checks that no condition in the selection of a field is null. So a field that the fast path can write fails as a whole
   * and on both paths alike, and what is compiled for it never meets the null.
   *
   * @throws GraphQLError if a variable in `@skip` or `@include` is null
   */
  checkConditions(info: GraphQLResolveInfo): void {
    if (Object.values(cache.conditionsOf(info)).includes(null))
      evaluateConditions(info.returnType, info.fieldNodes, info);
  }

  /** Binds a compiled selection to the variables of this request. Once for all objects. */
  bind<C extends object, T>(compiled: C, bind: (compiled: C) => T): T {
    return getOrAdd<object, unknown>(this.#bound, compiled, () => bind(compiled)) as T;
  }
}

/** Evaluates all conditions in a selection, as execution would. */
function evaluateConditions(type: GraphQLOutputType, nodes: readonly FieldNode[], info: GraphQLResolveInfo): void {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return;
  const { schema, fragments, variableValues } = info;
  for (const object of isAbstractType(named) ? schema.getPossibleTypes(named) : [named]) {
    for (const fields of subfields({ schema, fragments }, variableValues, object, nodes)) {
      const definition = object.getFields()[fields[0]?.name.value ?? ''];
      if (definition !== undefined) evaluateConditions(definition.type, fields, info);
    }
  }
}

/** The variables are those in `@skip` and `@include`. */
function sourceOf(info: GraphQLResolveInfo): SelectionSource {
  const { schema, fragments, fieldNodes } = info;
  return { schema, fragments, fieldNodes, variableValues: cache.conditionsOf(info) };
}

/**
 * The sign of a condition in a key. It is no digit, because it follows the number of the operation. Null is neither true nor
 * false: it is possible for a variable with a default value, and an error where it is evaluated.
 */
function signOf(condition: unknown): string {
  if (condition === null) return '?';
  return condition === true ? '+' : '-';
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

/** The names of the variables in `@skip` and `@include`, the only directives of a query. */
function conditionsIn(operation: OperationDefinitionNode, fragments: Record<string, FragmentDefinitionNode>): string[] {
  const names = new Set<string>();
  const collect = (root: ASTNode) =>
    visit(root, {
      [Kind.DIRECTIVE]: ({ arguments: args = [] }) => {
        for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      },
    });
  collect(operation.selectionSet);
  for (const fragment of Object.values(fragments)) collect(fragment);
  return [...names];
}
