import { describe, expect, it } from 'vitest';
import { ask, decode, NAME, ROWS_SELECTION, rowsOf, startCompressing } from '../support/compression.ts';
import { DATASET_ID, ofDataset, respondWith, TOKEN } from '../support/harness.ts';

const zstd = 'gzip, deflate, br, zstd';
const tickets = { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32) };
const tokens = { DOWNLOAD_TOKEN_IN_URL: 'allow' };
const metadata = { name: 'x'.repeat(5000) };

describe('3.42 A response with a secret', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a ticket', 'name download { ticketUrl }', tickets],
    ['a ticket under another name, in a fragment', 'name download { ...on DatasetDownload { u: ticketUrl } }', tickets],
    ['a URL with the token', 'name download: downloadUrlWithToken', tokens],
    ['a ticket before results of many chunks', `download { ticketUrl } ${ROWS_SELECTION}`, tickets],
    ['a ticket after results of many chunks', `${ROWS_SELECTION} download { ticketUrl }`, tickets],
    [
      'a ticket in a response that a router may not keep',
      'name download { ticketUrl }',
      { ...tickets, ROUTER_CACHE_METADATA_SECONDS: '60' },
    ],
  ])('is sent as it is: %s', async (_title, selection, env) => {
    const bed = await startCompressing({ env });
    respondWith(bed.simulator, { metadata, results: rowsOf(10_000) });
    // The second time it is executed another way.
    for (let times = 0; times < 2; times += 1) {
      const { headers, bytes } = await ask(bed, ofDataset(selection), zstd);
      const { data, errors } = JSON.parse(bytes.toString());
      expect([errors, data.dataset.download]).toEqual([undefined, expect.anything()]);
      expect(bytes.length).toBeGreaterThan(5000);
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    }
  });

  it('is none where only a link without a secret is selected, or a ticket that there is not', async () => {
    const bed = await startCompressing();
    respondWith(bed.simulator, { metadata });
    for (const field of ['download { url }', 'download { ticketUrl }', 'downloadUrlWithToken']) {
      const answer = await ask(bed, ofDataset(`name ${field}`), zstd);
      const { data, errors } = JSON.parse(decode(answer));
      expect(data.dataset.name).toBe(metadata.name);
      expect(errors?.[0].extensions.code).toBe(field === 'download { url }' ? undefined : 'FORBIDDEN');
      expect(answer.headers['content-encoding']).toBe('zstd');
    }
  });

  it('is that of one operation, and not of the next one', async () => {
    const bed = await startCompressing({ env: tickets });
    respondWith(bed.simulator, { metadata });
    const codings = [];
    for (const selection of ['name', 'name download { ticketUrl }', 'name']) {
      codings.push((await ask(bed, ofDataset(selection), zstd)).headers['content-encoding']);
    }
    expect(codings).toEqual(['zstd', undefined, 'zstd']);
  });
});

describe('3.42 What is not the response of an operation', () => {
  const accepts = { 'accept-encoding': zstd };

  it('is never compressed: the pages of the explorers, which may have a token', async () => {
    for (const explorer of ['sandbox', 'graphiql']) {
      const bed = await startCompressing({ env: { EXPLORER: explorer } });
      const path = explorer === 'sandbox' ? '/graphql' : '/graphiql';
      const headers = { accept: 'text/html,*/*;q=0.8', ...accepts };
      const page = await bed.http(path, { headers });
      expect([page.status, page.headers['content-encoding']]).toEqual([200, undefined]);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      // What the page asks for is.
      respondWith(bed.simulator, { metadata });
      const answer = await ask(bed, NAME, zstd, { headers: { accept: 'application/json, multipart/mixed' } });
      expect(answer.headers['content-encoding']).toBe('zstd');
    }
  });

  it.each<[string, string, string, number]>([
    ['HEAD of the endpoint', 'HEAD', '/graphql', 405],
    ['another method', 'DELETE', '/graphql', 405],
    ['a preflight', 'OPTIONS', '/graphql', 204],
    ['a health check', 'GET', '/health/live', 200],
    ['a file', 'GET', `/download/dataset/${DATASET_ID}`, 200],
    ['an unknown path', 'GET', '/none', 404],
  ])('is never compressed: %s', async (_title, method, path, status) => {
    const bed = await startCompressing({ env: { CORS_ORIGINS: 'https://example.com' } });
    const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
    const allowed = { authorization: `Bearer ${TOKEN}`, 'apollo-require-preflight': 'true' };
    const headers = { ...allowed, ...accepts, ...(method === 'OPTIONS' && preflight) };
    const response = await bed.http(path, { method, headers });
    expect([response.status, response.headers['content-encoding']]).toEqual([status, undefined]);
  });

  it('is never compressed: an error of HTTP', async () => {
    const { http } = await startCompressing();
    const headers = { ...accepts, 'content-type': 'text/plain' };
    const response = await http('/graphql', { method: 'POST', headers, body: 'x' });
    expect([response.status, response.headers['content-encoding'], response.headers.vary]).toEqual([
      415,
      undefined,
      undefined,
    ]);
  });
});
