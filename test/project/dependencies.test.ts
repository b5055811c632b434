import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** What a lockfile says of a package. */
interface Locked {
  readonly link?: true;
  readonly integrity?: string;
}

/** The packages of the project and of each folder that installs its own: what a manifest asks for, and what is locked. */
const installations = globSync('**/package-lock.json', { exclude: ['**/node_modules'] }).map((file) => ({
  file,
  manifest: JSON.parse(readFileSync(file.replace('-lock', ''), 'utf8')),
  packages: Object.entries<Locked>(JSON.parse(readFileSync(file, 'utf8')).packages),
}));
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const workspaces = new Map<string, typeof manifest>(
  manifest.workspaces.map((name: string) => [name, JSON.parse(readFileSync(`${name}/package.json`, 'utf8'))]),
);

/**
 * What packages get in place of what they ask for: nothing else than the versions that they know. `pm2` is under the AGPL, and runs
 * Apollo's compatibility tests in a way that is not used here.
 */
const replaced: Record<string, Record<string, string>> = { 'conformance-suites': { pm2: 'npm:ms@2.1.3' } };

describe('Dependencies', () => {
  it('are pinned to one version each, and locked with a checksum', () => {
    const manifests = installations.map(({ manifest }) => manifest);
    for (const { name, dependencies, devDependencies, overrides } of [...manifests, ...workspaces.values()]) {
      expect([name, overrides]).toEqual([name, replaced[name]]);
      for (const version of Object.values({ ...dependencies, ...devDependencies })) {
        expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      }
    }
    for (const { file, packages } of installations) {
      for (const [path, { link, integrity }] of packages) {
        if (path === '' || workspaces.has(path) || link) continue;
        expect([file, path, integrity]).toEqual([file, path, expect.stringMatching(/^sha512-/)]);
      }
    }
  });

  it('stand where Renovate reads them', () => {
    // Otherwise it reads nothing in `test/` and `examples/`.
    expect(JSON.parse(readFileSync('renovate.json', 'utf8')).ignorePresets).toContain(':ignoreModulesAndTests');
    expect(readFileSync('test/python/requirements.txt', 'utf8')).toMatch(/^(?:[a-z-]+==[\d.]+\n)+$/);
    const scripts: string[] = [...Object.values<string>(manifest.scripts), readFileSync('.ci/run', 'utf8')];
    for (const script of scripts) expect(script).not.toMatch(/[=@]\d+\.\d+\.\d/);
  });

  it('of the workspaces are those of the package, which has what is compiled from them', () => {
    for (const { dependencies = {} } of workspaces.values()) expect(manifest.dependencies).toMatchObject(dependencies);
  });
});
