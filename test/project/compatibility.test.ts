import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { names, rowsOf } from '../support/doc-blocks.ts';

const PAGE = 'docs/compatibility.md';

/** What a lockfile says of a package. */
interface Locked {
  readonly license?: string;
  readonly dev?: true;
  readonly devOptional?: true;
  readonly link?: true;
  readonly peer?: true;
}

const read = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json'));
const packagesOf = (lockfile: string): Record<string, Locked> => JSON.parse(read(lockfile)).packages;
const lockfiles = globSync('**/package-lock.json', { exclude: ['**/node_modules'] });

describe(PAGE, () => {
  const supported = new Map(rowsOf(PAGE, 'what', 'works with', 'tested with').map(([what, ...cells]) => [what, cells]));

  it('has the versions of Node.js that are supported and tested', () => {
    const [works = '', tested = ''] = supported.get('Node.js') ?? [];
    const [least = ''] = works.split(' ');
    const { node } = JSON.parse(read('test/node-22.19/package.json')).devDependencies;
    const [, list = ''] = /node: \[(.*)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
    const [, image = ''] = /BASE_IMAGE=.*node:(\d+)/.exec(read('deploy/Containerfile')) ?? [];
    const [major = ''] = manifest.devDependencies.node.split('.');
    expect(manifest.engines.node).toBe(`>=${least}`);
    const workflow = list.replaceAll("'", '').replace(/, (\d+)$/, ' and $1');
    expect(tested).toBe(
      `${major} by \`.ci/run\`; ${node} by \`npm run nightly\`; ${workflow} by the GitHub workflow; the image has ${image}`,
    );
  });

  it('has the version of federation, and of OpenTelemetry’s packages the lowest is installed', () => {
    const [, version = ''] = /federation\/v([\d.]+)"/.exec(read('schema.graphql')) ?? [];
    expect(supported.get('Federation')?.[0]).toMatch(new RegExp(` version ${version}$`));
    for (const [name, range] of Object.entries<string>(manifest.peerDependencies)) {
      expect([name, range.split(' ')[0]]).toEqual([name, `>=${manifest.devDependencies[name]}`]);
    }
  });

  it('has the licences of what an installation brings', () => {
    const brought = Object.entries(packagesOf('package-lock.json')).filter(
      ([path, { dev, devOptional, link, peer }]) =>
        path.includes('node_modules/') && !(dev ?? devOptional ?? link ?? peer),
    );
    const counted = Object.groupBy(brought, ([, { license = 'none' }]) => license.replaceAll(/[()]/g, ''));
    const rows = rowsOf(PAGE, 'licence', 'packages').filter(([, count = '']) => /^\d+$/.test(count));
    expect(Object.fromEntries(rows.map(([licence, count]) => [licence, Number(count)]))).toEqual(
      Object.fromEntries(Object.entries(counted).map(([licence, found = []]) => [licence, found.length])),
    );
  });

  it('has all packages of a checkout that are under Elastic-2.0 or a GPL, and who installs them', () => {
    const found = new Map<string, Set<string>>();
    const folders = new Map<string, Set<string>>();
    for (const lockfile of lockfiles) {
      for (const [path, { license = '' }] of Object.entries(packagesOf(lockfile))) {
        if (!/Elastic|GPL/.test(license)) continue;
        const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
        found.set(license, (found.get(license) ?? new Set()).add(name));
        folders.set(license, (folders.get(license) ?? new Set()).add(lockfile.replace('/package-lock.json', '')));
      }
    }
    const rows = rowsOf(PAGE, 'licence', 'packages', 'installed by');
    expect(rows.map(([licence, packages = '']) => [licence, names(packages)])).toEqual(
      [...found]
        .toSorted()
        .reverse()
        .map(([licence, packages]) => [licence, [...packages].toSorted()]),
    );
    for (const [licence = '', , scripts = ''] of rows) {
      const installing = Object.entries<string>(manifest.scripts).filter(([, script]) =>
        [...script.matchAll(/support\/install\.ts ([^&]+) &&/g)].some(([, installed = '']) =>
          installed.split(' ').some((folder) => folders.get(licence)?.has(folder)),
        ),
      );
      expect(names(scripts).toSorted()).toEqual(installing.map(([name]) => name).toSorted());
    }
  });
});
