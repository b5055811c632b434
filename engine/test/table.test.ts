import { expect, it } from 'vitest';
import { typeOf } from '../fields/fields.ts';
import type { Cell, FieldType } from '../index.ts';
import { bodyOf, row } from './bodies.ts';
import { read } from './read.ts';

// What tables hold is compared by test/oracle, in files.
it('A table is made in steps, and begins again with each entry', () => {
  const type = typeOf('statistics') as FieldType;
  const rows: (readonly Cell[])[] = [];
  const steps: number[] = [];
  const table: FieldType = {
    make: (making) => {
      const field = type.make(making);
      return {
        begin: (origin) => field.begin(origin),
        add: (all) => field.add(all),
        write: (_, rowCount) => {
          const before = rows.length;
          // So much of each row that a step has two.
          const hasMore = field.writeTable?.((cells) => rows.push(cells) && 20_000, rowCount) ?? false;
          steps.push(rows.length - before);
          return hasMore;
        },
      };
    },
  };
  const select = [{ key: 'name', field: 'name' }];
  const wide = [row('2024-01-01', { a: 1, b: 2, c: 3, d: 4, e: 5 })];
  const { errors } = read({ isPlain: true, entries: [{ key: 't', field: 'statistics', select, type: table }] }, [
    bodyOf(wide, wide),
  ]);
  expect([rows.flat(), steps, errors]).toEqual([[...'abcdeabcde'], [2, 2, 1, 2, 2, 1], []]);
});
