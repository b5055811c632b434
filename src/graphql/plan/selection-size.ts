import { type FragmentDefinitionNode, Kind, type SelectionNode, type SelectionSetNode, type ValueNode } from 'graphql';

/** The most nested selection sets, fragments included. The deepest introspection query in use has 18. */
export const MAX_LEVELS = 30;

/** The fragments of a document, by their names. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The size of a selection set with its fragments expanded. */
export interface SelectionSize {
  readonly levels: number;
  readonly aliases: number;
  /** The fields of the set and of nested sets. Values in literal lists and objects count too, because each field reads them. */
  readonly fields: number;
  /** The fields of the set itself. */
  readonly ownFields: number;
}

const nothing: SelectionSize = { levels: 0, aliases: 0, fields: 0, ownFields: 0 };

/** Computes the sizes of selection sets. Visits each field and each fragment once. Exponential sizes become Infinity, which exceeds every limit. */
export class Sizes {
  readonly #fragments: Fragments;
  readonly #known = new Map<string, SelectionSize>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  /** @param level the nesting level of this set; it does not visit sets that are too deep */
  of({ selections }: SelectionSetNode, level: number): SelectionSize {
    let levels = 1;
    let aliases = 0;
    let fields = 0;
    let ownFields = 0;
    if (level > MAX_LEVELS) return { levels, aliases, fields, ownFields };
    for (const selection of selections) {
      const within = this.#within(selection, level + 1);
      levels = Math.max(levels, 1 + within.levels);
      aliases += within.aliases;
      fields += within.fields;
      if (selection.kind !== Kind.FIELD) ownFields += within.ownFields;
      else {
        fields += 1;
        ownFields += 1;
        for (const { value } of selection.arguments ?? []) fields += valuesIn(value);
        if (selection.alias !== undefined) aliases += 1;
      }
    }
    return { levels, aliases, fields, ownFields };
  }

  #within(selection: SelectionNode, level: number): SelectionSize {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      return selection.selectionSet === undefined ? nothing : this.of(selection.selectionSet, level);
    }
    const name = selection.name.value;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    // Validation rejects a missing fragment, and one that spreads itself.
    this.#known.set(name, nothing);
    const size = fragment === undefined ? nothing : this.of(fragment.selectionSet, level);
    this.#known.set(name, size);
    return size;
  }
}

/** The number of values in a literal list or object. */
function valuesIn(value: ValueNode): number {
  if (value.kind === Kind.LIST) return value.values.reduce((sum, each) => sum + 1 + valuesIn(each), 0);
  if (value.kind === Kind.OBJECT) return value.fields.reduce((sum, field) => sum + 1 + valuesIn(field.value), 0);
  return 0;
}

/** The most bytes of a character in JSON: a control character, as in `\u0001`. */
const MAX_CHARACTER_BYTES = 6;
/** Of a short text the upper limit is enough. */
const SHORT_LENGTH = 64;

/** The bytes of all texts of an object as JSON; of short texts at most. */
export function jsonBytesIn(object: object): number {
  let bytes = 0;
  for (const value of Object.values(object)) if (typeof value === 'string') bytes += jsonBytes(value);
  return bytes;
}

function jsonBytes(text: string): number {
  return text.length <= SHORT_LENGTH ? text.length * MAX_CHARACTER_BYTES + 2 : Buffer.byteLength(JSON.stringify(text));
}
