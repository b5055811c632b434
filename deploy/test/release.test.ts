import { execFile, spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isTested, linuxOnX64 } from '../../test/support/left-out.ts';
import { type Ending, PROJECT, startProgram } from '../../test/support/process.ts';
import { read } from './files.ts';
import { namesIn, RELEASE_ENV, type Sbom } from './release.ts';

const { version } = JSON.parse(read('package.json'));
const PAGES = `https://github.com/Example/dataset-subgraph/blob/v${version}`;
const PACKAGE = `dataset-subgraph-${version}.tgz`;
const CHART = `dataset-subgraph-chart-${version}.tgz`;
const MAKE_MS = 120_000;

const entry = `## [${version}] - 2026-01-02

### Added

- \`npm run ask\`, see [the terminal](docs/terminal.md#start) and [the specification](https://spec.graphql.org).

## [0.0.1] - 2025-01-02

- Older.
`;

/** With helm. */
const PATH = `${PROJECT}deploy/test/node_modules/.bin:${process.env.PATH}`;

/** Where the files of the release are made, and its copy of the project. */
let folder = '';
let project = '';
/** The package, unpacked. */
let unpacked = '';

/** Runs a command of the release, in the project or in a copy of it. */
function release(args: string[], { env = {}, cwd = PROJECT } = {}): Promise<Ending> {
  return startProgram('deploy/release.sh', args, { cwd, env: { ...RELEASE_ENV, PATH, ...env } }).ended;
}

const inPackage = (path: string) => readFileSync(join(unpacked, path), 'utf8');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-'));
  project = join(folder, 'project');
  for (const file of [
    ...['package.json', 'package-lock.json', 'deploy/release.sh', 'deploy/Containerfile'],
    ...['deploy/kubernetes/deployment.yaml', 'deploy/chart/Chart.yaml'],
  ]) {
    cpSync(join(PROJECT, file), join(project, file));
  }
  await writeFile(join(project, 'CHANGELOG.md'), `# Changelog\n\nIts format.\n\n${entry}`);
  unpacked = join(folder, 'unpacked');
  await mkdir(unpacked);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('deploy/release.sh', () => {
  it('is a script without faults, as .ci/run is', () => {
    const scripts = ['deploy/release.sh', '.ci/run'];
    for (const script of scripts) expect(spawnSync('bash', ['-n', script], { cwd: PROJECT }).status).toBe(0);
    const { status, stdout } = spawnSync('shellcheck', scripts, { cwd: PROJECT, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('checks that tag, versions and changelog are of one release', async () => {
    const check = (tag: string) => release(['check', tag], { cwd: project });
    /** What it reports while a file of the copy has another text. */
    const reportOf = async (file: string, change: (text: string) => string) => {
      const path = join(project, file);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, change(text));
      const { code, stderr } = await check(`v${version}`);
      writeFileSync(path, text);
      return { code, stderr };
    };
    expect(await check(`v${version}`)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await check(version)).toMatchObject({ code: 1, stderr: expect.stringContaining(`The tag is ${version}`) });
    for (const file of ['package-lock.json', 'deploy/Containerfile', 'deploy/kubernetes/deployment.yaml']) {
      expect(await reportOf(file, (text) => text.replaceAll(version, '9.9.9'))).toEqual({
        code: 1,
        stderr: `${file} does not have the version ${version}.\n`,
      });
    }
    for (const first of ['## [Unreleased]\n', '## [9.9.9] - 2026-01-02\n', `## [${version}]\n`]) {
      const { code, stderr } = await reportOf('CHANGELOG.md', () => `# Changelog\n\n${first}\n${entry}`);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`The first entry of CHANGELOG.md is "${first.trim()}"`),
      ]);
    }
  });

  it('needs the repository, and a command', async () => {
    expect(await release(['check', 'v1'], { env: { GITHUB_REPOSITORY: '' } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GITHUB_REPOSITORY: must be set to owner/name'),
    });
    expect(await release(['rm'])).toMatchObject({ code: 1, stderr: expect.stringContaining('Usage: ') });
  });
});

// The script is for Linux: a workflow runs it there.
describe.runIf(isTested('the files of a release', linuxOnX64))('The files of a release', () => {
  beforeAll(async () => {
    for (const command of ['pack', 'sbom', 'chart']) {
      const env = { ...process.env, ...RELEASE_ENV, PATH };
      await promisify(execFile)('deploy/release.sh', [command, folder], { cwd: PROJECT, env });
    }
    spawnSync('tar', ['-xzf', join(folder, PACKAGE), '--strip-components=1', '-C', unpacked]);
  }, MAKE_MS);

  it('have a package, alerts, a dashboard and a chart that lead to this version, in the package and alone', () => {
    expect(JSON.parse(inPackage('package.json'))).toMatchObject({
      version,
      repository: { type: 'git', url: 'git+https://github.com/Example/dataset-subgraph.git' },
      bugs: { url: 'https://github.com/Example/dataset-subgraph/issues' },
      homepage: 'https://github.com/Example/dataset-subgraph#readme',
    });
    const { groups } = parse(inPackage('deploy/observability/rules.yaml'));
    const rules: { alert?: string; annotations?: object }[] = groups.flatMap(({ rules }: { rules: object[] }) => rules);
    for (const { alert, annotations } of rules) {
      if (alert === undefined) continue;
      const runbook_url = `${PAGES}/docs/operations.md#${alert.toLowerCase()}`;
      expect(annotations).toEqual({ summary: expect.anything(), description: expect.anything(), runbook_url });
    }
    const { links } = JSON.parse(inPackage('deploy/observability/dashboard.json'));
    expect(links).toMatchObject([{ title: 'Runbook', url: `${PAGES}/docs/operations.md` }]);
    const alone = ['-xzOf', join(folder, CHART), 'dataset-subgraph/values.yaml'];
    for (const values of [inPackage('deploy/chart/values.yaml'), spawnSync('tar', alone, { encoding: 'utf8' }).stdout])
      expect(parse(values).image.repository).toBe('ghcr.io/example/dataset-subgraph');
  });

  it('have nothing but that changed', () => {
    const changed = globSync('**/*', { cwd: unpacked, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(unpacked.length + 1))
      .filter((path) => !readFileSync(join(unpacked, path)).equals(readFileSync(join(PROJECT, path))));
    expect(changed.toSorted()).toEqual([
      'deploy/chart/values.yaml',
      'deploy/observability/dashboard.json',
      'deploy/observability/rules.yaml',
      'package.json',
    ]);
  });

  it('have an SBOM with each production package of the lockfile', () => {
    const sbom: Sbom & Record<string, unknown> = JSON.parse(
      readFileSync(join(folder, `dataset-subgraph-${version}.cdx.json`), 'utf8'),
    );
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { type: 'application', name: 'dataset-subgraph', version } },
    });
    const { packages } = JSON.parse(read('package-lock.json'));
    const locked = Object.entries<{ version: string; dev?: true; link?: true }>(packages)
      .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    // A package of the tests, for which others have an optional wish.
    const types = `@types/node@${packages['node_modules/@types/node'].version}`;
    expect(namesIn(sbom)).toEqual([...new Set(locked)].filter((name) => name !== types).toSorted());
    expect(sbom.components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
  });

  it('can be published', { timeout: MAKE_MS }, async () => {
    const { code, stderr, stdout } = await release(['publish', folder, '--dry-run', '--fetch-retries=0']);
    expect({ code, stdout: stdout.trim() }, stderr).toEqual({ code: 0, stdout: `+ dataset-subgraph@${version}` });
    expect(stderr).toMatch(/public access \(dry-run\)/);
  });

  it('have checksums, names and notes, which say how to check them', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    await writeFile(join(folder, 'image-digest'), digest);
    expect(await release(['checksums', folder])).toMatchObject({ code: 0, stderr: '' });
    const checked = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
    const names = [CHART, PACKAGE, `dataset-subgraph-${version}.cdx.json`];
    expect(checked.stdout.trim().split('\n').toSorted()).toEqual(names.map((name) => `${name}: OK`).toSorted());

    const { stdout: outputs } = await release(['names', 'release'], { cwd: project });
    expect(outputs.trim().split('\n').toSorted()).toEqual(
      [
        'image-sbom=release/dataset-subgraph-image-VERSION.cdx.json',
        'image=ghcr.io/example/dataset-subgraph',
        'package=release/dataset-subgraph-VERSION.tgz',
        'sbom=release/dataset-subgraph-VERSION.cdx.json',
        'version=VERSION',
      ].map((line) => line.replace('VERSION', version)),
    );
    expect((await release(['names', folder])).stdout).toContain(`digest=${digest}\n`);

    const { code, stdout: notes } = await release(['notes', folder], { cwd: project });
    expect(code).toBe(0);
    expect(notes.trim().split('\n').slice(0, 3)).toEqual([
      '### Added',
      '',
      `- \`npm run ask\`, see [the terminal](${PAGES}/docs/terminal.md#start) and [the specification](https://spec.graphql.org).`,
    ]);
    expect(notes).not.toContain('Older.');
    expect(notes).toContain(`cosign verify ghcr.io/example/dataset-subgraph@${digest} \\\n`);
    expect(notes).toContain(
      `https://github.com/Example/dataset-subgraph/.github/workflows/release.yml@refs/tags/v${version} \\\n`,
    );
    expect(notes).toContain(`gh attestation verify ${PACKAGE} --repo Example/dataset-subgraph\n`);
  });
});

describe('The project', () => {
  it('has no link to a repository that is not there', () => {
    const { stdout } = spawnSync('git', ['grep', '-nE', 'github\\.com/[^/ ]+/dataset-subgraph', '--', '.'], {
      cwd: PROJECT,
      encoding: 'utf8',
    });
    expect(stdout.split('\n').filter((line) => line !== '' && !line.startsWith('deploy/test/'))).toEqual([]);
    const { repository, bugs, homepage } = JSON.parse(read('package.json'));
    expect({ repository, bugs, homepage }).toEqual({});
  });
});
