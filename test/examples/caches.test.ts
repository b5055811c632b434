import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/process.ts';
import { changed, EXAMPLE, npm, startDemo, stopDemo } from './example.ts';

const mounted = `List: Seattle-Tacoma, 1461 rows
List: New York (Central Park), 1461 rows
Map: seattle-tacoma at 47.449 -122.309
Map: new-york-central-park at 40.779 -73.969
2 requests
Pages: Seattle-Tacoma, New York (Central Park)
`;

/** What Apollo Client prints. */
const printed = `${mounted}One page: Seattle-Tacoma
One page: New York (Central Park)
6 requests
`;

/** Runs a program of the example. Returns how it ended, and the operations that the demo has had of it. */
async function run(program: string, cwd = EXAMPLE) {
  const { demo, env } = await startDemo();
  const ending = await startProgram(process.execPath, [`src/${program}.ts`], { cwd, env }).ended;
  return { ending, requests: (await stopDemo(demo)).operations };
}

/** A copy of the example with one text replaced, whose operations select `datasetId` of assets in the place of `id`. */
async function withoutAssetId(file: string, from: string, to: string): Promise<string> {
  const cwd = await changed(file, from, to);
  for (const name of ['AssetEdges', 'AssetList', 'AssetMap', 'AssetPage', 'SeveralDatasets']) {
    const path = join(cwd, '../../operations', `${name}.graphql`);
    const text = await readFile(path, 'utf8');
    expect(text).toContain('asset { id assetId ');
    await writeFile(path, text.replace('asset { id assetId ', 'asset { datasetId assetId '));
  }
  const { env } = await startDemo();
  expect(await npm(['run', 'generate'], { cwd, env })).toMatchObject({ code: 0 });
  return cwd;
}

const complete = (stdout: string) => ({ code: 0, signal: null, stdout, stderr: '' });

describe('The cache of Apollo Client', () => {
  it('keeps the fields of two mounted queries by one request each, and joins pages by their edges', async () => {
    expect(await run('apollo-cache')).toEqual({ ending: complete(printed), requests: 6 });
  });

  it.each([
    [
      'without policies',
      'src/apollo-cache.ts',
      'createCache(),',
      "new (await import('@apollo/client')).InMemoryCache(),",
    ],
    ['that replaces results', 'src/cache.ts', 'results: { merge: true },', ''],
    ['that replaces entries', 'src/cache.ts', ', nodes: { merge: mergeDeeply }', ''],
  ])('%s has its two queries fetch again and again', async (_title, file, from, to) => {
    const { requests } = await run('apollo-cache', await changed(file, from, to));
    // How many of them come before the first data is printed is a matter of time.
    expect(requests).toBeGreaterThan(6);
  });

  it('with relayStylePagination alone shows page 1 of nodes in the place of page 2', async () => {
    const cwd = await changed('src/cache.ts', 'series: seriesPolicy()', "series: relayStylePagination(['first'])");
    const { ending } = await run('apollo-cache', cwd);
    expect(ending.stdout.match(/^(Pages|One page): .*$/gm)).toEqual([
      'Pages: Seattle-Tacoma, New York (Central Park)',
      'One page: Seattle-Tacoma',
      'One page: Seattle-Tacoma',
    ]);
  });

  const keyFields = "keyFields: ['datasetId', 'assetId'],";

  it('needs id of assets, or the keyFields of its comment', async () => {
    const { requests } = await run('apollo-cache', await withoutAssetId('src/cache.ts', `// ${keyFields}`, '//'));
    expect(requests).toBeGreaterThan(6);
    const cwd = await withoutAssetId('src/cache.ts', 'Asset: {\n        fields', `Asset: { ${keyFields} fields`);
    expect(await run('apollo-cache', cwd)).toEqual({ ending: complete(printed), requests: 6 });
  });
});

describe('Graphcache of urql', () => {
  it('keeps the fields of two mounted queries by one request each, and pages by their arguments', async () => {
    expect(await run('urql-graphcache')).toEqual({ ending: complete(`${mounted}4 requests\n`), requests: 4 });
  });

  it('warns of a type without a key', async () => {
    const { ending } = await run(
      'urql-graphcache',
      await changed('src/graphcache.ts', '      AssetSeries: embedded,\n', ''),
    );
    expect(ending.stderr).toContain('AssetSeries');
  });

  it('needs id of assets, or the key of its comment', async () => {
    const { ending } = await run('urql-graphcache', await withoutAssetId('src/graphcache.ts', '// Asset: (', '// ('));
    expect(ending.stderr).toContain('`Asset`');
    const cwd = await withoutAssetId('src/graphcache.ts', '// Asset: (', 'Asset: (');
    expect(await run('urql-graphcache', cwd)).toEqual({ ending: complete(`${mounted}4 requests\n`), requests: 4 });
  });

  it('with relayPagination shows nothing of a list by nodes', async () => {
    const cwd = await changed(
      'src/graphcache.ts',
      '    keys: {',
      "    resolvers: { DatasetResults: { series: (await import('@urql/exchange-graphcache/extras')).relayPagination() } },\n    keys: {",
    );
    const { ending } = await run('urql-graphcache', cwd);
    expect(ending.stdout).not.toContain('List: ');
  });
});
