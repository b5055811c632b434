import { describe, expect, test } from 'vitest';
import { changedLines } from '../mutation/changed-lines.ts';
import { executedParts, includes } from '../mutation/coverage.ts';
import { mutantsOf } from '../mutation/mutants.ts';

/*
 * What `npm run mutate` changes, and which tests it takes.
 */

/** The mutants of a source, in its order. */
function faults(source: string): string[] {
  return mutantsOf(source).map(
    ({ start, end, operator, replacement }) => `${operator}: ${source.slice(start, end)} → ${replacement}`,
  );
}

test.each<[string, string[]]>([
  [
    'if (a < 3 && !b) c();',
    [
      'condition: a < 3 && !b → true',
      'condition: a < 3 && !b → false',
      'left side: a < 3 && !b → (a < 3)',
      'right side: a < 3 && !b → (!b)',
      'operator: < → <=',
      'number: 3 → 4',
      'operator: && → ||',
      'sign: !b → (b)',
      'statement: c(); → ;',
    ],
  ],
  [
    'const f = (x: 7) => { x += 1; return x?.a === b ? g(x as 7) : true; }',
    [
      'statement: x += 1; → ;',
      'operator: += → -=',
      'number: 1 → 2',
      'condition: x?.a === b → true',
      'condition: x?.a === b → false',
      'result: x?.a === b ? g(x as 7) : true → undefined',
      'optional chaining: ?. → .',
      'boolean: true → false',
    ],
  ],
  // Names and texts for people, and what only gives way to other work.
  ["export { d } from 'e'; const { 'a': b } = await import('c');", []],
  ["throw new CodedError(`Not so.`, 'C');", ["statement: throw new CodedError(`Not so.`, 'C'); → ;", "text: 'C' → ''"]],
  ['function* f() { if (i === 8) yield; yield PAUSE; yield more; }', ['statement: yield more; → ;']],
  ['const WAIT_MS = 500; const LIMIT = 10;', ['number: 10 → 11']],
])('The mutants of %s', (source, expected) => expect(faults(source).toSorted()).toEqual(expected.toSorted()));

test('Mutants are static where they run with the load of a file', () => {
  const source = 'const a = 1; class B { c = 2; d() { return 3; } } const e = () => 4; let f = () => { g(5); };';
  const statics = mutantsOf(source).filter(({ isStatic }) => isStatic);
  expect(statics.map(({ replacement }) => replacement)).toEqual(['2', '3']);
});

test('The lines of a change are those that a diff adds', () => {
  const diff = [
    'diff --git a/src/a.ts b/src/a.ts',
    'index 1..2 100644',
    '--- a/src/a.ts',
    '+++ b/src/a.ts',
    '@@ -3 +3,2 @@ function f() {',
    '-old',
    '+new',
    '+++ b/src/not-a-file.ts',
    '@@ -9,2 +10,0 @@',
    '--- a/src/gone.ts',
    '-gone',
    '@@ -20 +20 @@',
    '-old',
    '+@@ -1 +1 @@',
    'diff --git a/src/b.ts b/src/b.ts',
    'deleted file mode 100644',
    '--- a/src/b.ts',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-gone',
    'diff --git a/src/c.ts b/src/c.ts',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/src/c.ts',
    '@@ -0,0 +1,3 @@',
    '+1',
    '+2',
    '+3',
  ].join('\n');
  expect([...changedLines(diff)].map(([file, lines]) => [file, [...lines]])).toEqual([
    ['src/a.ts', [3, 4, 20]],
    ['src/c.ts', [1, 2, 3]],
  ]);
});

describe('The executed parts of a file', () => {
  const counted = (functionName: string, ...ranges: [start: number, end: number, count: number][]) => ({
    functionName,
    ranges: ranges.map(([startOffset, endOffset, count]) => ({ startOffset, endOffset, count })),
  });

  test('are those of its functions, without the blocks that were not', () => {
    const parts = executedParts([
      counted('', [0, 100, 1]),
      counted('outer', [10, 50, 2], [20, 30, 0], [24, 26, 1]),
      counted('', [32, 40, 0]),
      counted('next', [50, 60, 1]),
      counted('other', [70, 80, 0]),
    ]);
    expect(parts).toEqual([10, 20, 24, 26, 30, 32, 40, 60]);
    expect([9, 10, 19, 20, 25, 59, 60].filter((offset) => includes(parts, offset))).toEqual([10, 19, 25, 59]);
  });

  test('are none where the file was loaded only', () => {
    expect(executedParts([counted('', [0, 100, 1]), counted('', [10, 50, 0])])).toEqual([]);
  });
});
