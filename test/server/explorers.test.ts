import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startSubgraph } from '../../src/server/app.ts';
import { queryAt, send, start, type TestBed } from '../support/harness.ts';

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

  it('serves nothing else', async () => {
    const { http } = await start({ env });
    for (const path of [
      ...['/graphiql/', '/graphiql/index.html', '/graphiql/licenses.md', '/datasets', '/datasets/'],
      ...['', '/', '/nothing.js', '/../index.html', '/..%2findex.html', '/%2e%2e/%2e%2e/%2e%2e/package.json'].map(
        (end) => `/graphiql/assets${end}`,
      ),
      ...['/..%2f..%2f..%2f..%2fpackage.json', '/..%5c..%5cindex.html', '//etc/passwd', '/%2fetc%2fpasswd'].map(
        (end) => `/graphiql/assets${end}`,
      ),
    ]) {
      const { status, headers, body } = await http(path);
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'application/json; charset=utf-8']);
      expect(body.errors).toHaveLength(1);
    }
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
    expect(Object.keys(body.operations)).toHaveLength(13);
    expect(body.operations.columns).toContain('$timeRange: Range)');
    expect(body.operations.columns).toContain('  dataset: datasetsByIds(id: $id) {');
    for (const document of Object.values<string>(body.operations)) {
      const timeRange = { start: 0 };
      const ranges = { timeRange, first: timeRange, second: timeRange };
      const variables = { id: 'unknown', fileId: 'unknown', otherId: 'other', assetIds: [], points: 1, ...ranges };
      expect((await query(document, { variables })).status).toBe(200);
    }
  });

  it('sends browsers its page as the start page, and as the page of a dataset with any id', async () => {
    const { http } = await start({ env });
    const page = await http('/graphiql', { headers: browser });
    for (const path of ['/', `/datasets/${'a'.repeat(200)}`, '/datasets/a%2Fb%23c%22']) {
      const { status, text, headers } = await http(path, { headers: browser });
      expect([path, status]).toEqual([path, 200]);
      expect(text).toBe(page.text);
      for (const name of ['content-security-policy', 'cache-control', 'referrer-policy', 'x-content-type-options']) {
        expect(headers[name]).toBe(page.headers[name]);
      }
    }
  });

  it('leads a program from / to it, and answers HEAD as GET, without a body', async () => {
    const { http } = await start({ env });
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      expect(await http('/', { headers })).toMatchObject({ status: 302, headers: { location: '/graphiql' } });
    }
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
    sketches: [{ metric: text, lines: [[1, null, 2]] }],
  } as const;

  it('shows text as text, and ids in links', async () => {
    const subgraph = await startSubgraph({
      config: readConfig({ PORT: '0' }),
      serviceUrl: new URL('http://127.0.0.1:9'),
      corsOrigins: [],
      explorerPreset: { examples: [], token: '', datasets: [summary] },
      logStream: { write: () => {} },
    });
    onTestFinished(() => subgraph.stop());
    const { status, headers, text: page } = await send(new URL('/', subgraph.url), { headers: browser });
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*style-src 'sha256-[^']+'$/);
    expect(page).not.toContain('<script');
    expect(page.match(/&lt;\/h2&gt;&lt;script&gt;&quot;&amp;&#39;/g)).toHaveLength(6);
    expect(page).toContain('<path d="M0.0 46.0M240.0 2.0"/>');
    expect(page).toContain('<a href="/datasets/a%2Fb%23c%22">');
  });
});

describe('EXPLORER=sandbox', () => {
  it('opens with placeholders for ids and token, and with examples that are valid with any names', async () => {
    const names = {
      SCHEMA_NAMES: 'TimeRangeInput:Range,PeriodUnit:Period,Query.dataset:one,Query.datasetsByIds:dataset',
    };
    const { http, query } = await start({ env: { EXPLORER: 'sandbox', ...names } });
    const { text } = await http('/graphql', { headers: browser });
    const [, config = ''] = /embeddedSandboxConfig = (.*);\n/.exec(text) ?? [];
    const { document, variables, headers } = JSON.parse(config).initialState;
    expect(variables).toMatchObject({ id: 'A-DATASET-ID' });
    expect(headers).toEqual({ Authorization: 'Bearer YOUR-TOKEN' });
    const operations = [...document.matchAll(/^query (\w+)/gm)].map(([, name]) => name);
    expect(operations).toEqual(expect.arrayContaining(['Columns', 'Metadata', 'SeveralDatasets']));
    for (const operationName of operations) {
      expect((await query(document, { operationName, variables })).status).toBe(200);
    }
  });
});

describe('Without EXPLORER', () => {
  it('nothing is there', async () => {
    const { http } = await start();
    for (const path of ['/graphiql', '/graphiql/settings.json', '/graphiql/assets/index.js']) {
      const { status, body } = await http(path, { headers: browser });
      expect([path, status, body.errors[0].extensions.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
  });

  it.each([{}, { EXPLORER: 'sandbox' }, { EXPLORER: 'off' }])('/ leads a browser to the endpoint: %o', async (env) => {
    const { http } = await start({ env });
    for (const method of ['GET', 'HEAD']) {
      const redirect = { status: 302, headers: { location: '/graphql' } };
      expect(await http('/', { method, headers: browser })).toMatchObject(redirect);
    }
  });
});
