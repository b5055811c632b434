import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/process.ts';
import { type Change, changed, EXAMPLE, npm, startDemo } from './example.ts';

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

/** Runs a program of the example. Returns how it ended, and the number of its operations. */
async function run(program: string, cwd = EXAMPLE) {
  const { env, operations } = await startDemo();
  const ending = await startProgram(process.execPath, [`src/${program}.ts`], { cwd, env }).ended;
  return { ending, requests: operations() };
}

/** A copy of the example with changes, whose operations select `datasetId` of assets in the place of `id`. */
async function withoutAssetId(...changes: readonly Change[]): Promise<string> {
  const names = ['AssetEdges', 'AssetList', 'AssetMap', 'AssetPage', 'SeveralDatasets'];
  const selections = names.map(
    (name): Change => [`../../operations/${name}.graphql`, 'asset { id assetId ', 'asset { datasetId assetId '],
  );
  const cwd = await changed(...changes, ...selections);
  const { env } = await startDemo();
  expect(await npm(['run', 'generate'], { cwd, env })).toMatchObject({ code: 0 });
  return cwd;
}

const complete = (stdout: string) => ({ code: 0, signal: null, stdout, stderr: '' });

describe('The cache of Apollo Client', () => {
  it('keeps the fields of two mounted queries by one request each, and joins pages by their edges', async () => {
    expect(await run('apollo-cache')).toEqual({ ending: complete(printed), requests: 6 });
  });

  it.each<Change>([
    ['src/apollo-cache.ts', 'createCache(),', "new (await import('@apollo/client')).InMemoryCache(),"],
    ['src/cache.ts', 'results: { merge: true },', ''],
    ['src/cache.ts', ', nodes: { merge: mergeDeeply }', ''],
  ])('without the policies that %s has as %s fetches again and again', async (...change) => {
    // How many of them come before the first data is printed is a matter of time.
    expect((await run('apollo-cache', await changed(change))).requests).toBeGreaterThan(6);
  });
});

describe('Graphcache of urql', () => {
  it('keeps the fields of two mounted queries by one request each, and pages by their arguments', async () => {
    expect(await run('urql-graphcache')).toEqual({ ending: complete(`${mounted}4 requests\n`), requests: 4 });
  });

  it('needs the keys of embedded types', async () => {
    const { ending } = await run(
      'urql-graphcache',
      await changed(['src/graphcache.ts', '      AssetSeries: embedded,\n', '']),
    );
    expect(ending.stderr).toContain('AssetSeries');
  });

  it('with relayPagination shows nothing of a list by nodes', async () => {
    const pagination = "(await import('@urql/exchange-graphcache/extras')).relayPagination()";
    const resolvers = `    resolvers: { DatasetResults: { series: ${pagination} } },\n    keys: {`;
    const { ending } = await run('urql-graphcache', await changed(['src/graphcache.ts', '    keys: {', resolvers]));
    expect(ending.stdout).not.toContain('List: ');
  });
});

describe('Assets without id', () => {
  it('need the keyFields of the comment of Apollo Client, and the key of that of urql', async () => {
    const keyFields = "keyFields: ['datasetId', 'assetId'],";
    const cwd = await withoutAssetId(
      ['src/cache.ts', 'Asset: {\n        fields', `Asset: { ${keyFields} fields`],
      ['src/graphcache.ts', '// Asset: (', 'Asset: ('],
    );
    expect(await run('apollo-cache', cwd)).toEqual({ ending: complete(printed), requests: 6 });
    expect(await run('urql-graphcache', cwd)).toEqual({ ending: complete(`${mounted}4 requests\n`), requests: 4 });
  });
});
