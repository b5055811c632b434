import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadDemoData } from '../../simulator/src/demo-data.ts';
import { readRecipes } from '../support/cookbook.ts';
import { start } from '../support/harness.ts';
import { PROJECT, startProgram } from '../support/process.ts';

/** An entry of a manifest. */
interface Entry {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly body: string;
}

/** Runs the script. Returns the operations that it prints. */
async function printManifest(env: Record<string, string> = {}): Promise<Entry[]> {
  const { code, stdout, stderr } = await startProgram('npm', ['run', '--silent', 'manifest'], { env }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { operations, ...manifest } = JSON.parse(stdout);
  expect(manifest).toEqual({ format: 'apollo-persisted-query-manifest', version: 1 });
  return operations;
}

/** Other names for the types that operations name. */
const OTHERS = 'TimeRangeInput:FooTimeRangeInput,DatasetResults:FooDatasetResults';

const paths = globSync('operations/*.graphql', { cwd: PROJECT }).toSorted();

describe('npm run manifest', () => {
  it('prints each file of operations/ under its hash', async () => {
    const operations = await printManifest();
    expect(operations).toEqual(
      paths.map((path) => {
        const body = readFileSync(`${PROJECT}${path}`, 'utf8').trimEnd();
        const [, name] = /^operations\/(\w+)\.graphql$/.exec(path) ?? [];
        return { id: createHash('sha256').update(body).digest('hex'), name, type: 'query', body };
      }),
    );
    expect(new Set(operations.map(({ id }) => id)).size).toBe(paths.length);
  });

  it('prints operations with the names of SCHEMA_NAMES, which give the responses of the cookbook', async () => {
    const names = { SCHEMA_NAMES: `${OTHERS},Asset:Thing,Query.dataset:one,Query.datasetsByIds:dataset` };
    const operations = await printManifest(names);
    const { query } = await start({
      ...(await loadDemoData()),
      env: { ...names, DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) },
    });
    const recipes = readRecipes();
    for (const { id, name, body } of operations) {
      expect(id).toBe(createHash('sha256').update(body).digest('hex'));
      const recipe = recipes.find(({ operation }) => operation === name);
      const variables = recipe?.variables ?? { id: 'x', first: 1 };
      const response = await query(body, { token: 'demo-token', variables });
      expect([name, response.status]).toEqual([name, 200]);
      // The link of a file is another one each time.
      if (recipe !== undefined && !['Download', 'PeriodsFile', 'RowsFile'].includes(name))
        expect(response.body.data).toEqual((recipe.response as { data: unknown }).data);
    }
    const { body } = operations.find(({ name }) => name === 'CompareRanges') ?? { body: '' };
    // Without these names the queries would be the same.
    expect(body.replaceAll('Foo', '').replaceAll(': one(', '(')).toBe(
      readFileSync(`${PROJECT}operations/CompareRanges.graphql`, 'utf8').trimEnd(),
    );
  });
});
