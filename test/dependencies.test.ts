import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** The first versions without a fault that would have been one of this program's: GHSA-9q82-xgwf-vj6h, say. */
const floors: Record<string, string> = {
  '@apollo/server': '5.5.0',
  '@apollo/gateway': '2.10.1',
  graphql: '16.8.1',
  undici: '7.24.0',
  zod: '3.22.3',
};

function isAtLeast(version: string, floor: string): boolean {
  const [given = [], least = []] = [version, floor].map((text) => text.split('.').map(Number));
  const place = least.findIndex((number, index) => number !== given[index]);
  return place === -1 || (given[place] ?? 0) > (least[place] ?? 0);
}

describe('Dependencies', () => {
  it.each(Object.entries(floors))('%s is %s or newer, each copy of it', (name, floor) => {
    const copies = Object.entries<{ version: string }>(lock.packages).filter(([path]) =>
      path.endsWith(`node_modules/${name}`),
    );
    expect(copies.length).toBeGreaterThan(0);
    for (const [path, { version }] of copies) expect([path, isAtLeast(version, floor)]).toEqual([path, true]);
  });

  it('are pinned to one version each, and locked with a checksum', () => {
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const version of Object.values(wanted)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    for (const [path, entry] of Object.entries<{ integrity?: string }>(lock.packages)) {
      if (path !== '') expect([path, entry.integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    }
  });
});
