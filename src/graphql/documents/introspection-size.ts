import {
  type FieldNode,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import type { Fragments } from '../plan/selection-size.ts';

/**
 * Counts the values that introspection returns (GraphQL specification, section 4), at most: with everything that is deprecated, and
 * for a type that a variable names those of all types. Ends early, with infinity, if there are more than `max`.
 */
export class IntrospectionSize {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #max: number;
  /** The values of a selection on an element of the schema. The same is often selected on one. */
  readonly #known = new Map<SelectionSetNode, Map<object, number>>();
  #visits = 0;

  constructor(schema: GraphQLSchema, fragments: Fragments, max: number) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#max = max;
  }

  /** @param operation the selection on the root */
  of(operation: SelectionSetNode): number {
    let values = 0;
    for (const { name, arguments: given, selectionSet } of this.#fieldsOf(operation)) {
      if (selectionSet === undefined) continue;
      if (name.value === SchemaMetaFieldDef.name) {
        values += this.#on(this.#schema, SchemaMetaFieldDef.type, selectionSet);
      } else if (name.value === TypeMetaFieldDef.name) {
        const types = this.#schema.getTypeMap();
        const value = given?.[0]?.value;
        const chosen = value?.kind === Kind.STRING ? [types[value.value] ?? []].flat() : Object.values(types);
        for (const type of chosen) values += this.#on(type, TypeMetaFieldDef.type, selectionSet);
      }
    }
    return values;
  }

  #on(element: object, elementType: GraphQLOutputType, selected: SelectionSetNode): number {
    const known = this.#known.get(selected) ?? new Map<object, number>();
    this.#known.set(selected, known);
    const before = known.get(element);
    if (before !== undefined) return before;
    // Validation refuses a fragment that spreads itself.
    known.set(element, 0);
    const type = getNamedType(elementType);
    const fields = isObjectType(type) ? type.getFields() : {};
    let values = 1;
    for (const { name, selectionSet } of this.#fieldsOf(selected)) {
      this.#visits += 1;
      if (this.#visits > this.#max) return Number.POSITIVE_INFINITY;
      const field = fields[name.value];
      if (selectionSet === undefined || field?.resolve === undefined) values += 1;
      else {
        const info = { schema: this.#schema } as GraphQLResolveInfo;
        const value: unknown = field.resolve(element, { includeDeprecated: true }, undefined, info);
        for (const each of Array.isArray(value) ? value : [value])
          if (each instanceof Object) values += this.#on(each, field.type, selectionSet);
      }
    }
    known.set(element, values);
    return values;
  }

  *#fieldsOf({ selections }: SelectionSetNode, spread = new Set<string>()): Iterable<FieldNode> {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) yield selection;
      else if (selection.kind === Kind.INLINE_FRAGMENT) yield* this.#fieldsOf(selection.selectionSet, spread);
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = this.#fragments.get(selection.name.value);
        if (fragment !== undefined) yield* this.#fieldsOf(fragment.selectionSet, spread);
      }
    }
  }
}
