import { describe, expect, test } from 'vitest';
import { byLot } from '../mutation/by-lot.ts';
import { changedLines } from '../mutation/changed-lines.ts';
import { executedParts, includes } from '../mutation/executed-parts.ts';
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

describe('The mutants of a source', () => {
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
      'const x = a === b ? 1n : f(-y);',
      ['condition: a === b → true', 'condition: a === b → false', 'number: 1n → 2n', 'sign: -y → (y)'],
    ],
    ['x = a === b;', ['statement: x = a === b; → ;', 'operator: === → !==']],
    [
      'while (a) { i += 1; j++; break; }',
      [
        'condition: a → false',
        'statement: i += 1; → ;',
        'operator: += → -=',
        'number: 1 → 2',
        'operator: j++ → j--',
        'statement: j++; → ;',
        'statement: break; → ;',
      ],
    ],
    [
      'const x = a?.b ?? c?.[0]?.(true);',
      [
        'left side: a?.b ?? c?.[0]?.(true) → (a?.b)',
        'right side: a?.b ?? c?.[0]?.(true) → (c?.[0]?.(true))',
        'optional chaining: ?. → .',
        'optional chaining: ?. → ',
        'number: 0 → 1',
        'optional chaining: ?. → ',
        'boolean: true → false',
      ],
    ],
    ['const a = b * c - d / e;', ['operator: * → /', 'operator: - → +', 'operator: / → *']],
    ['x = a + `b`;', ['statement: x = a + `b`; → ;', "text: `b` → ''"]],
    [
      'function f() { if (a) return; return true; }',
      ['condition: a → true', 'condition: a → false', 'statement: return; → ;', 'boolean: true → false'],
    ],
    ['const f = (x) => g(x);', ['result: g(x) → undefined']],
    // Types, names, and where a module is.
    ["const f = (x: 'none' | 7): x is 7 => x as 7;", ['result: x as 7 → undefined']],
    ["const { 'a': b } = await import('c'); export { d } from 'e';", []],
    // Texts for people.
    [
      "throw new CodedError(`Not so.`, 'CODE');",
      ["statement: throw new CodedError(`Not so.`, 'CODE'); → ;", "text: 'CODE' → ''"],
    ],
    ["write('A text that people read');", ["statement: write('A text that people read'); → ;"]],
    // What only gives way to other work, and what is felt in time only.
    [
      'function* f() { if (i % 9 === 8) yield; yield undefined; yield PAUSE; yield more; yield 1; }',
      ['statement: yield more; → ;', 'statement: yield 1; → ;', 'number: 1 → 2'],
    ],
    ['const WAIT_MS = 500; const LIMIT = 10;', ['number: 10 → 11']],
  ])('%s', (source, expected) => {
    expect(faults(source)).toEqual(expected);
  });

  test('are static where they run with the load of a file', () => {
    const source = 'const a = 1; class B { c = 2; d() { return 3; } } const e = () => 4; let f = () => { g(5); };';
    const statics = mutantsOf(source).filter(({ isStatic }) => isStatic);
    expect(statics.map(({ replacement }) => replacement)).toEqual(['2', '3']);
  });

  test('by lot are others with another seed', () => {
    const items = Array.from({ length: 100 }, (_, index) => index);
    const chosen = byLot(items, 10, 7);
    expect(chosen).toEqual(byLot(items, 10, 7));
    expect(chosen).not.toEqual(byLot(items, 10, 8));
    expect(new Set(chosen).size).toBe(10);
  });
});

describe('The lines of a change', () => {
  test('are those that a diff adds', () => {
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
      '\\ No newline at end of file',
      'diff --git a/src/b.ts b/src/b.ts',
      '--- a/src/b.ts',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
      'diff --git a/src/c.ts b/src/c.ts',
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
});

describe('The executed parts of a file', () => {
  const counted = (functionName: string, ...ranges: [start: number, end: number, count: number][]) => ({
    functionName,
    ranges: ranges.map(([startOffset, endOffset, count]) => ({ startOffset, endOffset, count })),
  });
  const functions = [
    counted('outer', [10, 50, 2], [20, 30, 0], [24, 26, 1]),
    // A function in the block that was executed, and one behind the outer one that was not.
    counted('', [32, 40, 0]),
    counted('next', [50, 60, 1]),
    counted('other', [70, 80, 0]),
  ];

  test.each([
    ['where it was loaded', [counted('', [0, 100, 1]), ...functions]],
    ['where it was loaded before', functions],
  ])('are those of its functions, without the blocks that were not, %s', (_where, all) => {
    const parts = executedParts(all);
    expect(parts).toEqual([10, 20, 24, 26, 30, 32, 40, 60]);
    expect([9, 10, 19, 20, 25, 59, 60].filter((offset) => includes(parts, offset))).toEqual([10, 19, 25, 59]);
  });

  test('are none where the file was loaded only', () => {
    expect(executedParts([counted('', [0, 100, 1]), counted('', [10, 50, 0])])).toEqual([]);
  });
});
