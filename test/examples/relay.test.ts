import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dataset, start, TOKEN } from '../support/harness.ts';
import { PROJECT } from '../support/process.ts';
import { npm, startDemo } from './example.ts';

const cwd = join(PROJECT, 'examples/relay');

const printed = `Daily weather, Seattle and New York
Seattle-Tacoma: 1461 rows
More
Daily weather, Seattle and New York
Seattle-Tacoma: 1461 rows
New York (Central Park): 1461 rows
`;

describe('The example with Relay', () => {
  it('prints what its README shows, by one results call for each page', async () => {
    const { env, calls } = await startDemo();
    expect(await npm(['start'], { cwd, env })).toEqual({ code: 0, signal: null, stdout: printed, stderr: '' });
    expect(await readFile(join(cwd, 'README.md'), 'utf8')).toContain(`\n\`\`\`\n${printed}\`\`\`\n`);
    expect(calls()).toEqual([1, 2]);
  });

  it('keeps assets of two datasets with the same assetId apart', async () => {
    const ids = ['1', '2'];
    const { subgraph, filters } = await start({
      datasets: ids.map((id) => ({
        ...dataset,
        metadata: { ...dataset.metadata, id },
        results: { assets: [{ asset_id: 'a', asset_name: `Field of ${id}`, results: [] }] },
      })),
    });
    vi.stubEnv('GRAPHQL_URL', new URL('/graphql', subgraph.url).href);
    vi.stubEnv('TOKEN', TOKEN);
    onTestFinished(() => void vi.unstubAllEnvs());
    // By paths of their own, because the types of the project do not include the packages of the example.
    const { environment } = await import(`${cwd}/src/environment.ts`);
    const { default: query } = await import(`${cwd}/src/generated/AssetPagesNextQuery.graphql.ts`);
    const { default: runtime } = await import(`${cwd}/node_modules/relay-runtime/index.js`);
    const operations = ids.map((id) => runtime.createOperationDescriptor(query, { id, first: 1 }));
    for (const operation of operations) {
      // What is not retained may be collected before the other dataset is there.
      environment.retain(operation);
      await runtime.fetchQuery(environment, query, operation.request.variables).toPromise();
    }
    expect(filters()).toHaveLength(2);
    const assets = Object.values<Record<string, unknown>>(environment.getStore().getSource().toJSON()).filter(
      ({ __typename }) => __typename === 'Asset',
    );
    expect(assets.map(({ name }) => name)).toEqual(['Field of 1', 'Field of 2']);
    expect(new Set(assets.map(({ __id }) => __id)).size).toBe(2);
  });

  it('is compiled from this schema, as it is', async () => {
    const { code, stdout } = await npm(['run', 'generate', '--', '--validate'], { cwd });
    expect(stdout).not.toContain('ERROR');
    expect(code).toBe(0);
  });

  it('is type-checked', async () => {
    expect(await npm(['run', 'types'], { cwd })).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });
});
