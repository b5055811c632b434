import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { type Fragments, MAX_LEVELS } from '../plan/selection-size.ts';

/** What takes as long as a comparison of two fields without arguments and selections: of two with any, and of two fragments. */
const PER_PAIR_OF_OBJECTS = 16;
const PER_PAIR_OF_FRAGMENTS = 16;

/** The fields of one response name, and the selections in which they stand: those of an object, or of a fragment. */
interface Repeated {
  readonly fields: FieldNode[];
  readonly sources: Set<SelectionSetNode>;
}

/**
 * Counts what validation compares because fields have one response name (GraphQL specification, section 5.3.2): each pair of them on
 * every object of a response, what is selected on one with that on the other, each pair of fragments of a selection, and each
 * selection that is visited. Stops when there is more than `max`.
 */
export class Comparisons {
  readonly #fragments: Fragments;
  readonly #max: number;
  /** The selections of which the fields were compared with each other. */
  readonly #compared = new Set<SelectionSetNode>();
  #count = 0;

  constructor(fragments: Fragments, max: number) {
    this.#fragments = fragments;
    this.#max = max;
  }

  get areTooMany(): boolean {
    return this.#count > this.#max;
  }

  /** @param sets the selections on one object */
  add(sets: readonly SelectionSetNode[], level = 1): void {
    const named = new Map<string, Repeated>();
    for (const set of sets) {
      const spread = new Set<string>();
      this.#collect(set, set, named, spread);
      this.#count += pairsOf(spread.size) * PER_PAIR_OF_FRAGMENTS;
    }
    for (const { fields, sources } of named.values()) {
      if (this.areTooMany) return;
      // The fields of a fragment are compared with each other once, wherever it is spread.
      if (sources.size === 1 && sources.isSubsetOf(this.#compared)) continue;
      const nested = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
      const selected = nested.reduce((sum, { selections }) => sum + selections.length, 0);
      const isPlain = nested.length === 0 && fields.every(({ arguments: given = [] }) => given.length === 0);
      this.#count +=
        pairsOf(fields.length) * (isPlain ? 1 : PER_PAIR_OF_OBJECTS) + ((fields.length - 1) * selected) / 2;
      if (nested.length > 0 && level < MAX_LEVELS) this.add(nested, level + 1);
    }
    for (const { sources } of named.values()) for (const source of sources) this.#compared.add(source);
  }

  /** Collects the fields of a set by their response names. Each of its fragments is looked at once. */
  #collect(
    { selections }: SelectionSetNode,
    source: SelectionSetNode,
    named: Map<string, Repeated>,
    spread: Set<string>,
  ): void {
    this.#count += selections.length;
    for (const selection of selections) {
      if (this.areTooMany) return;
      if (selection.kind === Kind.INLINE_FRAGMENT) this.#collect(selection.selectionSet, source, named, spread);
      else if (selection.kind === Kind.FIELD) {
        const name = (selection.alias ?? selection.name).value;
        const { fields, sources } = named.get(name) ?? { fields: [], sources: new Set() };
        named.set(name, { fields, sources });
        fields.push(selection);
        sources.add(source);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const set = this.#fragments.get(selection.name.value)?.selectionSet;
        if (set !== undefined) this.#collect(set, set, named, spread);
      }
    }
  }
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}
