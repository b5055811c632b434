import {
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';

type Variables = Readonly<Record<string, unknown>>;

/** An object with more keys is not looked at any further. No input type has nearly as many fields. */
const MAX_KEYS = 100;
/** What an error may quote: the characters of a text, the keys of an object, and levels. */
const MAX_QUOTED_CHARACTERS = 200;
const MAX_QUOTED_KEYS = 10;
const MAX_QUOTED_LEVELS = 5;

/** The types whose values are any texts. */
const textTypes: ReadonlySet<string> = new Set(['ID', 'String']);

/** The scalar of entity representations is the only one whose values are objects. */
const REPRESENTATION = '_Any';

/**
 * Coerces the variables of a request (GraphQL specification, section 6.1.2). Undefined if any is invalid. It ends at the
 * first error.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Variables,
): Record<string, unknown> | undefined {
  const texts = textsOf(variableDefinitions, variables);
  if (texts !== undefined) return texts;
  for (const { type: node, variable } of variableDefinitions) {
    const type = typeFromAST(schema, node);
    if (type !== undefined && exceedsKeys(type as GraphQLInputType, variables[variable.name.value])) return undefined;
  }
  return getVariableValues(schema, variableDefinitions, variables, { maxErrors: 0 }).coerced;
}

/** The variables, if each of them is a text and has the type of one: they need no coercion. */
function textsOf(
  definitions: readonly VariableDefinitionNode[],
  variables: Variables,
): Record<string, string> | undefined {
  const texts: Record<string, string> = {};
  for (const { type, variable } of definitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    const name = variable.name.value;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (named.kind !== Kind.NAMED_TYPE || !textTypes.has(named.name.value) || typeof value !== 'string')
      return undefined;
    texts[name] = value;
  }
  return texts;
}

/**
 * Invalid variables with their long parts cut, so that they are still invalid, and short where errors quote them: graphql-js
 * makes an error for each unknown key of an object, and each quotes the whole object.
 */
export function shortened({ variableDefinitions = [] }: OperationDefinitionNode, variables: Variables): Variables {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable: { name } }) =>
      Object.hasOwn(variables, name.value) ? [[name.value, shorten(variables[name.value], MAX_QUOTED_LEVELS)]] : [],
    ),
  );
}

/** Whether a value has an object with too many keys, or an object in place of a scalar. */
function exceedsKeys(type: GraphQLInputType, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isNonNullType(type)) return exceedsKeys(type.ofType, value);
  if (isListType(type)) {
    const { ofType } = type;
    return Array.isArray(value) ? value.some((item) => exceedsKeys(ofType, item)) : exceedsKeys(ofType, value);
  }
  if (isScalarType(type)) return type.name !== REPRESENTATION;
  if (!isInputObjectType(type)) return true;
  let keys = 0;
  for (const _ in value) {
    keys += 1;
    if (keys > MAX_KEYS) return true;
  }
  const fields = Object.values(type.getFields());
  return fields.some((field) => exceedsKeys(field.type, (value as Record<string, unknown>)[field.name]));
}

function shorten(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return Array.isArray(value) ? [] : {};
  if (Array.isArray(value)) return value.map((item) => shorten(item, levels - 1));
  const short: [string, unknown][] = [];
  for (const key in value) {
    short.push([cut(key), shorten((value as Record<string, unknown>)[key], levels - 1)]);
    if (short.length === MAX_QUOTED_KEYS) break;
  }
  // Also a key `__proto__` becomes a property.
  return Object.fromEntries(short);
}

/** The start of a text, with an ellipsis if it is cut. */
function cut(text: string): string {
  return text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
}
