import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startSubgraph } from '../../src/server/app.ts';
import { type Answer, type HttpOptions, queryAt, send, start, type TestBed } from '../support/harness.ts';

const env = { EXPLORER: 'graphiql' };
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** The paths that GraphiQL's page names: its scripts and styles. */
async function assetsOf({ http }: TestBed): Promise<string[]> {
  const { text } = await http('/graphiql');
  return [...text.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
}

describe('EXPLORER=graphiql', () => {
  it('serves a page that may load nothing from elsewhere, and stays in no cache unasked', async () => {
    const { http } = await start({ env });
    const { status, headers, text } = await http('/graphiql', { headers: browser });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "style-src 'self' 'unsafe-inline'",
      ].join('; '),
    });
    expect(text).not.toMatch(/https?:/);
    expect(text).not.toMatch(/<script(?![^>]* src=)/);
  });

  it('serves what the page names, for ever', async () => {
    const bed = await start({ env });
    const paths = await assetsOf(bed);
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      expect(path).toMatch(/^\/graphiql\/assets\/[\w.-]+-[\w-]{8}\.(js|css)$/);
      const { status, headers, text } = await bed.http(path);
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      // A worker has the policy of its script.
      expect(headers['content-security-policy']).toBe("default-src 'none'; script-src 'self'; connect-src 'self'");
      expect(headers['content-type']).toMatch(path.endsWith('js') ? /^application\/javascript/ : /^text\/css/);
      expect(text.length).toBeGreaterThan(500);
    }
  });

  it.each([
    '/graphiql/',
    '/graphiql/index.html',
    '/graphiql/licenses.md',
    '/graphiql/assets',
    '/graphiql/assets/',
    '/graphiql/assets/nothing.js',
    '/graphiql/assets/../index.html',
    '/graphiql/assets/..%2findex.html',
    '/graphiql/assets/%2e%2e/%2e%2e/%2e%2e/package.json',
    '/graphiql/assets/..%2f..%2f..%2f..%2fpackage.json',
    '/graphiql/assets/..%5c..%5cindex.html',
    '/graphiql/assets//etc/passwd',
    '/graphiql/assets/%2fetc%2fpasswd',
    '/datasets',
    '/datasets/',
  ])('serves nothing else: %s', async (path) => {
    const { http } = await start({ env });
    const { status, headers, body } = await http(path);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body.errors).toHaveLength(1);
  });

  it('gives the page examples with placeholders and no token, whatever the client brings', async () => {
    const { http, subgraph, calls } = await start({ env });
    const { body } = await http('/graphiql/settings.json', { headers: { authorization: 'Bearer canary' } });
    expect(body).toEqual({
      endpoint: '/graphql',
      token: '',
      examples: expect.any(Array),
      operations: expect.any(Object),
      datasets: [],
    });
    expect(body.examples.map(({ variables }: { variables: object }) => variables)).toEqual([
      { id: 'A-DATASET-ID', assetIds: ['AN-ASSET-ID'] },
      { id: 'A-DATASET-ID' },
      { id: 'A-DATASET-ID', first: 14 },
      { id: 'A-DATASET-ID', assetId: 'AN-ASSET-ID' },
      { id: 'A-DATASET-ID', assetIds: ['AN-ASSET-ID'] },
      { id: 'A-DATASET-ID', quantiles: [0.1, 0.5, 0.9] },
      { fileId: 'A-DATASET-ID' },
      { ids: ['A-DATASET-ID', 'ANOTHER-DATASET-ID'] },
    ]);
    expect(calls()).toEqual([]);
    for (const { query, variables } of body.examples) {
      expect((await queryAt(new URL(subgraph.url), query, { variables })).status).toBe(200);
    }
  });

  it('has operations that are valid with any names', async () => {
    const names = {
      SCHEMA_NAMES:
        'Asset:Thing,TimeRangeInput:Range,PeriodUnit:Period,Query.dataset:datasetsByIds,Query.datasetsByIds:several',
    };
    const { http, query } = await start({ env: { ...env, ...names } });
    const { body } = await http('/graphiql/settings.json');
    expect(body.examples).toHaveLength(8);
    for (const example of body.examples) {
      expect((await query(example.query, { variables: example.variables })).status).toBe(200);
    }
    expect(Object.keys(body.operations)).toEqual([
      'columns',
      'reducedColumns',
      'byDateWithAssets',
      'compareRanges',
      'compareByDate',
      'compareDatasets',
      'periodMap',
      'rowsFile',
      'statistics',
      'download',
      'outline',
    ]);
    expect(body.operations.columns).toContain('$timeRange: Range)');
    expect(body.operations.columns).toContain('  dataset: datasetsByIds(id: $id) {');
    for (const document of Object.values<string>(body.operations)) {
      const timeRange = { start: 0 };
      const ranges = { timeRange, first: timeRange, second: timeRange };
      const variables = { id: 'unknown', fileId: 'unknown', otherId: 'other', assetIds: [], points: 1, ...ranges };
      expect((await query(document, { variables })).status).toBe(200);
    }
  });

  it.each([
    ['the start page', '/'],
    ['the page of a dataset', `/datasets/${'a'.repeat(200)}`],
    ['that of a dataset with any id', '/datasets/a%2Fb%23c%22'],
  ])('sends browsers its page as %s too: %s', async (_title, path) => {
    const { http } = await start({ env });
    const [there, atGraphiql] = [await http(path, { headers: browser }), await http('/graphiql', { headers: browser })];
    expect(there.status).toBe(200);
    expect(there.text).toBe(atGraphiql.text);
    for (const name of ['content-security-policy', 'cache-control', 'referrer-policy', 'x-content-type-options']) {
      expect(there.headers[name]).toBe(atGraphiql.headers[name]);
    }
  });

  it.each<HttpOptions>([{}, { headers: { accept: '*/*' } }, { headers: { accept: 'application/json' } }])(
    'leads a program from / to it: %o',
    async (options) => {
      const { http } = await start({ env });
      expect(await http('/', options)).toMatchObject({ status: 302, headers: { location: '/graphiql' } });
    },
  );

  it('answers HEAD as GET, without a body', async () => {
    const { http } = await start({ env });
    const [get, head] = [await http('/graphiql'), await http('/graphiql', { method: 'HEAD' })];
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('The start page of a server that knows datasets', () => {
  const text = `</h2><script>"&'`;
  const summary = {
    id: 'a/b#c"',
    name: text,
    description: text,
    assetCount: 3,
    metrics: [text],
    days: ['2024-01-01', '2024-01-04'],
    attribution: text,
    fileName: text,
  } as const;

  /** Its page, with these datasets. */
  async function startPage(...datasets: (typeof summary)[]) {
    const subgraph = await startSubgraph({
      config: readConfig({ PORT: '0' }),
      serviceUrl: new URL('http://127.0.0.1:9'),
      corsOrigins: [],
      explorerPreset: { examples: [], token: '', datasets },
      logStream: { write: () => {} },
    });
    onTestFinished(() => subgraph.stop());
    return send(new URL('/', subgraph.url), { headers: browser });
  }

  it('shows text as text, and ids in links', async () => {
    const { status, headers, text: page } = await startPage(summary);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*style-src 'sha256-[^']+'$/);
    expect(page).not.toContain('<script');
    expect(page.match(/&lt;\/h2&gt;&lt;script&gt;&quot;&amp;&#39;/g)).toHaveLength(5);
    expect(page).toContain('<a href="/datasets/a%2Fb%23c%22">');
  });

  it('is the page of a server without, if there are none', async () => {
    expect((await startPage()).text).toContain('<script type="module"');
  });
});

/** What Sandbox shows first. */
function sandboxOf({ text }: Answer) {
  const [, config = ''] = /embeddedSandboxConfig = (.*);\n/.exec(text) ?? [];
  return JSON.parse(config).initialState;
}

describe('EXPLORER=sandbox', () => {
  it('has examples that are valid with any names', async () => {
    const names = {
      SCHEMA_NAMES: 'TimeRangeInput:Range,PeriodUnit:Period,Query.dataset:one,Query.datasetsByIds:dataset',
    };
    const { http, query } = await start({ env: { EXPLORER: 'sandbox', ...names } });
    const { document, variables } = sandboxOf(await http('/graphql', { headers: browser }));
    for (const operationName of [
      'Columns',
      'Metadata',
      'Rows',
      'OneAsset',
      'Periods',
      'ByDate',
      'Download',
      'SeveralDatasets',
    ]) {
      expect((await query(document, { operationName, variables })).status).toBe(200);
    }
  });

  it('opens with the examples, and placeholders for ids and token', async () => {
    const { http } = await start({ env: { EXPLORER: 'sandbox' } });
    expect(sandboxOf(await http('/graphql', { headers: browser }))).toMatchObject({
      document: expect.stringMatching(/query Columns.*query SeveralDatasets/s),
      variables: { id: 'A-DATASET-ID' },
      headers: { Authorization: 'Bearer YOUR-TOKEN' },
    });
  });
});

describe('Without EXPLORER', () => {
  it.each(['/graphiql', '/graphiql/settings.json', '/graphiql/assets/index.js'])('nothing is at %s', async (path) => {
    const { http } = await start();
    const { status, body } = await http(path, { headers: browser });
    expect(status).toBe(404);
    expect(body.errors[0].extensions.code).toBe('NOT_FOUND');
  });

  it.each([{}, { EXPLORER: 'sandbox' }, { EXPLORER: 'off' }])('/ leads a browser to the endpoint: %o', async (env) => {
    const { http } = await start({ env });
    expect(await http('/', { headers: browser })).toMatchObject({ status: 302, headers: { location: '/graphql' } });
  });
});

describe('What a checkout has bundled', () => {
  it('is in no commit, holds the licences of what is in it, and no map of sources', async () => {
    expect(await readFile('.gitignore', 'utf8')).toMatch(/^\.cache\/$/m);
    const names = await readdir('.cache/explorer', { recursive: true });
    expect(names.filter((name) => name.endsWith('licenses.md'))).toHaveLength(1);
    expect(names.filter((name) => name.endsWith('.map'))).toEqual([]);
  });
});
