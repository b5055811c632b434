import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryAt, send } from '../support/harness.ts';
import { endpointOf, startAtTerminal, startEntry, startProgram } from '../support/process.ts';
import { endpointIn } from './config.ts';
import { type ProgramHost, startHost } from './program-host.ts';

const WEATHER = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';
const EARTHQUAKES = 'd40b8e93-7c26-4f1a-a5d8-3b6f9e2c1057';
const CO2 = 'b83e5a17-9d42-4c6f-8a21-0f7c3d9e6b54';
const ELECTRICITY = '2a9c7f60-e51b-4d38-b6f4-8c1e0a5d7923';
const TOKEN = 'demo-token';

const linkedAssetIds = Array.from({ length: 20 }, (_, index) => `field-${String(index + 1).padStart(4, '0')}`);
/** The ids and names of the datasets, in their order, and what else GraphiQL knows of them. */
const DATASETS: readonly [id: string, name: string, more?: object][] = [
  [WEATHER, 'Daily weather, Seattle and New York'],
  [CO2, 'Mauna Loa CO2'],
  [ELECTRICITY, 'Iowa electricity by source'],
  [EARTHQUAKES, 'Earthquakes of one week'],
  ['5c0e7d19-2f84-4b6a-8d3c-91f0a6b7e245', '1,000 fields, three years (generated)', { linkedAssetIds }],
];

/** All that the demo prints at start: the banner, and two commands to try. */
const PRINTED = /^\n(.*?)^Try:\n {2}(.*)\n {2}(.*)\n\n/ms;

/** The process of all demos, which have a port each. */
let host: ProgramHost;

/** A demo with these settings, when it has printed all that it prints at start. */
async function startDemo(env: Record<string, string> = {}) {
  const began = await host.run({ entry: 'demo', env: { PORT: '0', ...env } });
  const [, banner = '', curl = '', ask = ''] = PRINTED.exec(began.stdout) ?? [];
  return { endpoint: endpointIn(began), banner, curl, ask };
}

const bash = (command: string) => startProgram('bash', ['-c', command], { env: { LANG: 'C.UTF-8' } }).ended;

/** The demo without settings, which the tests share. */
let demo: Awaited<ReturnType<typeof startDemo>>;
let endpoint: URL;
beforeAll(async () => {
  host = startHost();
  demo = await startDemo();
  endpoint = demo.endpoint;
});
afterAll(async () => void (await host.stop()));

const queryDemo = async (document: string) => (await queryAt(endpoint, document, { token: TOKEN })).body;
const file = async (...given: Parameters<typeof fetch>) => {
  const response = await fetch(...given);
  const expected = await readFile('simulator/demo-data/earthquakes.json');
  const isWhole = Buffer.from(await response.arrayBuffer()).equals(expected);
  return [response.status, response.headers.get('content-disposition'), isWhole];
};

describe('1 npm run demo', () => {
  it('prints the endpoint, a token, the datasets and a query to try', () => {
    expect(demo.banner).toBe(`GraphQL endpoint: ${endpoint}
Start page: ${new URL('/', endpoint)} (in a browser: the datasets, and what they hold)
GraphiQL: ${new URL('/graphiql', endpoint)} (in a browser: examples, charts and maps; works offline)
Apollo Sandbox: ${endpoint} (in a browser: loaded from Apollo)
Token: ${TOKEN}

Datasets:
${DATASETS.map(([id, name]) => `  ${id}  ${name}`).join('\n')}

`);
    expect(endpoint.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/graphql$/);
  });

  it('prints a curl line that works as it stands', async () => {
    const { code, stdout, stderr } = await bash(demo.curl);
    const station = (name: string) => ({
      asset: { name },
      rowCount: 1461,
      metricNames: ['precipitation', 'temp_max', 'temp_min', 'wind'],
    });
    const results = { series: { nodes: [station('Seattle-Tacoma'), station('New York (Central Park)')] } };
    const [, name] = DATASETS[0] ?? [];
    expect(JSON.parse(stdout)).toEqual({ data: { dataset: { name, assetCount: 2, results } } });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('prints a line for the terminal command that works as it stands', async () => {
    const shown = /^Mauna Loa CO2: co2\n(?:.*\n)*.*Mauna Loa Observatory/;
    expect(await bash(demo.ask)).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(shown) });
  });

  it('prints lines that work as they stand with SCHEMA_NAMES', async () => {
    const renamed = await startDemo({ SCHEMA_NAMES: 'Query.dataset:platformDataset' });
    expect(JSON.parse((await bash(renamed.curl)).stdout)).toMatchObject({
      data: { platformDataset: { assetCount: 2 } },
    });
    expect(await bash(renamed.ask)).toMatchObject({ code: 0, stderr: '' });
  });

  it('hands out the static dataset under the URL and with the header that the API gives, and by a link', async () => {
    const { data } = await queryDemo(
      `{ dataset(id: "${EARTHQUAKES}") { download { url method requiredHeaders ticketUrl } } }`,
    );
    const { url, method, requiredHeaders, ticketUrl } = data.dataset.download;
    const headers = requiredHeaders.map((header: string) => header.replace('<ACCESS_TOKEN>', TOKEN).split(': '));
    const disposition = 'attachment; filename="earthquakes.geojson"';
    expect(await file(url, { method, headers: Object.fromEntries(headers) })).toEqual([200, disposition, true]);
    expect((await send(new URL(url))).status).toBe(401);
    expect(new URL(ticketUrl).origin).toBe(endpoint.origin);
    expect(await file(ticketUrl)).toEqual([200, disposition.replaceAll('"', ''), true]);
    const login = { AUTH_SERVICE_URL: new URL(url).origin, LOGIN_EMAIL: 'demo@example.com', LOGIN_PASSWORD: 'demo' };
    expect(await startEntry('login', login).ended).toMatchObject({ code: 0, stdout: `${TOKEN}\n` });
  });

  it('opens Apollo Sandbox with operations, variables and a token that give data', async () => {
    const { text } = await send(endpoint, { headers: { accept: 'text/html' } });
    const [, config = ''] = /embeddedSandboxConfig = (.*);\n/.exec(text) ?? [];
    const { document, ...state } = JSON.parse(config).initialState;
    expect(state).toEqual({
      variables: {
        id: WEATHER,
        assetIds: ['seattle-tacoma'],
        metrics: ['temp_max', 'temp_min'],
        timeRange: { start: '2015-01-01', stop: '2015-12-31' },
        first: 14,
        assetId: 'seattle-tacoma',
        quantiles: [0.1, 0.5, 0.9],
        fileId: EARTHQUAKES,
        ids: [CO2, ELECTRICITY],
      },
      headers: { Authorization: `Bearer ${TOKEN}` },
      includeCookies: false,
    });
    const names = [...document.matchAll(/^query (\w+)/gm)].map(([, name]) => name);
    expect(names).toHaveLength(8);
    for (const operationName of names) {
      const { body } = await queryAt(endpoint, document, { operationName, ...state, token: null });
      expect(body).not.toHaveProperty('errors');
      expect(JSON.stringify(body.data)).toMatch(/"name":"(Daily weather, Seattle and New York|Earthquakes|Mauna Loa)/);
    }
  });

  it('gives GraphiQL the same examples, a token that gives data, and no login', async () => {
    const { endpoint } = await startDemo({ AUTH_SERVICE_URL: 'https://auth.example.com' });
    const { headers, body } = await send(new URL('/graphiql/settings.json', endpoint));
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' });
    expect(body).toEqual({
      endpoint: '/graphql',
      token: TOKEN,
      examples: expect.any(Array),
      operations: expect.any(Object),
      datasets: DATASETS.map(([id, name, more]) => ({ id, name, hasAssets: id !== EARTHQUAKES, ...more })),
    });
    expect(body.examples).toHaveLength(8);
    for (const { query, variables } of body.examples) {
      const response = await queryAt(endpoint, query, { variables, token: body.token });
      expect(response.body).not.toHaveProperty('errors');
    }
  });

  it('leads a browser from / to its datasets and to both explorers, and everything else to the endpoint', async () => {
    const root = new URL('/', endpoint);
    const page = await send(root, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect([...page.text.matchAll(/<a href="([^"]*)">([^<]*)/g)].map(([, path, name]) => [path, name])).toEqual([
      ...DATASETS.map(([id, name]) => [`/datasets/${id}`, name]),
      ['/graphiql', 'GraphiQL'],
      ['/graphql', 'Apollo Sandbox'],
    ]);
    expect(page.text).not.toContain('<script');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; .*style-src 'sha256-[^']+'$/);
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      expect(await send(root, { headers })).toMatchObject({ status: 302, headers: { location: '/graphql' } });
    }
    expect(await send(new URL('/health/ready', endpoint))).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  it.each<[Record<string, string>, string[], number, number]>([
    [{ EXPLORER: 'graphiql' }, ['GraphiQL'], 400, 200],
    [{ EXPLORER: 'sandbox' }, ['Apollo Sandbox'], 200, 404],
    [{ EXPLORER: 'off' }, [], 400, 404],
    [{ INTROSPECTION: 'off', EXPLORER: 'graphiql' }, [], 400, 404],
  ])('with %o prints and serves only these explorers: %o', async (env, names, sandbox, graphiql) => {
    const { endpoint, banner } = await startDemo(env);
    expect([...banner.matchAll(/^(GraphiQL|Apollo Sandbox): /gm)].map(([, name]) => name)).toEqual(names);
    const headers = { accept: 'text/html' };
    const [atEndpoint, atGraphiql] = await Promise.all([
      send(endpoint, { headers }),
      send(new URL('/graphiql', endpoint), { headers }),
    ]);
    expect([atEndpoint.status, atGraphiql.status]).toEqual([sandbox, graphiql]);
    expect(atGraphiql.text).not.toContain(TOKEN);
  });

  it.each(['0.0.0.0', '::'])('prints a URL and makes download links that work, with HOST=%s', async (HOST) => {
    const { endpoint } = await startDemo({ HOST });
    expect(endpoint.hostname).toBe('localhost');
    const document = `{ dataset(id: "${EARTHQUAKES}") { download { ticketUrl } } }`;
    const { ticketUrl } = (await queryAt(endpoint, document, { token: TOKEN })).body.data.dataset.download;
    expect(new URL(ticketUrl).origin).toBe(endpoint.origin);
    expect((await send(new URL(ticketUrl))).status).toBe(200);
  });

  it('lets in Apollo Sandbox and Studio, and nobody else, or those of CORS_ORIGINS instead', async () => {
    const apollo = ['studio', 'sandbox.embed', 'explorer.embed'].map((name) => `https://${name}.apollographql.com`);
    const other = 'https://a.example';
    const allowedAt = async (url: URL) => {
      const answers = [...apollo, other].map((origin) =>
        send(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }),
      );
      return (await Promise.all(answers)).map(({ headers }) => headers['access-control-allow-origin']);
    };
    expect(await allowedAt(endpoint)).toEqual([...apollo, undefined]);
    const { endpoint: others } = await startDemo({ CORS_ORIGINS: other });
    expect(await allowedAt(others)).toEqual([undefined, undefined, undefined, other]);
  });
});

/** A demo as a process of its own. */
async function startAlone(env: Record<string, string> = {}) {
  const program = startEntry('demo', { PORT: '0', ...env });
  await program.printed(PRINTED);
  return { program, endpoint: await endpointOf(program) };
}

describe('3.22 The log of npm run demo', () => {
  it('has a readable line in its log for each REST call and each operation; in a pipe without colours', async () => {
    const { program, endpoint } = await startAlone();
    const document = `{ dataset(id: "${CO2}") { name } }`;
    await queryAt(endpoint, document, { token: TOKEN, headers: { 'x-request-id': 'my-id' } });
    await program.printed(/GraphQL success.*\n/);
    program.kill('SIGTERM');
    const { stdout, ...ending } = await program.ended;
    expect(ending).toEqual({ code: 0, signal: null, stderr: '' });
    const log = stdout.replace(PRINTED, '');
    const times = /^\d\d:\d\d:\d\d\.\d{3} |[\d.]+ ms/gm;
    expect(log.replaceAll(times, '').split('\n')).toEqual([
      'REST    getDatasetMetadata  200    475 B  request my-id',
      'GraphQL success , 1 REST call, 475 B read, 46 B sent  request my-id',
      '',
    ]);
  });

  it('has no operations where it is set so', async () => {
    const { program, endpoint } = await startAlone({ LOG_OPERATIONS: 'off' });
    await queryAt(endpoint, `{ dataset(id: "${CO2}") { name } }`, { token: TOKEN });
    program.kill('SIGTERM');
    const log = (await program.ended).stdout.replace(PRINTED, '');
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
