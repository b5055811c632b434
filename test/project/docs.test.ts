import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/core/error-codes.ts';
import { blocksOf } from '../support/doc-blocks.ts';

const documents = ['docs/security.md', 'docs/reliability.md'];

/** The tests that a document names: a file, and what stands in its tests' titles after it, between asterisks. */
function namedTests(text: string): { file: string; title: string }[] {
  let file = '';
  return [...text.matchAll(/`((?:deploy\/)?test\/[\w./-]+\.test\.ts)`|(?<=[:;] )\*([^*]+)\*/g)].flatMap(
    ([, path, title]) => {
      if (path !== undefined) {
        file = path;
        return [{ file, title: '' }];
      }
      return title === undefined || file === '' ? [] : [{ file, title: title.replaceAll('&#124;', '|') }];
    },
  );
}

describe.each(documents)('%s', (path) => {
  const text = readFileSync(path, 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!---)/.test(line));

  it('names tests that are there', () => {
    const named = rows.flatMap(namedTests);
    expect(named.length).toBeGreaterThan(25);
    const missing = named.filter(({ file, title }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(title));
    expect(missing).toEqual([]);
  });

  it('names scripts and settings that are there', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const [, script = ''] of text.matchAll(/`npm run ([\w:]+)`/g)) expect(scripts).toHaveProperty([script]);
    const readers = ['src/config.ts', 'test/soak/run.ts'].map((file) => readFileSync(file, 'utf8')).join('\n');
    const ofNode = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED'];
    const settings = [...text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g)].map(([, name = '']) => name);
    const codes = Object.keys(errorCodes).join() + readFileSync('src/server/responses/json-errors.ts', 'utf8');
    expect(settings.length).toBeGreaterThan(10);
    for (const name of settings) expect([name, (readers + codes + ofNode.join()).includes(name)]).toEqual([name, true]);
  });

  it('has a test, or the reason why not, in each row of a guard', () => {
    const tables = text.split(/\n{2,}/).filter((block) => /^\|.*\| shown by \|$/m.test(block));
    for (const table of tables) {
      for (const row of table
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .slice(2)) {
        expect([row, /`(test\/|npm run)|No test: /.test(row)]).toEqual([row, true]);
      }
    }
    expect(tables.length).toBeGreaterThan(1);
  });
});

it('README.md names the commands that start the demo and the tests, and .ci/run runs the tests by the same', () => {
  const commands = blocksOf('README.md').flatMap(({ language, code }) => (language === 'sh' ? [code.trim()] : []));
  expect(commands).toEqual(expect.arrayContaining(['npm ci && npm run demo', 'npm ci && npm test']));
  expect(readFileSync('.ci/run', 'utf8').split('\n')).toContain('(npm ci && npm test)');
});

it('.github/workflows/ci.yml runs scripts that are there', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');
  const [, list = ''] = /^ {8}script:\n((?: {10}- .*\n)+)/m.exec(workflow) ?? [];
  const named = [...list.matchAll(/- (.*)/g)].map(([, script = '']) => script);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

const linking = ['*.md', 'docs/**/*.md', 'deploy/*.md', 'examples/*/*.md'].flatMap((pattern) => globSync(pattern));

describe.each(linking)('%s', (path) => {
  it('links to files and headings that are there', () => {
    const links = [...readFileSync(path, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? path : join(dirname(path), file);
      return !existsSync(target) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** The headings of a page, as GitHub names them in links. */
function headingsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
