import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entries } from '../support/entries.ts';
import { DATASET_ID, getSummary, listen, queryAt, send, start, startService } from '../support/harness.ts';
import { endpointOf, startEntry, startProgram } from '../support/process.ts';
import { endingsOf, endpoint, endpointIn, missing, refused, runMain, runPrograms, SERVICE } from './config.ts';
import type { OneOfSeveral } from './program-host.ts';

/** `npm start` with these settings, at any free port. */
const main = (env: Record<string, string>): OneOfSeveral => ({
  entry: 'main',
  env: { DATASET_SERVICE_URL: SERVICE, PORT: '0', ...env },
});

describe('1 npm start', () => {
  it('prints one line, with the URL of the endpoint', async () => {
    const program = startEntry('main', { DATASET_SERVICE_URL: SERVICE, PORT: '0' });
    await endpointOf(program);
    program.kill('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null, stdout: endpoint, stderr: '' });
  });

  it.each([
    ['graphiql', '/', /^GraphQL endpoint: .*\nGraphiQL: (\S+) \(in a browser: charts and maps; works offline\)\n$/],
    ['sandbox', '/graphql', /^GraphQL endpoint: .*\nApollo Sandbox: (\S+) \(in a browser: loaded from Apollo\)\n$/],
  ])('with EXPLORER=%s prints the URL of a page for browsers behind it', async (EXPLORER, path, lines) => {
    const { began } = await runPrograms([main({ EXPLORER })]);
    const [, url = ''] = lines.exec(began[0]?.stdout ?? '') ?? [];
    expect(url).toBe(new URL(path, endpointIn(began[0])).href);
    expect(await send(new URL(url), { headers: { accept: 'text/html' } })).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringMatching(/^text\/html/) },
    });
  });

  it('without DATASET_SERVICE_URL says so and exits with 1, and never falls back to demo data', async () => {
    const program = startProgram('npm', ['run', '--silent', 'start'], { env: { PORT: '0' } });
    expect(await program.ended).toMatchObject(refused(missing));
  });

  it('exits with 1 at an invalid value of a setting that the program reads', async () => {
    const { began } = await runPrograms([
      { entry: 'demo', env: { PORT: 'x' } },
      { entry: 'login', env: { AUTH_SERVICE_URL: 'x' } },
      // It checks no other setting of the subgraph.
      { entry: 'login', env: { PORT: 'x' } },
    ]);
    expect(began).toEqual([
      refused('PORT must be a whole number from 0 to 65535, but "x" was given.\n'),
      refused(expect.stringMatching(/^AUTH_SERVICE_URL must be an https URL .*\n$/)),
      refused('AUTH_SERVICE_URL must be set to the URL of the login service.\n'),
    ]);
  });

  it('says which port is in use', async () => {
    const { port } = new URL(await listen(() => {}));
    const env = { DATASET_SERVICE_URL: SERVICE, PORT: port, METRICS_PORT: '0' };
    const { began } = await runPrograms(['main' as const, 'demo' as const].map((entry) => ({ entry, env })));
    const sentence = `Port ${port} of 127.0.0.1 is in use. Set PORT to another port, or to 0 for any free port.\n`;
    expect(began).toEqual([refused(sentence), refused(sentence)]);
  });

  it('says that it cannot listen on a name of no host, and on an address of another host', async () => {
    const hosts = ['nowhere.invalid', '203.0.113.1', 'fe80::1'];
    const environments = hosts.map((HOST) => ({ DATASET_SERVICE_URL: SERVICE, PORT: '0', HOST }));
    const sentence = /^The subgraph cannot listen on HOST and PORT \([A-Z_]+\)\.\n$/;
    expect(await runMain(environments)).toEqual(hosts.map(() => refused(expect.stringMatching(sentence))));
  });
});

describe('1 A start that fails', () => {
  /** Makes Node.js run on, whatever a program does. */
  const NODE_OPTIONS = '--import data:text/javascript,setInterval(()=>{},1e9)';

  it.each<[title: string, program: string, env: Record<string, string>]>([
    ['npm start at an address that is not its own', 'src/main.ts', { HOST: '203.0.113.1', METRICS_PORT: '0' }],
    ['the demo at an address that is not its own', 'simulator/demo.ts', { HOST: '203.0.113.1' }],
    ['the schema with a name that is taken', 'src/schema.ts', { SCHEMA_NAMES: 'Asset:Metric' }],
    ['the supergraph without a subgraph', 'examples/supergraph/start.ts', {}],
  ])('ends %s with exit code 1 and one sentence, whatever is left open', async (_title, path, env) => {
    const nobody = await listen((socket) => socket.destroy());
    const all = { NODE_OPTIONS, DATASET_SERVICE_URL: SERVICE, PORT: '0', ...env };
    const program = startProgram(process.execPath, [path, nobody], { env: all });
    expect(await program.ended).toMatchObject(refused(expect.stringMatching(/^[A-Z][^\n]+\n$/)));
  });
});

describe('3.37 METRICS_PORT of npm start', () => {
  const metrics = (code: string) => `The metrics cannot be served on METRICS_HOST and METRICS_PORT (${code}).\n`;

  it('has its URL printed behind that of the endpoint', async () => {
    const { began } = await runPrograms([main({ METRICS_PORT: '0' })]);
    const lines = /^GraphQL endpoint: \S+\nMetrics: (http:\/\/127\.0\.0\.1:\d+\/metrics)\n$/;
    const [, url = ''] = lines.exec(began[0]?.stdout ?? '') ?? [];
    expect(await send(new URL(url))).toMatchObject({
      status: 200,
      text: expect.stringContaining('process_cpu_seconds'),
    });
  });

  it('says that it is in use, or cannot be served there, and ends', async () => {
    const { port } = new URL(await listen(() => {}));
    const env = { DATASET_SERVICE_URL: SERVICE, PORT: '0' };
    const elsewhere = { ...env, METRICS_PORT: '0', METRICS_HOST: 'nowhere.invalid' };
    expect(await runMain([{ ...env, METRICS_PORT: port }, elsewhere])).toEqual([
      refused(metrics('EADDRINUSE')),
      refused(metrics('ENOTFOUND')),
    ]);
  });
});

describe('1 Node.js', () => {
  /** Arguments that make Node.js take itself for another version. */
  async function pretending(version: string): Promise<string[]> {
    const directory = await mkdtemp(join(tmpdir(), 'node-version-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, 'pretend.cjs');
    const versions = `{ ...process.versions, node: '${version}' }`;
    await writeFile(file, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
    return ['-r', file];
  }

  const tooOld = (version: string) => refused(`dataset-subgraph needs Node.js 22.19 or newer; this is ${version}.\n`);

  it.each(['8.17.0', '22.18.9'])('%s is too old, and is told so', async (version) => {
    const args = [...(await pretending(version)), '-r', './src/node-version.cjs', 'src/main.ts'];
    expect(await startProgram(process.execPath, args).ended).toMatchObject(tooOld(version));
  });

  it.each(['22.19.0', '23.0.0', '100.0.0'])('%s is new enough', async (version) => {
    const args = [...(await pretending(version)), '-r', './src/node-version.cjs', '-p', 'process.versions.node'];
    const stdout = `${version}\n`;
    expect(await startProgram(process.execPath, args).ended).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  it.each(Object.values(entries))('%s says so too where it is started without npm', async (file) => {
    const args = [...(await pretending('22.18.0')), file];
    expect(await startProgram(process.execPath, args).ended).toMatchObject(tooOld('22.18.0'));
  });
});

/*
 * Clause 3.23 of docs/contract.md in detail.
 * `DATASET_SERVICE_URL` and `AUTH_SERVICE_URL` are https, or http on a loopback host. A path prefix is kept, and a
 * slash at the end is ignored. A user, a query or a fragment is rejected, and never printed.
 */
describe('3.23 DATASET_SERVICE_URL', () => {
  it('may be https, or http on a loopback host', async () => {
    const environments = [
      'https://api.example.com',
      'https://api.example.com:8443/prefix/',
      'http://localhost:8080',
      'http://LOCALHOST',
      'http://127.0.0.1',
      'http://127.255.255.254',
      'http://[::1]:8080',
      'https://user.example.com/a%40b',
    ].map((DATASET_SERVICE_URL) => ({ DATASET_SERVICE_URL, AUTH_SERVICE_URL: DATASET_SERVICE_URL, PORT: '0' }));
    const started = { code: null, stdout: endpoint, stderr: '' };
    expect(await endingsOf(environments)).toEqual(
      new Map(environments.map((environment) => [JSON.stringify(environment), started])),
    );
  });

  it.each([
    ['/', ''],
    ['/api', '/api'],
    ['/a%20b/c%2Fd//', '/a%20b/c%2Fd'],
  ])('with the path %j puts %j before the paths of the service', async (path, prefix) => {
    const { simulator } = await start();
    const bed = await start({ serviceUrl: `${simulator.url}${path}` });
    simulator.intercept(() => ({ status: 200, body: '{"name":"Prefixed"}' }));
    const { body } = await bed.query(`{ dataset(id: "${DATASET_ID}") { name download { url } } }`);
    const url = `${simulator.url}${prefix}/v1/collection/staticdataset/${DATASET_ID}/download`;
    expect(body).toEqual({ data: { dataset: { name: 'Prefixed', download: { url } } } });
    expect(simulator.requests.map(({ target }) => target)).toEqual([`${prefix}${getSummary().slice('GET '.length)}`]);
  });

  it('is where npm start sends its calls, each with a line in its log', async () => {
    const simulator = await startService();
    simulator.intercept(() => ({ status: 200, body: '{"name":"Prefixed"}' }));
    const program = startEntry('main', { DATASET_SERVICE_URL: `${simulator.url}/prefix/`, PORT: '0' });
    const { body } = await queryAt(await endpointOf(program), `{ dataset(id: "${DATASET_ID}") { name } }`);
    expect(body).toEqual({ data: { dataset: { name: 'Prefixed' } } });
    program.kill('SIGTERM');
    const [, call = '', ...others] = (await program.ended).stdout.split('\n');
    expect(JSON.parse(call)).toMatchObject({ msg: 'REST call', operation: 'getDatasetMetadata', status: 200 });
    expect(others).toEqual(['']);
    expect(simulator.requests.map(({ target }) => target)).toEqual([`/prefix${getSummary().slice('GET '.length)}`]);
  });
});
