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
import { subfields } from '../execution/compile.ts';

/** The operation that is being executed. */
type OperationInfo = Pick<GraphQLResolveInfo, 'operation' | 'fragments' | 'variableValues'>;

/** What a selection is compiled from. It holds nothing else of the request, because the compiled selection outlives that. */
export type SelectionSource = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'fieldNodes' | 'variableValues'>;

/**
 * The compiled selections of one operation, by kind and by the source position of the field, for example 57, or `57@120` for a
 * field that is selected twice and merged.
 */
export type Compiled = Map<string, Map<number | string, unknown>>;

/** The names of the variables in `@skip` and `@include`, by operation. */
const conditionNames = new WeakMap<OperationDefinitionNode, readonly string[]>();

/** The variables in `@skip` and `@include` of an operation, with their values. */
export function conditionsOf({ operation, fragments, variableValues }: OperationInfo): Record<string, unknown> {
  let names = conditionNames.get(operation);
  if (names === undefined) {
    names = conditionsIn(operation, fragments);
    conditionNames.set(operation, names);
  }
  return Object.fromEntries(names.map((name) => [name, variableValues[name]]));
}

/**
 * The compiled selections of one request, and the same bound to its variables. A compiled selection depends only on the
 * document and its `@skip` and `@include`. It holds no value of any other variable, so a known document keeps it for further
 * requests.
 */
export class Selections {
  #compiled: Compiled = new Map();
  readonly #bound = new Map<object, unknown>();

  /** Uses what is compiled for a known document. */
  use(compiled: Compiled): void {
    this.#compiled = compiled;
  }

  /**
   * The compiled selection of the field that is being resolved.
   *
   * @param kind the kind of the compiled selection
   */
  get<T>(kind: string, info: GraphQLResolveInfo, compile: (source: SelectionSource) => T): T {
    return getOrAdd(this.#ofKind(kind), positionOf(info.fieldNodes), () => compile(sourceOf(info))) as T;
  }

  /** The compiled form of the whole operation. `compile` gets the variables in `@skip` and `@include`. */
  ofOperation<T>(info: OperationInfo, compile: (conditions: Record<string, unknown>) => T): T {
    return getOrAdd(this.#ofKind('operation'), 0, () => compile(conditionsOf(info))) as T;
  }

  #ofKind(kind: string): Map<number | string, unknown> {
    return getOrAdd(this.#compiled, kind, () => new Map());
  }

  /**
   * Checks that no condition in the selection of a field is null. So a field that the fast path can write fails as a whole
   * and on both paths alike, and what is compiled for it never meets the null.
   *
   * @throws GraphQLError if a variable in `@skip` or `@include` is null
   */
  checkConditions(info: GraphQLResolveInfo): void {
    if (Object.values(conditionsOf(info)).includes(null)) evaluateConditions(info.returnType, info.fieldNodes, info);
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

function positionOf(nodes: readonly FieldNode[]): number | string {
  const [node] = nodes;
  return nodes.length === 1 ? (node?.loc?.start ?? -1) : nodes.map(({ loc }) => loc?.start).join('@');
}

/** The variables are those in `@skip` and `@include`. */
function sourceOf(info: GraphQLResolveInfo): SelectionSource {
  const { schema, fragments, fieldNodes } = info;
  return { schema, fragments, fieldNodes, variableValues: conditionsOf(info) };
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
