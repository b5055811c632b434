import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { DATASET_ID, respondWith, start, TOKEN } from '../support/harness.ts';

const inDataset = (selection: string) => `{ dataset(id: "${DATASET_ID}") { ${selection} } }`;

const SUMMARY = `GET /v1/collection/dataset/summary/${DATASET_ID}`;
const RESULTS = `POST /v1/processingresult/dataset/${DATASET_ID}`;

// The decision: a JSON object is always sent.
describe('5 Gap: body omitted', () => {
  it('always sends a JSON object', async () => {
    const { query, simulator, calls } = await start();
    for (const filter of ['', '(filter: null)', '(filter: {})', '(filter: { assetIds: null, timeRange: null })']) {
      simulator.clear();
      const { body } = await query(inDataset(`results${filter} { series { totalCount } }`));
      expect(body).toEqual({ data: { dataset: { results: { series: { totalCount: 3 } } } } });
      expect(calls()).toEqual([`${RESULTS} {}`]);
      expect(simulator.requests[0]?.headers['content-type']).toEqual(['application/json']);
    }
  });
});

// The decision: the header by default; never both.
describe('5 Gap: authToken and header', () => {
  it('sends the header by default, and never both', async () => {
    const { simulator, query, calls } = await start();
    await query(inDataset('name results { processingId } download { url requiredHeaders } downloadUrlWithToken'));
    expect(calls().sort()).toEqual([SUMMARY, `${RESULTS} {}`]);
    const sent = simulator.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(Array(2).fill([`Bearer ${TOKEN}`]));
  });
});

// The decision: read as JSON if it parses; a byte-order mark is skipped.
describe('5 Gap: the response content type "any"', () => {
  it('is not looked at', async () => {
    const { simulator, query } = await start();
    const latin = 'text/html; charset=iso-8859-1';
    for (const type of ['application/json', 'text/plain', latin, [], ';;', ['text/html', 'image/png']]) {
      simulator.intercept(() => ({ headers: { 'content-type': type } }));
      const { body } = await query(inDataset('name results { processingId }'));
      expect(body).toEqual({ data: { dataset: { name: 'Soil moisture', results: { processingId: 'p-1' } } } });
    }
  });

  it('skips a byte-order mark, one', async () => {
    const { simulator, query } = await start();
    respondWith(simulator, { metadata: '\ufeff{"name":"\ufeffé"}', results: '\ufeff\ufeff{"processing_id":"p-1"}' });
    const { body } = await query(inDataset('name results { processingId }'));
    expect(body).toEqual({
      data: { dataset: { name: '\ufeffé', results: null } },
      errors: [
        errorAt(['dataset', 'results'], 'UPSTREAM_INVALID_RESPONSE', { operation: 'getDatasetResults', status: 200 }),
      ],
    });
  });
});

// The decision: none is assumed; a 401 is reported, never retried; the subgraph's own (27, 28); 429 is handled anyway.
describe('5 Gap: the lifetime of a token, and limits', () => {
  it.each([
    [401, 'UNAUTHENTICATED'],
    [429, 'RATE_LIMITED'],
  ])('a %i is reported and never retried', async (status, code) => {
    const { simulator, query, calls } = await start();
    simulator.intercept(() => ({ status, headers: { 'retry-after': '0' } }));
    const assets = 'a: asset(assetId: "a") { name } b: asset(assetId: "b") { name }';
    for (const [selection, call] of [
      ['name', SUMMARY],
      ['results { processingId }', `${RESULTS} {}`],
      [assets, `${RESULTS} {"mo_ids":["a","b"]}`],
    ] as const) {
      const before = calls().length;
      const { errors } = (await query(inDataset(selection))).body;
      const codes = errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
      expect(new Set(codes)).toEqual(new Set([code]));
      expect(calls().slice(before)).toEqual([call]);
    }
  });
});

// The decision: responds with `INTROSPECTION=off` too: routers and rover need it.
describe('5 Gap: _service', () => {
  const env = { INTROSPECTION: 'off' };

  it.each(['on', 'off'])('answers with INTROSPECTION=%s, without a token', async (INTROSPECTION) => {
    const { query } = await start({ env: { INTROSPECTION } });
    const { body } = await query('{ _service { sdl } }', { token: null });
    expect(body).toEqual({ data: { _service: { sdl: expect.stringContaining('type Dataset @key(fields: "id")') } } });
  });

  it('nothing else tells of the schema with INTROSPECTION=off', async () => {
    const { query } = await start({ env });
    for (const document of ['{ __schema { queryType { name } } }', '{ __type(name: "Dataset") { name } }']) {
      const { status, body } = await query(document);
      expect([status, body.data]).toEqual([400, undefined]);
      expect(body.errors[0].extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
    }
  });

  it.each([
    ['on', true],
    ['off', false],
  ])('names that are nearly right are suggested, or not: INTROSPECTION=%s', async (INTROSPECTION, suggested) => {
    const { query } = await start({ env: { INTROSPECTION } });
    const mistaken = [
      query(inDataset('nam')),
      query(inDataset('results(filtr: {}) { processingId }')),
      query('{ dataset(id: "a") { ... on Datase { id } } }'),
      query(inDataset('results { rowsFile(format: CVS) { url } }')),
      query('query ($filter: ResultsFilterInput) { dataset(id: "a") { results(filter: $filter) { processingId } } }', {
        variables: { filter: { assetId: ['a'] } },
      }),
    ];
    const messages = (await Promise.all(mistaken)).map(({ body }) => body.errors[0].message);
    expect(messages.map((message) => message.includes('Did you mean'))).toEqual(mistaken.map(() => suggested));
  });

  it('suggestions are taken out in no time, whatever a message quotes', async () => {
    const { query } = await start({ env });
    const long = 'Did you mean '.repeat(75_000);
    // The time is what is tested: to look on from each of them takes a minute, and once over them some milliseconds.
    const started = performance.now();
    const { body } = await query(inDataset(`results { series(first: "${long}") { totalCount } }`));
    expect(body.errors[0].message).toContain(long.slice(0, 150));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
