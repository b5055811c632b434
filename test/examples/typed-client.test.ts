import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listen } from '../support/harness.ts';
import { PROJECT, startProgram } from '../support/process.ts';
import { changed, EXAMPLE, npm, startDemo, stopDemo } from './example.ts';

const clients = ['graphql-request', 'urql', 'apollo-client'];

const printed = `Daily weather, Seattle and New York, since 2012-01-01T00:00:00.000Z
  Seattle-Tacoma (version 1), temp_max: 32.2 33.9 33.3
  Seattle-Tacoma (version 1), wind: 4.3 3.4 2.6
  New York (Central Park) (version 1), temp_max: 29.4 26.7 27.8
  New York (Central Park) (version 1), wind: 6.1 2.4 3.8
NOT_FOUND at datasetsByIds.1: The dataset service has nothing under this id.
`;

describe('The typed client', () => {
  it.each(clients)('by %s gets data and errors, by the calls that the query needs', async (client) => {
    const { demo, env } = await startDemo();
    const program = startProgram(process.execPath, [`src/${client}.ts`], { cwd: EXAMPLE, env });
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: printed, stderr: '' });
    expect((await stopDemo(demo)).restCalls).toEqual([
      'getDatasetMetadata',
      'getDatasetMetadata',
      'getDatasetResults',
      'getDatasetResults',
    ]);
  });

  it.each(clients)('by %s shows the code of the error where nothing could be had', async (client) => {
    const { env } = await startDemo();
    const program = startProgram(process.execPath, [`src/${client}.ts`], {
      cwd: EXAMPLE,
      env: { ...env, TOKEN: 'another-token' },
    });
    const message = 'The dataset service needs a valid bearer token in the Authorization header.';
    expect(await program.ended).toEqual({
      code: 0,
      signal: null,
      stdout: `UNAUTHENTICATED at datasetsByIds.0: ${message}\nUNAUTHENTICATED at datasetsByIds.1: ${message}\n`,
      stderr: '',
    });
  });

  it.each(clients)('by %s says in one sentence that no demo runs', async (client) => {
    const GRAPHQL_URL = await listen((socket) => socket.destroy());
    const program = startProgram(process.execPath, [`src/${client}.ts`], { cwd: EXAMPLE, env: { GRAPHQL_URL } });
    expect(await program.ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(
        /^No server answers at http:\/\/127\.0\.0\.1:\d+ \([A-Z_]+\)\. Start the demo \(npm run demo in the project's folder\), or set GRAPHQL_URL\.\n$/,
      ),
    });
  });

  it('prints what its README shows', async () => {
    const { env } = await startDemo();
    expect(await npm(['start'], { env })).toEqual({ code: 0, signal: null, stdout: printed.repeat(3), stderr: '' });
    expect(await readFile(join(EXAMPLE, 'README.md'), 'utf8')).toContain(`\n\`\`\`\n${printed}\`\`\`\n`);
  });

  it('has types that are generated from this schema and the operations', async () => {
    const { env } = await startDemo();
    expect(await npm(['run', 'generate', '--', '--check'], { env })).toMatchObject({ code: 0 });
    const cwd = await changed('../../operations/SeveralDatasets.graphql', 'startDateTime', 'stopDateTime');
    expect(await npm(['run', 'generate', '--', '--check'], { cwd, env })).toMatchObject({ code: 1 });
  });

  it('has the same types from the file of the schema', async () => {
    const cwd = await changed('codegen.ts', 'schema: url', `schema: '${join(PROJECT, 'schema.graphql')}'`);
    expect(await npm(['run', 'generate', '--', '--check'], { cwd })).toMatchObject({ code: 0 });
  });

  it('is type-checked', async () => {
    expect(await npm(['run', 'types'])).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  it.each([
    ['a variable of another type', 'src/weather.ts', "'nowhere'", 'true', 'TS2322'],
    ['a time that is no TimeBound', 'src/weather.ts', "'2015-07-01T00:00:00Z'", 'new Date(0)', 'TS2322'],
    ['a field that is not selected', 'src/show.ts', 'dataset.name', 'dataset.description', 'TS2339'],
    ['a field that may be null', 'src/show.ts', 'results?.', 'results.', 'TS18047'],
    ['an Int64 as a number', 'src/show.ts', '{version}', '{version?.toFixed()}', 'TS2551'],
    ['no variables, by graphql-request', 'src/graphql-request.ts', '  variables,\n', '', 'TS2769'],
    ['no variables, by urql', 'src/urql.ts', 'Document, variables)', 'Document, {})', 'TS2741'],
    ['no variables, by Apollo Client', 'src/apollo-client.ts', 'Document, variables,', 'Document,', 'TS2769'],
  ])('refuses %s', async (_title, file, from, to, error) => {
    const { code, stdout } = await npm(['run', 'types'], { cwd: await changed(file, from, to) });
    expect(stdout.split('\n').filter((line) => /^\S/.test(line))).toEqual([
      expect.stringMatching(new RegExp(`^${file}\\(\\d+,\\d+\\): error ${error}: `)),
    ]);
    expect(code).not.toBe(0);
  });
});
