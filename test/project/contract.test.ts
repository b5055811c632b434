import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { names, rowsOf } from '../support/doc-blocks.ts';

const PAGE = 'docs/contract.md';
/** The clauses of section 3 that ended. Their numbers are not used again. */
const ENDED = [41];

const clauses = numbersOf(readFileSync(PAGE, 'utf8'));
const tests = ['ask', 'deploy', 'explorer', 'simulator', 'test']
  .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { exclude: ['**/node_modules'] }))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

describe(PAGE, () => {
  it('has tests of each clause and section, and those alone have tests', () => {
    expect(clauses.length).toBeGreaterThan(50);
    const titled = new Set(tests.flatMap(({ text }) => titlesOf(text)));
    expect([...titled].sort()).toEqual([...clauses].sort());
  });

  it('has the clauses in their order, without the numbers of those that ended', () => {
    const numbers = clauses.flatMap((clause) => (clause.startsWith('3.') ? [Number(clause.slice(2))] : []));
    const all = Array.from({ length: numbers.length + ENDED.length }, (_, index) => index + 1);
    expect(numbers).toEqual(all.filter((number) => !ENDED.includes(number)));
  });

  it('has tests over HTTP of each error code and each setting, beside those that read the pages', () => {
    const overHttp = tests.filter(({ file, text }) => !file.startsWith('test/project/') && /\bstart\w*\(/.test(text));
    const codes = [
      ...rowsOf('docs/errors.md', '`code`', 'REST response'),
      ...rowsOf('docs/errors.md', 'status', '`code`', 'cause'),
    ];
    const settings = rowsOf('docs/settings.md', 'variable', 'default', 'allowed');
    const asked = [...codes.flat(), ...settings.map(([variables = '']) => variables)].flatMap(names);
    const all = [...new Set(asked.filter((name) => /^[A-Z][A-Z_]+$/.test(name)))];
    expect(all.length).toBeGreaterThan(80);
    expect(all.filter((name) => !overHttp.some(({ text }) => text.includes(name)))).toEqual([]);
  });

  it('has the details of its clauses above their tests', () => {
    const details = tests.flatMap(({ file, text }) => detailsOf(text).map((clause) => ({ file, clause, text })));
    expect(details.length).toBeGreaterThan(70);
    const astray = details.filter(({ clause, text }) => !clauses.includes(clause) || !titlesOf(text).includes(clause));
    expect(astray.map(({ file, clause }) => `${file}: ${clause}`)).toEqual([]);
  });
});

/** The numbers of the sections of a page, and of the clauses in them: `4` and `3.20`. */
function numbersOf(page: string): string[] {
  return page.split(/^## (?=\d)/m).flatMap((section, index) => {
    const [number, ...inside] = [...section.matchAll(/^(\d+)\. /gm)].map(([, digits]) => digits);
    return index === 0 ? [] : [`${number}`, ...inside.map((clause) => `${number}.${clause}`)];
  });
}

/** The numbers that titles of a file begin with, of its suites and of tests outside of these: `3.22, 4 What never leaks` has two. */
function titlesOf(test: string): string[] {
  const titles = test.matchAll(/^(?:(?:describe|it)\b.*\(| {2})(['"`])(\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*)[ .].*\1/gm);
  return [...titles].flatMap(([, , numbers = '']) => numbers.split(', '));
}

/** The clauses whose details are in comments of a file. */
function detailsOf(test: string): string[] {
  const text = test.replaceAll(/\n *(?:\*|\/\/) */g, ' ');
  const comments = text.matchAll(/\bClauses? ([\d., and]+?)(?: of docs\/contract\.md)? in detail\b/g);
  return [...comments].flatMap(([, numbers = '']) => numbers.split(/, | and /));
}
