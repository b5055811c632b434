import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listen } from '../support/harness.ts';
import { startProgram } from '../support/process.ts';
import { type Change, changed, EXAMPLE, npm, startDemo } from './example.ts';

const clients = ['graphql-request', 'urql', 'apollo-client'];

const printed = `Daily weather, Seattle and New York, since 2012-01-01T00:00:00.000Z
  Seattle-Tacoma (version 1), temp_max: 32.2 33.9 33.3
  Seattle-Tacoma (version 1), wind: 4.3 3.4 2.6
  New York (Central Park) (version 1), temp_max: 29.4 26.7 27.8
  New York (Central Park) (version 1), wind: 6.1 2.4 3.8
NOT_FOUND at datasetsByIds.1: The dataset service has nothing under this id.
`;

describe('The typed client', () => {
  it('prints what its README shows, by the calls that the query of each client needs', async () => {
    const { env, calls } = await startDemo();
    expect(await npm(['start'], { env })).toEqual({ code: 0, signal: null, stdout: printed.repeat(3), stderr: '' });
    expect(calls()).toEqual([6, 6]);
    expect(await readFile(join(EXAMPLE, 'README.md'), 'utf8')).toContain(`\n\`\`\`\n${printed}\`\`\`\n`);
  });

  const run = (client: string, env: Record<string, string>) =>
    startProgram(process.execPath, [`src/${client}.ts`], { cwd: EXAMPLE, env }).ended;

  it.each(clients)('by %s shows the errors of a response without data', async (client) => {
    const { env } = await startDemo();
    const message = 'The dataset service needs a valid bearer token in the Authorization header.';
    expect(await run(client, { ...env, TOKEN: 'another-token' })).toEqual({
      code: 0,
      signal: null,
      stdout: `UNAUTHENTICATED at datasetsByIds.0: ${message}\nUNAUTHENTICATED at datasetsByIds.1: ${message}\n`,
      stderr: '',
    });
  });

  it.each(clients)('by %s says in one sentence that no demo runs', async (client) => {
    const GRAPHQL_URL = await listen((socket) => socket.destroy());
    expect(await run(client, { GRAPHQL_URL })).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(
        /^No server answers at http:\/\/127\.0\.0\.1:\d+ \([A-Z_]+\)\. Start the demo \(npm run demo in the project's folder\), or set GRAPHQL_URL\.\n$/,
      ),
    });
  });

  it('has types that are generated from this schema and the operations', async () => {
    const { env } = await startDemo();
    expect(await npm(['run', 'generate', '--', '--check'], { env })).toMatchObject({ code: 0 });
    const cwd = await changed(['../../operations/SeveralDatasets.graphql', 'startDateTime', 'stopDateTime']);
    expect(await npm(['run', 'generate', '--', '--check'], { cwd, env })).toMatchObject({ code: 1 });
  });

  it('is type-checked: refuses variables of other types, fields that are not selected, and what may be null or is text', async () => {
    const faults: [error: string, ...change: Change][] = [
      ['TS2322', 'src/weather.ts', "'nowhere'", 'true'],
      ['TS2322', 'src/weather.ts', "'2015-07-01T00:00:00Z'", 'new Date(0)'],
      ['TS2339', 'src/show.ts', 'dataset.name', 'dataset.description'],
      ['TS18047', 'src/show.ts', 'results?.', 'results.'],
      // An Int64 is no number.
      ['TS2551', 'src/show.ts', '{version}', '{version?.toFixed()}'],
      ['TS2769', 'src/graphql-request.ts', '  variables,\n', ''],
      ['TS2741', 'src/urql.ts', 'Document, variables)', 'Document, {})'],
      ['TS2769', 'src/apollo-client.ts', 'Document, variables,', 'Document,'],
    ];
    const cwd = await changed(...faults.map(([, ...change]) => change));
    const { code, stdout } = await npm(['run', 'types'], { cwd });
    const found = [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error (\w+): /gm)].map(([, file, error]) => [error, file]);
    expect(found.toSorted()).toEqual(faults.map(([error, file]) => [error, file]).toSorted());
    expect(code).not.toBe(0);
  });
});
