import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { ResolversTypes } from '../generated/resolvers.ts';
import { subfields } from './execution/compile.ts';
import { nameInSchema } from './schema-names.ts';
import type { SelectionSource } from './selections.ts';

type VariableValues = GraphQLResolveInfo['variableValues'];

/** A field of a selection as it is executed: merged, with `@skip` and `@include` applied. */
export interface SelectedField {
  /** The alias, or else the name. */
  readonly responseKey: string;
  readonly name: string;
  /** The name of the object's type, as in `__typename`. */
  readonly parentType: string;
  readonly nodes: FieldNode[];
  /** Whether its type is non-null. */
  readonly isNonNull: boolean;
  args<T>(variableValues: VariableValues): T;
}

/** The selected fields on objects of a type, in the order of the response. */
export function selectionOn(
  typeName: keyof ResolversTypes,
  nodes: readonly FieldNode[],
  source: SelectionSource,
): SelectedField[] {
  const { schema, variableValues } = source;
  const type = schema.getType(nameInSchema(typeName, schema));
  if (!isObjectType(type)) return [];
  return Array.from(subfields(source, variableValues, type, nodes)).flatMap((selected) => {
    const [first] = selected;
    return first === undefined ? [] : [selectedField(type, first, [...selected])];
  });
}

/** The field that is being resolved. */
export function resolvedField({ parentType, fieldNodes }: GraphQLResolveInfo): SelectedField | undefined {
  const [first] = fieldNodes;
  return first && selectedField(parentType, first, [...fieldNodes]);
}

function selectedField(type: GraphQLObjectType, first: FieldNode, nodes: FieldNode[]): SelectedField {
  const name = first.name.value;
  const field = type.getFields()[name];
  return {
    responseKey: first.alias?.value ?? name,
    name,
    parentType: type.name,
    nodes,
    isNonNull: field !== undefined && isNonNullType(field.type),
    args: <T>(variableValues: VariableValues) =>
      (field === undefined ? {} : getArgumentValues(field, first, variableValues)) as T,
  };
}

/** How often the same field is selected, at most. For an object, its selections count too. */
export function copiesIn(fields: readonly SelectedField[]): number {
  const copies = new Map<string, number>();
  for (const { name, nodes } of fields) {
    const within = Math.max(1, ...nodes.map(({ selectionSet }) => selectionSet?.selections.length ?? 1));
    copies.set(name, (copies.get(name) ?? 0) + within);
  }
  return Math.max(1, ...copies.values());
}
