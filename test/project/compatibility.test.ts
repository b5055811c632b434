import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { names, rowsOf } from '../support/doc-blocks.ts';

const PAGE = 'docs/compatibility.md';

/** What a lockfile says of a package. */
interface Locked {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string) => readFileSync(file, 'utf8');
const manifest = JSON.parse(read('package.json'));
const packagesOf = (lockfile: string): Record<string, Locked> => JSON.parse(read(lockfile)).packages;
const lockfiles = globSync('**/package-lock.json', { exclude: ['**/node_modules'] });

/** The path in a lockfile of what a package imports by a name: the nearest one. */
function resolve(packages: Record<string, Locked>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in packages || folder === '') return path;
  }
}

/** The packages that an installation of this one brings, by their paths. */
function installed(packages: Record<string, Locked>): Set<string> {
  const found = new Set<string>();
  const visit = (from: string, dependencies: Locked['dependencies'] = {}) => {
    for (const name of Object.keys(dependencies)) {
      const path = resolve(packages, from, name);
      if (found.has(path)) continue;
      found.add(path);
      visit(path, { ...packages[path]?.dependencies, ...packages[path]?.optionalDependencies });
    }
  };
  visit('', manifest.dependencies);
  return found;
}

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
    const packages = packagesOf('package-lock.json');
    const paths = [...installed(packages)];
    const counted = Object.groupBy(paths, (path) => (packages[path]?.license ?? 'none').replaceAll(/[()]/g, ''));
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
