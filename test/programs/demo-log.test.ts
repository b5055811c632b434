import { describe, expect, it } from 'vitest';
import { queryAt } from '../support/harness.ts';
import { endpointOf, startAtTerminal, startEntry } from '../support/process.ts';

const CO2 = 'b83e5a17-9d42-4c6f-8a21-0f7c3d9e6b54';
const TOKEN = 'demo-token';

/** The demo, when it has printed all that it prints at start. */
async function startDemo(env: Record<string, string> = {}) {
  const program = startEntry('demo', { PORT: '0', ...env });
  await program.printed(/^Try:\n {2}(.*)\n {2}.*\n\n/m);
  return { program, endpoint: await endpointOf(program) };
}

describe('3.22 The log of npm run demo', () => {
  it('has a readable line in its log for each REST call and each operation; in a pipe without colours', async () => {
    const { program, endpoint } = await startDemo();
    const document = `{ dataset(id: "${CO2}") { name } }`;
    await queryAt(endpoint, document, { token: TOKEN, headers: { 'x-request-id': 'my-id' } });
    await program.printed(/GraphQL success.*\n/);
    program.kill('SIGTERM');
    const [, log = ''] = (await program.ended).stdout.split(/^ {2}DATASET_TOKEN.*\n\n/m);
    const times = /^\d\d:\d\d:\d\d\.\d{3} |[\d.]+ ms/gm;
    expect(log.replaceAll(times, '').split('\n')).toEqual([
      'REST    getDatasetMetadata  200    475 B  request my-id',
      'GraphQL success , 1 REST call, 475 B read, 46 B sent  request my-id',
      '',
    ]);
  });

  it('has no operations where it is set so', async () => {
    const { program, endpoint } = await startDemo({ LOG_OPERATIONS: 'off' });
    await queryAt(endpoint, `{ dataset(id: "${CO2}") { name } }`, { token: TOKEN });
    program.kill('SIGTERM');
    const [, log = ''] = (await program.ended).stdout.split(/^ {2}DATASET_TOKEN.*\n\n/m);
    expect(log).toMatch(/^\S+ REST .+\n$/);
  });

  it('has colours at a terminal, and none with NO_COLOR', async () => {
    const outputOf = async (env: Record<string, string>) => {
      const command = `'${process.execPath}' simulator/demo.ts`;
      const program = startAtTerminal(command, {
        env: { PORT: '0', TERM: 'xterm', ...env },
      });
      const endpoint = await endpointOf(program);
      await queryAt(endpoint, '{ __typename }', { headers: { 'x-request-id': 'my-id' } });
      const [line] = await program.printed(/.*GraphQL.*my-id\r\n/);
      return line;
    };
    const [coloured, plain] = await Promise.all([outputOf({}), outputOf({ NO_COLOR: '1' })]);
    const text = ', 0 REST calls, 32 B sent  request my-id\r\n';
    expect(coloured.replace(/\d\d:.{9}/, 'T').replace(/[\d.]+ ms/, 'N ms')).toBe(
      `\u001b[2mT\u001b[22m \u001b[32mGraphQL\u001b[39m success N ms${text}`,
    );
    expect(plain.replace(/\d\d:.{9}/, 'T').replace(/[\d.]+ ms/, 'N ms')).toBe(`T GraphQL success N ms${text}`);
  });
});
