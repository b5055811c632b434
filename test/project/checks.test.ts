import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allCommands, commandsFor } from '../checks.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('npm run check', () => {
  it('runs scripts that are there', () => {
    const commands = [
      ...allCommands(),
      ...commandsFor(execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')),
    ];
    const named = commands.map((command) => /^npm run (\S+)$/.exec(command)?.[1] ?? command);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    // Whatever tests there are, a change of all files runs them.
    const nightly = [...scripts.nightly.matchAll(/npm run ([\w:.-]+)/g)].map(([, name]) => name);
    const tests = Object.keys(scripts).filter((name) => name.startsWith('test:') && !nightly.includes(name));
    expect(named).toEqual(expect.arrayContaining(tests));
  });

  it.each<[string[], string[]]>([
    [[], []],
    [['docs/errors.md'], ['npx vitest run test/project']],
    [
      ['test/results/series.test.ts'],
      ['npm run types', 'npm run lint', 'npx vitest run test/project test/results/series.test.ts'],
    ],
    [
      ['docs/python.md', '.ci/run'],
      ['npm run test:deploy', 'npm run test:python', 'npx vitest run test/project'],
    ],
    [
      ['explorer/test/address.test.ts'],
      [
        'npm run types',
        'npm run lint',
        'npm run test:architecture',
        'npm run test:explorer',
        'npx vitest run test/project',
      ],
    ],
  ])('-- --changed runs what judges %o', (changed, commands) => {
    expect(commandsFor(changed)).toEqual(commands);
  });
});

it('Random tests are tagged, so that npm run test:random runs them', () => {
  const tests = globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] }).map((file) => ({
    file,
    text: readFileSync(file, 'utf8'),
  }));
  const random = tests.filter(({ text }) => text.includes('randomCases('));
  expect(random.length).toBeGreaterThan(15);
  expect(random.filter(({ text }) => !text.includes("tags: ['random']")).map(({ file }) => file)).toEqual([]);
});
