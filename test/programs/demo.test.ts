import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { listen, queryAt, send } from '../support/harness.ts';
import { endpointOf, startEntry, startProgram } from '../support/process.ts';

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

/** The demo, when it has printed all that it prints at start. */
async function startDemo(env: Record<string, string> = {}) {
  const program = startEntry('demo', { PORT: '0', ...env });
  const [, command = '', ask = ''] = await program.printed(/^Try:\n {2}(.*)\n {2}(.*)\n\n/m);
  return { program, command, ask, endpoint: await endpointOf(program) };
}

/** Where the API says that a dataset's file is, and how to ask for it. */
async function downloadOf(
  endpoint: URL,
  datasetId: string,
): Promise<{ url: URL; method: string; headers: Record<string, string> }> {
  const document = `{ dataset(id: "${datasetId}") { download { url method requiredHeaders } } }`;
  const { url, method, requiredHeaders } = (await queryAt(endpoint, document, { token: TOKEN })).body.data.dataset
    .download;
  const headers = requiredHeaders.map((header: string) => header.replace('<ACCESS_TOKEN>', TOKEN).split(': '));
  return { url: new URL(url), method, headers: Object.fromEntries(headers) };
}

describe('1 npm run demo', () => {
  it('prints the endpoint, a token, the datasets and a query to try, and nothing else', async () => {
    const { program, endpoint, command, ask } = await startDemo();
    program.kill('SIGTERM');
    expect(await program.ended).toEqual({
      code: 0,
      signal: null,
      stderr: '',
      stdout: `
GraphQL endpoint: ${endpoint}
Start page: ${new URL('/', endpoint)} (in a browser: the datasets, and what they hold)
GraphiQL: ${new URL('/graphiql', endpoint)} (in a browser: examples, charts and maps; works offline)
Apollo Sandbox: ${endpoint} (in a browser: loaded from Apollo)
Token: ${TOKEN}

Datasets:
${DATASETS.map(([id, name]) => `  ${id}  ${name}`).join('\n')}

Try:
  ${command}
  ${ask}

`,
    });
    expect(endpoint.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/graphql$/);
  });

  it('prints a curl line that works as it stands with SCHEMA_NAMES', async () => {
    const { command } = await startDemo({ SCHEMA_NAMES: 'Query.dataset:platformDataset' });
    const { stdout } = await startProgram('bash', ['-c', command]).ended;
    expect(JSON.parse(stdout)).toMatchObject({
      data: { platformDataset: { name: 'Daily weather, Seattle and New York', assetCount: 2 } },
    });
  });

  it('prints a curl line that works as it stands', async () => {
    const { command } = await startDemo();
    const { code, stdout, stderr } = await startProgram('bash', ['-c', command]).ended;
    const station = (name: string) => ({
      asset: { name },
      rowCount: 1461,
      metricNames: ['precipitation', 'temp_max', 'temp_min', 'wind'],
    });
    expect(JSON.parse(stdout)).toEqual({
      data: {
        dataset: {
          name: 'Daily weather, Seattle and New York',
          assetCount: 2,
          results: { series: { nodes: [station('Seattle-Tacoma'), station('New York (Central Park)')] } },
        },
      },
    });
    expect([code, stderr]).toEqual([0, '']);
  });

  it.each([{}, { SCHEMA_NAMES: 'Query.dataset:platformDataset' }])(
    'prints a line for the terminal command that works as it stands, with %o',
    async (env) => {
      const { ask } = await startDemo(env);
      const { code, stdout, stderr } = await startProgram('bash', ['-c', ask], { env: { LANG: 'C.UTF-8' } }).ended;
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Mauna Loa CO2: co2\n/);
      expect(stdout).toContain('Mauna Loa Observatory');
    },
  );

  it('has every printed dataset', async () => {
    const { program, endpoint } = await startDemo();
    const [, list = ''] = await program.printed(/^Datasets:\n(.*?)\n\n/ms);
    const datasets = list.split('\n').map((line) => line.trim().split('  '));
    expect(datasets).toHaveLength(DATASETS.length);
    for (const [id, name] of datasets) {
      const { body } = await queryAt(endpoint, `{ dataset(id: "${id}") { id name } }`, { token: TOKEN });
      expect(body).toEqual({ data: { dataset: { id, name } } });
    }
  });

  it('hands out the static dataset under the URL and with the header that the API gives', async () => {
    const { endpoint } = await startDemo();
    const { url, method, headers } = await downloadOf(endpoint, EARTHQUAKES);
    const file = await fetch(url, { method, headers });
    expect(file.status).toBe(200);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="earthquakes.geojson"');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.equals(await readFile('simulator/demo-data/earthquakes.json'))).toBe(true);
    expect((await send(url)).status).toBe(401);
  });

  it('gives a link to the static dataset that opens by itself', async () => {
    const { endpoint } = await startDemo();
    const document = `{ dataset(id: "${EARTHQUAKES}") { download { ticketUrl } } }`;
    const { body } = await queryAt(endpoint, document, { token: TOKEN });
    const url = new URL(body.data.dataset.download.ticketUrl);
    expect(url.origin).toBe(endpoint.origin);
    const file = await fetch(url);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename=earthquakes.geojson');
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(bytes.equals(await readFile('simulator/demo-data/earthquakes.json'))).toBe(true);
  });

  it('prints the token that a login at its service gives', async () => {
    const { endpoint } = await startDemo();
    const { url } = await downloadOf(endpoint, EARTHQUAKES);
    const login = startEntry('login', {
      AUTH_SERVICE_URL: url.origin,
      LOGIN_EMAIL: 'demo@example.com',
      LOGIN_PASSWORD: 'demo',
    });
    expect(await login.ended).toMatchObject({ code: 0, stdout: `${TOKEN}\n` });
  });

  it('opens Apollo Sandbox with operations, variables and a token that give data', async () => {
    const { endpoint } = await startDemo();
    const { text } = await send(endpoint, { headers: { accept: 'text/html' } });
    const [, config = ''] = /embeddedSandboxConfig = (.*);\n/.exec(text) ?? [];
    const { initialState } = JSON.parse(config);
    expect(initialState).toEqual({
      document: expect.any(String),
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
    const { document, variables, headers } = initialState;
    const names = [...document.matchAll(/^query (\w+)/gm)].map(([, name]) => name);
    expect(names).toEqual([
      'Columns',
      'Metadata',
      'Rows',
      'OneAsset',
      'Periods',
      'ByDate',
      'Download',
      'SeveralDatasets',
    ]);
    for (const operationName of names) {
      const { body } = await queryAt(endpoint, document, { operationName, variables, headers, token: null });
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
    const { endpoint } = await startDemo();
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
  });

  it.each<[Record<string, string>, string[], number, number]>([
    [{ EXPLORER: 'graphiql' }, ['GraphiQL'], 400, 200],
    [{ EXPLORER: 'sandbox' }, ['Apollo Sandbox'], 200, 404],
    [{ EXPLORER: 'off' }, [], 400, 404],
    [{ INTROSPECTION: 'off' }, [], 400, 404],
    [{ INTROSPECTION: 'off', EXPLORER: 'graphiql' }, [], 400, 404],
  ])('with %o prints and serves only these explorers: %o', async (env, names, sandbox, graphiql) => {
    const { program, endpoint } = await startDemo(env);
    const [banner] = await program.printed(/^GraphQL endpoint.*?^Token/ms);
    expect([...banner.matchAll(/^(GraphiQL|Apollo Sandbox): /gm)].map(([, name]) => name)).toEqual(names);
    const headers = { accept: 'text/html' };
    const [atEndpoint, atGraphiql] = await Promise.all([
      send(endpoint, { headers }),
      send(new URL('/graphiql', endpoint), { headers }),
    ]);
    expect([atEndpoint.status, atGraphiql.status]).toEqual([sandbox, graphiql]);
    expect(atGraphiql.text).not.toContain(TOKEN);
  });

  it('says that it is ready', async () => {
    const { endpoint } = await startDemo();
    const { status, body } = await send(new URL('/health/ready', endpoint));
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it('listens where HOST says, and prints a URL that works', async () => {
    const { endpoint } = await startDemo({ HOST: 'localhost' });
    expect((await queryAt(endpoint, '{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('1 The demo on all addresses, and on one that is taken', () => {
  it.each(['0.0.0.0', '::'])('prints a URL and makes download links that work, with HOST=%s', async (HOST) => {
    const { endpoint } = await startDemo({ HOST });
    expect(endpoint.hostname).toBe('localhost');
    const document = `{ dataset(id: "${EARTHQUAKES}") { download { ticketUrl } } }`;
    const { ticketUrl } = (await queryAt(endpoint, document, { token: TOKEN })).body.data.dataset.download;
    expect(new URL(ticketUrl).origin).toBe(endpoint.origin);
    expect((await send(new URL(ticketUrl))).status).toBe(200);
  });

  it('ends with exit code 1 and one sentence where its port is taken', async () => {
    const port = new URL(await listen(() => {})).port;
    const stderr = `Port ${port} of 127.0.0.1 is in use. Set PORT to another port, or to 0 for any free port.\n`;
    expect(await startEntry('demo', { PORT: port }).ended).toEqual({ code: 1, signal: null, stdout: '', stderr });
    const env = { PORT: port, DATASET_SERVICE_URL: 'http://127.0.0.1:9' };
    expect(await startEntry('main', env).ended).toEqual({ code: 1, signal: null, stdout: '', stderr });
  });
});

describe('1 CORS_ORIGINS of the demo', () => {
  const allowedOrigin = async (endpoint: URL, origin: string) =>
    (await send(endpoint, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })).headers[
      'access-control-allow-origin'
    ];
  const apollo = [
    'https://studio.apollographql.com',
    'https://sandbox.embed.apollographql.com',
    'https://explorer.embed.apollographql.com',
  ];

  it('lets Apollo Sandbox and Studio in, and nobody else', async () => {
    const { endpoint } = await startDemo();
    for (const origin of apollo) expect(await allowedOrigin(endpoint, origin)).toBe(origin);
    expect(await allowedOrigin(endpoint, 'https://a.example')).toBeUndefined();
  });

  it('lets in those that are given instead', async () => {
    const { endpoint } = await startDemo({ CORS_ORIGINS: 'https://a.example' });
    expect(await allowedOrigin(endpoint, 'https://a.example')).toBe('https://a.example');
    for (const origin of apollo) expect(await allowedOrigin(endpoint, origin)).toBeUndefined();
  });
});
