import { type ASTNode, type ASTVisitor, type FieldNode, type GraphQLResolveInfo, Kind, visit } from 'graphql';

/** How many sets of merged fields are told apart for one field, and how many values of their variables for one set. */
const MOST_ENTRIES = 32;

/** A set of merged fields: the variables that their plans depend on, and the plans by the values of these. */
interface MergedFields<Plan> {
  readonly variables: readonly string[];
  readonly plans: Map<string, Plan>;
}

/** On which variables in a selection a plan depends: on all, or on those of the conditions `@skip` and `@include`. */
type Dependence = 'variables' | 'conditions';

/**
 * Plans made from selections, kept as long as the document that they stand in, which the GraphQL server keeps in a
 * bounded cache. A plan depends on the selection and on the values of variables in it, and on nothing of a caller.
 */
export class PlanCache<Plan> {
  readonly #fields = new WeakMap<FieldNode, Map<string, MergedFields<Plan>>>();
  readonly #dependence: Dependence;

  constructor(dependence: Dependence) {
    this.#dependence = dependence;
  }

  /** The plan for the field that is being resolved. What `make` throws is not kept. */
  get(info: GraphQLResolveInfo, make: () => Plan): Plan {
    const [first] = info.fieldNodes;
    if (first === undefined) return make();
    const merged = this.#fields.get(first) ?? new Map<string, MergedFields<Plan>>();
    this.#fields.set(first, merged);
    const places = info.fieldNodes.length === 1 ? '' : info.fieldNodes.map(({ loc }) => loc?.start).join();
    const { variables, plans } = getOrAdd(merged, places, () => ({
      variables: variablesIn(info, this.#dependence),
      plans: new Map(),
    }));
    return getOrAdd(plans, valuesOf(variables, info), make);
  }
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (map.size >= MOST_ENTRIES) map.clear();
  map.set(key, value);
  return value;
}

function valuesOf(variables: readonly string[], { variableValues }: GraphQLResolveInfo): string {
  if (variables.length === 0) return '';
  // An absent variable is not a null one: an argument may have a default.
  const values = variables.map((name) => (name in variableValues ? [variableValues[name]] : []));
  return JSON.stringify(values, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** The names of the variables in the selection of a field, and in the fragments that it spreads. */
function variablesIn({ fieldNodes, fragments }: GraphQLResolveInfo, dependence: Dependence): string[] {
  const names = new Set<string>();
  const spread = new Set<string>();
  const collect: ASTVisitor = { [Kind.VARIABLE]: ({ name }) => void names.add(name.value) };
  const wanted: ASTVisitor =
    dependence === 'variables' ? collect : { [Kind.DIRECTIVE]: (directive) => void visit(directive, collect) };
  const look = (root: ASTNode) => {
    visit(root, {
      ...wanted,
      [Kind.FRAGMENT_SPREAD]: ({ name }) => {
        const fragment = fragments[name.value];
        if (spread.has(name.value) || fragment === undefined) return;
        spread.add(name.value);
        look(fragment);
      },
    });
  };
  for (const { selectionSet } of fieldNodes) if (selectionSet !== undefined) look(selectionSet);
  return [...names];
}
