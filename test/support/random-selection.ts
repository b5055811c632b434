import fc from 'fast-check';

/**
 * A grammar of GraphQL selections: what each type may select, with arguments, aliases, fragments and directives; and the
 * documents that are made of them.
 */

export type Item =
  | {
      readonly kind: 'field';
      readonly field: string;
      readonly key: string | undefined;
      readonly directives: string;
      readonly items: readonly Item[] | undefined;
    }
  | {
      readonly kind: 'inline' | 'named';
      /** The type of its condition; of an inline fragment perhaps '', which is none. */
      readonly type: string;
      readonly directives: string;
      readonly items: readonly Item[];
      /** The directives of a second spread of a named fragment; undefined for none. */
      readonly again?: string | undefined;
    };

/** An operation to write. Only one that is alone in its document may have no name. */
export interface Operation {
  readonly name: string | undefined;
  readonly items: readonly Item[];
}

/** How a field may be selected. */
export interface Choice {
  readonly weight: number;
  readonly name: string;
  /** Its arguments; the first ones are the usual. */
  readonly args?: readonly string[];
  /** Arguments that the resolver refuses. */
  readonly bad?: readonly string[];
  /** A response key that JavaScript has other plans for. */
  readonly odd?: string;
  readonly items?: fc.Arbitrary<readonly Item[]>;
}

/** A field with its weight. Its arguments, and those that are refused, are separated by `|`. */
export function choice(
  weight: number,
  name: string,
  { args = '', bad, ...others }: Omit<Partial<Choice>, 'args' | 'bad'> & { args?: string; bad?: string } = {},
): Choice {
  const listed = (all: string) => all.split('|').map((each) => each.trim());
  return { weight, name, args: listed(args), ...(bad !== undefined && { bad: listed(bad) }), ...others };
}

/** Fields without arguments and selections, by their weights. */
export const leaves = (weights: Readonly<Record<string, number>>): Choice[] =>
  Object.entries(weights).map(([name, weight]) => ({ weight, name }));

/** Mostly none; the two variables are mostly true and false. */
export const directives = fc.oneof(
  { weight: 24, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '@include(if: true)',
      '@include(if: $t)',
      '@skip(if: $f)',
      '@skip(if: $f) @include(if: $t)',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('@skip(if: $t)', '@include(if: $f)', '@include(if: $t) @skip(if: $t)') },
);

function fieldOf({ name, args = [''], bad = [], odd, items }: Choice): fc.Arbitrary<Item> {
  const argument = fc.oneof(
    { weight: 15, arbitrary: fc.constant(0) },
    { weight: 25, arbitrary: fc.nat(args.length - 1) },
    {
      weight: bad.length === 0 ? 0 : 1,
      arbitrary: fc.integer({ min: args.length, max: args.length + Math.max(bad.length, 1) - 1 }),
    },
  );
  const alias = fc.constantFrom(undefined, undefined, undefined, 'x', '_', odd);
  return fc
    .tuple(argument, alias, directives, items ?? fc.constant(undefined))
    .map(([index, prefix, directive, selected]) => {
      const plainKey = prefix === undefined ? undefined : prefix === odd ? `${odd}` : `${prefix}_${name}`;
      const key = index === 0 ? plainKey : `${prefix === odd ? 'y' : (prefix ?? 'z')}_${name}${index}`;
      return {
        kind: 'field',
        field: `${name}${[...args, ...bad][index]}`,
        key,
        directives: directive,
        items: selected,
      };
    });
}

/** A selection set; sometimes fields stand in fragments. */
export function selection(type: string, choices: readonly Choice[], nesting = 2): fc.Arbitrary<readonly Item[]> {
  const all = [{ weight: 1, name: '__typename' }, ...choices];
  const field = fc.oneof(...all.map((choice) => ({ weight: choice.weight, arbitrary: fieldOf(choice) })));
  const item =
    nesting === 0
      ? field
      : fc.oneof(
          { weight: 10, arbitrary: field },
          {
            weight: 1,
            arbitrary: fc
              .tuple(
                fc.constantFrom('inline' as const, 'named' as const),
                directives,
                selection(type, choices, nesting - 1),
                fc.option(directives, { nil: undefined, freq: 3 }),
              )
              .map(([kind, directive, items, again]): Item => ({ kind, type, directives: directive, items, again })),
          },
        );
  return fc.oneof(
    { weight: 10, arbitrary: fc.tuple(item) },
    { weight: 4, arbitrary: fc.tuple(item, item) },
    { weight: 1, arbitrary: fc.array(item, { minLength: 3, maxLength: 5, size: 'max' }) },
  );
}

/**
 * Writes a document: the operations, then their fragments.
 *
 * @param variableTypes the declaration of each variable without its name; each operation declares those that it uses
 * @param nameOf the name of a type in the schema
 */
export function documentOf(
  operations: readonly Operation[],
  variableTypes: Readonly<Record<string, string>>,
  nameOf = (type: string) => type,
): string {
  let count = 0;
  const write = ({ name, items }: Operation) => {
    const fragments: string[] = [];
    const setOf = (selected: readonly Item[]): string => `{ ${selected.map(textOf).join(' ')} }`;
    const textOf = (item: Item): string => {
      if (item.kind === 'field') {
        const key = item.key === undefined ? '' : `${item.key}: `;
        return `${key}${item.field} ${item.directives} ${item.items === undefined ? '' : setOf(item.items)}`;
      }
      const condition = item.type === '' ? '' : `on ${nameOf(item.type)}`;
      if (item.kind === 'inline') return `... ${condition} ${item.directives} ${setOf(item.items)}`;
      const set = setOf(item.items);
      const fragment = `F${count++}`;
      fragments.push(`fragment ${fragment} ${condition} ${set}`);
      const spread = `...${fragment} ${item.directives}`;
      return item.again === undefined ? spread : `${spread} ... ${item.again} { ...${fragment} }`;
    };
    const set = setOf(items);
    const text = [set, ...fragments].join(' ');
    const used = Object.entries(variableTypes).filter(([variable]) => new RegExp(`\\$${variable}\\b`).test(text));
    const declared = used.map(([variable, type]) => `$${variable}: ${type}`).join(', ');
    return { operation: `query ${name ?? ''}${declared === '' ? '' : `(${declared})`} ${set}`, fragments };
  };
  const written = operations.map(write);
  return [...written.map(({ operation }) => operation), ...written.flatMap(({ fragments }) => fragments)]
    .join(' ')
    .replace(/ +/g, ' ');
}
