import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  isNonNullType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';
// What graphql-js itself executes, so that both agree also in odd cases.
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { completionOf } from './completion.ts';
import type { CompiledField, CompiledFields, OperationInfo, SelectionsByType } from './execution.ts';
import { plainText } from './plain.ts';

type Definition = GraphQLField<unknown, unknown>;

/** What the fields of an operation are compiled from. It holds no value of a variable except those in `@skip` and `@include`. */
interface Source extends Omit<OperationInfo, 'variableValues'> {
  readonly conditions: Conditions;
}

/** The variables in `@skip` and `@include`, with their values. Null is an error where such a directive is evaluated. */
export type Conditions = Readonly<Record<string, unknown>>;

/**
 * Compiles an operation: its root fields now, and the selections on objects of each type when the first of them is executed.
 *
 * @param info with only those variables that are in `@skip` and `@include`
 * @throws GraphQLError if a condition of a root field is null
 */
export function compileOperation({
  schema,
  operation,
  fragments,
  variableValues: conditions,
}: OperationInfo): CompiledFields {
  const source = { schema, operation, fragments, conditions };
  const type = schema.getQueryType();
  if (type === undefined || type === null) throw new Error('The schema has no query type.');
  const fields = collectFields(schema, fragments, conditions, type, operation.selectionSet);
  return compileFields(source, type, fields.values());
}

/** Compiles the selections of a field for each type of objects when the first of them is executed. */
class LazySelections implements SelectionsByType {
  readonly #source: Source;
  readonly #nodes: readonly FieldNode[];
  /** Absent until the first object. */
  #byType: Map<GraphQLObjectType, CompiledFields> | undefined;

  constructor(source: Source, nodes: readonly FieldNode[]) {
    this.#source = source;
    this.#nodes = nodes;
  }

  on(type: GraphQLObjectType): CompiledFields {
    this.#byType ??= new Map();
    const known = this.#byType.get(type);
    if (known !== undefined) return known;
    const fields = compileFields(
      this.#source,
      type,
      subfields(this.#source, this.#source.conditions, type, this.#nodes),
    );
    this.#byType.set(type, fields);
    return fields;
  }
}

/** The fields that are selected on objects of a type, each with its merged nodes, in the order of the response. */
export function subfields(
  { schema, fragments }: Pick<OperationInfo, 'schema' | 'fragments'>,
  conditions: Conditions,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
): Iterable<readonly FieldNode[]> {
  return collectSubfields(schema, fragments, conditions, type, nodes).values();
}

function compileFields(
  source: Source,
  type: GraphQLObjectType,
  selected: Iterable<readonly FieldNode[]>,
): CompiledFields {
  return Array.from(selected, (nodes, index) => compileField(source, type, nodes, index === 0));
}

function compileField(
  source: Source,
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  isFirst: boolean,
): CompiledField {
  const [node] = nodes as readonly [FieldNode];
  const key = node.alias?.value ?? node.name.value;
  const definition = definitionOf(source.schema, type, node.name.value);
  const { text, complete } = compiledDefinition(definition);
  return {
    key,
    nodes,
    parentType: type,
    definition,
    prefix: `${isFirst ? '' : ','}${JSON.stringify(key)}:`,
    argumentsFor: compileArguments(definition, node),
    resolve: definition.resolve ?? defaultFieldResolver,
    isNonNull: isNonNullType(definition.type),
    selections: new LazySelections(source, nodes),
    text,
    complete,
  };
}

type CompiledDefinition = Pick<CompiledField, 'text' | 'complete'>;

/**
 * What is compiled of a definition, which keeps it for all selections. One of their own would more than double the memory of
 * compiled operations.
 */
function compiledDefinition(definition: Definition): CompiledDefinition {
  const known = definition.extensions.compiled as CompiledDefinition | undefined;
  if (known !== undefined) return known;
  const text = definition === TypeNameMetaFieldDef ? typeName : plainText(definition);
  const compiled = { text, complete: completionOf(definition.type) };
  definition.extensions = { ...definition.extensions, compiled };
  return compiled;
}

const typeName: CompiledField['text'] = (_source, _variables, { parentType }) => JSON.stringify(parentType.name);

/** The definition of a field that is valid on this type. */
function definitionOf(schema: GraphQLSchema, type: GraphQLObjectType, name: string): Definition {
  const definition = type.getFields()[name];
  if (definition !== undefined) return definition;
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (type === schema.getQueryType() && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (type === schema.getQueryType() && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  throw new Error(`${type.name} has no field ${name}.`);
}

/**
 * Compiles the arguments of a field (GraphQL specification, section 6.4.1). Constants are coerced once. A variable was coerced
 * with all variables, so its value is taken, unless it is absent or null.
 */
export function compileArguments(definition: Definition, node: FieldNode): CompiledField['argumentsFor'] {
  const coerce: CompiledField['argumentsFor'] = (variables) => getArgumentValues(definition, node, variables);
  if (definition.args.length === 0) return withoutArguments;
  const nodes = node.arguments ?? [];
  const variableOf = new Map<string, string>();
  for (const { name, value } of nodes) if (value.kind === Kind.VARIABLE) variableOf.set(name.value, value.name.value);
  const others = nodes.filter(({ name }) => !variableOf.has(name.value));
  if (others.some(({ value }) => hasVariable(value))) return coerce;
  const constant = constantArguments(
    { ...definition, args: definition.args.filter(({ name }) => !variableOf.has(name)) },
    { ...node, arguments: others },
  );
  if (constant === undefined) return coerce;
  if (variableOf.size === 0) return () => constant;
  const entries = [...variableOf];
  return (variables) => {
    const values = { ...constant };
    for (const [name, variable] of entries) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
      if (value === undefined || value === null) return coerce(variables);
      values[name] = value;
    }
    return values;
  };
}

const noArguments = Object.freeze({});
const withoutArguments: CompiledField['argumentsFor'] = () => noArguments;

/** Whether an argument of a field has a variable. */
export function usesVariables({ arguments: nodes = [] }: FieldNode): boolean {
  return nodes.some(({ value }) => hasVariable(value));
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

/** Arguments without a variable. Undefined if one is invalid, which is reported whenever the field is executed. */
function constantArguments(definition: Definition, node: FieldNode): Record<string, unknown> | undefined {
  try {
    return frozen(getArgumentValues(definition, node));
  } catch {
    return undefined;
  }
}

/** Constant arguments are shared by all requests. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
