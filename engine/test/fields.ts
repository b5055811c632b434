import type { Asked } from '../index.ts';

/** A field by its name, which is its key too; with the fields that are selected of it, and its arguments. */
export type Short =
  | string
  | readonly [field: string, select?: readonly Short[] | undefined, args?: Readonly<Record<string, unknown>>];

/** Fields as the engine takes them: `fieldsOf('version', ['rows', ['valueDate'], { first: 2 }])`. */
export function fieldsOf(...fields: readonly Short[]): Asked[] {
  return fields.map((short) => {
    const [field, select, args] = typeof short === 'string' ? ([short] as const) : short;
    return { key: field, field, ...(select && { select: fieldsOf(...select) }), ...(args && { args }) };
  });
}

/** The same field under so many keys: `a0`, `a1`, … */
export function aliases(count: number, short: Short): Asked[] {
  const [asked] = fieldsOf(short) as [Asked];
  return Array.from({ length: count }, (_, index) => ({ ...asked, key: `a${index}` }));
}
