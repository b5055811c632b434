import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import { assetResult, DATASET_ID, dataset, respondWith, start, TOKEN } from '../support/harness.ts';

const inDataset = (selection: string) => `{ dataset(id: "${DATASET_ID}") { ${selection} } }`;

const SUMMARY = `GET /v1/collection/dataset/summary/${DATASET_ID}`;
const RESULTS = `POST /v1/processingresult/dataset/${DATASET_ID}`;

// The decision: a JSON object is always sent.
describe('5 Gap: body omitted', () => {
  it.each(['', '(filter: null)', '(filter: {})', '(filter: { assetIds: null, timeRange: null })'])(
    'always sends a JSON object: results%s',
    async (filter) => {
      const { query, simulator, calls } = await start();
      const { body } = await query(inDataset(`results${filter} { series { totalCount } }`));
      expect(body).toEqual({ data: { dataset: { results: { series: { totalCount: 3 } } } } });
      expect(calls()).toEqual([`${RESULTS} {}`]);
      expect(simulator.requests[0]?.headers['content-type']).toEqual(['application/json']);
    },
  );

  it('sends none with the GET', async () => {
    const { query, simulator, calls } = await start();
    await query(inDataset('name'));
    expect(calls()).toEqual([SUMMARY]);
    expect(simulator.requests[0]?.headers).not.toHaveProperty('content-type');
  });
});

// The decision: passed on; the subgraph cuts nothing off.
describe('5 Gap: are the bounds inclusive?', () => {
  it('passes the bounds through as given, and trims nothing', async () => {
    const { simulator, query, filters } = await start();
    const dates = ['1999-12-31', '2024-01-01', '2024-01-02', '2024-01-03', '2099-01-01'];
    const rows = dates.map((value_date) => ({ value_date }));
    respondWith(simulator, { results: { assets: [{ asset_id: 'a', results: rows }] } });
    const range = 'timeRange: { start: "2024-01-01T00:00:00Z", stop: "2024-01-03T00:00:00Z" }';
    const { body } = await query(
      inDataset(`
        results(filter: { ${range} }) { series { nodes { rows { valueDate } } } }
        asset(assetId: "a") { series(filter: { ${range} }) { rows { valueDate } } }
      `),
    );
    const received = dates.map((valueDate) => ({ valueDate }));
    expect(body).toEqual({
      data: {
        dataset: { results: { series: { nodes: [{ rows: received }] } }, asset: { series: { rows: received } } },
      },
    });
    expect(filters()).toEqual([{ time_range: { start_date: 1_704_067_200_000, stop_date: 1_704_240_000_000 } }]);
  });

  it.each([
    ['start: 5', { start_date: 5 }],
    ['stop: 5', { stop_date: 5 }],
    ['start: 5, stop: 5', { start_date: 5, stop_date: 5 }],
    ['start: -5, stop: 0', { start_date: -5, stop_date: 0 }],
  ])('sends { %s } with the bounds that it has', async (range, time_range) => {
    const { query, filters } = await start();
    await query(inDataset(`results(filter: { timeRange: { ${range} } }) { processingId }`));
    expect(filters()).toEqual([{ time_range }]);
  });
});

// The decision: the received order is kept.
describe('5 Gap: paging, order', () => {
  it('keeps the order received: of assets, rows, metrics and categories', async () => {
    const { simulator, query } = await start();
    const metrics = ['z', 'a', 'm'].map((name, value) => ({ name, value }));
    const results = ['2024-03', '2024-01', '2024-02'].map((value_date) => ({ value_date, metrics }));
    const assets = ['c', 'a', 'b', 'a'].map((asset_id) => ({ asset_id, asset_categories: ['y', 'x'], results }));
    respondWith(simulator, { results: { assets } });
    const { body } = await query(
      inDataset(
        'results { series { nodes { asset { assetId categories } metricNames rows { valueDate metrics { name value } } columns { valueDates metrics { name } } } } }',
      ),
    );
    const nodes = assets.map(({ asset_id }) => ({
      asset: { assetId: asset_id, categories: ['y', 'x'] },
      metricNames: ['z', 'a', 'm'],
      rows: results.map(({ value_date }) => ({ valueDate: value_date, metrics })),
      columns: {
        valueDates: ['2024-03', '2024-01', '2024-02'],
        metrics: [{ name: 'z' }, { name: 'a' }, { name: 'm' }],
      },
    }));
    expect(body).toEqual({ data: { dataset: { results: { series: { nodes } } } } });
  });

  it('asks for no pages', async () => {
    const { query, calls } = await start();
    const { body } = await query(inDataset('results { series(first: 1) { nodes { asset { assetId } } totalCount } }'));
    const series = { nodes: [{ asset: { assetId: 'a' } }], totalCount: 3 };
    expect(body).toEqual({ data: { dataset: { results: { series } } } });
    expect(calls()).toEqual([`${RESULTS} {}`]);
  });
});

// The decision: the header by default; never both.
describe('5 Gap: authToken and header', () => {
  const urls = inDataset('name results { processingId } download { url requiredHeaders } downloadUrlWithToken');

  it('sends the header by default, and never both', async () => {
    const { simulator, query, calls } = await start();
    await query(urls);
    expect(calls().sort()).toEqual([SUMMARY, `${RESULTS} {}`]);
    expect(simulator.requests.map(({ headers }) => headers.authorization)).toEqual([
      [`Bearer ${TOKEN}`],
      [`Bearer ${TOKEN}`],
    ]);
  });

  it.each([
    ['deny', false],
    ['allow', true],
  ])('puts the token into a URL only where it is asked for and allowed: %s', async (DOWNLOAD_TOKEN_IN_URL, allowed) => {
    const { simulator, query } = await start({ env: { DOWNLOAD_TOKEN_IN_URL } });
    const { body } = await query(urls);
    const url = `${simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
    expect(body.data.dataset).toMatchObject({
      download: { url, requiredHeaders: ['Authorization: Bearer <ACCESS_TOKEN>'] },
      downloadUrlWithToken: allowed ? `${url}?authToken=${TOKEN}` : null,
    });
  });
});

// The decision: read as JSON if it parses; a byte-order mark is skipped.
describe('5 Gap: the response content type "any"', () => {
  const contentTypes: [string, string | string[]][] = [
    ['application/json', 'application/json'],
    ['text/plain', 'text/plain'],
    ['text/html', 'text/html; charset=iso-8859-1'],
    ['none', []],
    ['nonsense', ';;'],
    ['several', ['text/html', 'image/png']],
  ];

  it.each(contentTypes)('is not looked at: %s', async (_case, contentType) => {
    const { simulator, query } = await start();
    simulator.intercept(() => ({ headers: { 'content-type': contentType } }));
    const { body } = await query(inDataset('name results { processingId }'));
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture', results: { processingId: 'p-1' } } } });
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
    [401, 'name', SUMMARY, 'UNAUTHENTICATED'],
    [401, 'results { processingId }', `${RESULTS} {}`, 'UNAUTHENTICATED'],
    [
      401,
      'a: asset(assetId: "a") { name } b: asset(assetId: "b") { name }',
      `${RESULTS} {"mo_ids":["a","b"]}`,
      'UNAUTHENTICATED',
    ],
    [429, 'name', SUMMARY, 'RATE_LIMITED'],
    [429, 'results { processingId }', `${RESULTS} {}`, 'RATE_LIMITED'],
    [
      429,
      'a: asset(assetId: "a") { name } b: asset(assetId: "b") { name }',
      `${RESULTS} {"mo_ids":["a","b"]}`,
      'RATE_LIMITED',
    ],
  ])('a %i is reported and never retried: %s', async (status, selection, call, code) => {
    const { simulator, query, calls } = await start();
    simulator.intercept(() => ({ status, headers: { 'retry-after': '0' } }));
    const { body } = await query(inDataset(selection));
    const codes = body.errors.map((error: { extensions: { code: string } }) => error.extensions.code);
    expect(new Set(codes)).toEqual(new Set([code]));
    expect(calls()).toEqual([call]);
  });

  it('nothing is remembered of a token that was refused', async () => {
    const { simulator, query, calls } = await start();
    simulator.intercept(() => (calls().length === 1 ? { status: 401 } : undefined));
    expect((await query(inDataset('name'))).body.data).toEqual({ dataset: null });
    expect((await query(inDataset('name'))).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(calls()).toEqual([SUMMARY, SUMMARY]);
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

  it.each(['{ __schema { queryType { name } } }', '{ __type(name: "Dataset") { name } }'])(
    'nothing else tells of the schema with INTROSPECTION=off: %s',
    async (document) => {
      const { query } = await start({ env });
      const { status, body } = await query(document);
      expect(status).toBe(400);
      expect(body.data).toBeUndefined();
      expect(body.errors[0].extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
    },
  );

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

  it('Sandbox is not shown with INTROSPECTION=off', async () => {
    const { http } = await start({ env: { ...env, EXPLORER: 'sandbox' } });
    const { headers, body } = await http('/graphql', { headers: { accept: 'text/html' } });
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(body.errors).toHaveLength(1);
  });
});

// The decision: passed on as text; never parsed, sorted or filtered by.
describe('5 Gap: the format of value_date', () => {
  const dates = [
    '2024-01-02',
    '31/12/2023',
    'tomorrow',
    '',
    ' 2024 ',
    '1704067200000',
    '2024-W01',
    '\u0000é😀"\\',
    '2024-01-02',
  ];
  const rows = dates.map((value_date, index) => ({ value_date, metrics: [{ name: 'm', value: index }] }));

  it('passes any text through: never parsed, sorted or filtered by', async () => {
    const { simulator, query } = await start();
    respondWith(simulator, { results: { assets: [{ asset_id: 'a', results: rows }] } });
    const selection = 'rows { valueDate value(metric: "m") } columns { valueDates }';
    const series = {
      rows: rows.map(({ value_date }, index) => ({ valueDate: value_date, value: index })),
      columns: { valueDates: dates },
    };
    const range = 'timeRange: { start: "2024-01-02T00:00:00Z", stop: "2024-01-02T00:00:00Z" }';
    const { body } = await query(
      inDataset(
        `results(filter: { ${range} }) { series { nodes { ${selection} } } } asset(assetId: "a") { series(filter: { ${range} }) { ${selection} } }`,
      ),
    );
    expect(body).toEqual({ data: { dataset: { results: { series: { nodes: [series] } }, asset: { series } } } });
  });
});

// The decision: none is relied on.
describe('5 Gap: which fields are always present', () => {
  const metadata = `
    name description assetCount attributionText attributionFile sharing processing { id } source { name }
    startDate stopDate startDateTime stopDateTime
  `;
  const noMetadata = {
    name: null,
    description: null,
    assetCount: null,
    attributionText: null,
    attributionFile: null,
    sharing: null,
    processing: null,
    source: null,
    startDate: null,
    stopDate: null,
    startDateTime: null,
    stopDateTime: null,
  };
  const series =
    'version rowCount metricNames rows { valueDate value(metric: "m") metrics { name value } } columns { rowCount }';
  const noSeries = { version: null, rowCount: null, metricNames: null, rows: null, columns: null };
  const asset = 'assetId name version categories centroid { latitude } surfaceAreaM2 parent { name }';
  const noAttributes = {
    name: null,
    version: null,
    categories: null,
    centroid: null,
    surfaceAreaM2: null,
    parent: null,
  };

  it.each([
    ['an empty object', {}],
    ['nothing but nulls', nulls(dataset.metadata)],
  ])('relies on none of the metadata: %s', async (_case, answer) => {
    const { simulator, query } = await start();
    respondWith(simulator, { metadata: answer });
    expect((await query(inDataset(`id ${metadata}`))).body).toEqual({
      data: { dataset: { id: DATASET_ID, ...noMetadata } },
    });
  });

  it.each([
    ['an empty object', {}],
    ['nothing but nulls', { processing_id: null, source_id: null, assets: null }],
  ])('relies on none of the results: %s', async (_case, answer) => {
    const { simulator, query } = await start();
    respondWith(simulator, { results: answer });
    const document = inDataset(
      `results { processingId sourceId series { totalCount nodes { ${series} } } } asset(assetId: "a") { ${asset} series { ${series} } }`,
    );
    expect((await query(document)).body).toEqual({
      data: { dataset: { results: { processingId: null, sourceId: null, series: null }, asset: null } },
    });
  });

  it.each([
    ['an id and nothing else', { asset_id: 'a' }],
    ['nothing but nulls', { ...nulls(assetResult('a')), asset_id: 'a' }],
  ])('relies on none of an asset but its id: %s', async (_case, entry) => {
    const { simulator, query } = await start();
    respondWith(simulator, { results: { assets: [entry] } });
    const document = inDataset(
      `results { series { totalCount nodes { asset { ${asset} } ${series} } } } asset(assetId: "a") { ${asset} series { ${series} } }`,
    );
    const expected = { assetId: 'a', ...noAttributes };
    expect((await query(document)).body).toEqual({
      data: {
        dataset: {
          results: { series: { totalCount: 1, nodes: [{ asset: expected, ...noSeries }] } },
          asset: { ...expected, series: noSeries },
        },
      },
    });
  });

  it('relies on none of a row or of a metric', async () => {
    const { simulator, query } = await start();
    const rows = [
      {},
      { value_date: null, metrics: null },
      { metrics: [] },
      { metrics: [{}, { name: 'm' }, { value: 1 }] },
    ];
    respondWith(simulator, { results: { assets: [{ asset_id: 'a', results: rows }] } });
    const selection =
      'rowCount metricNames rows { valueDate value(metric: "m") metrics { name value } } columns { rowCount valueDates metrics { name values } }';
    const { body } = await query(inDataset(`asset(assetId: "a") { series { ${selection} } }`));
    const nothing = { valueDate: null, value: null };
    expect(body).toEqual({
      data: {
        dataset: {
          asset: {
            series: {
              rowCount: 4,
              metricNames: ['m'],
              rows: [
                { ...nothing, metrics: null },
                { ...nothing, metrics: null },
                { ...nothing, metrics: [] },
                {
                  ...nothing,
                  metrics: [
                    { name: null, value: null },
                    { name: 'm', value: null },
                    { name: null, value: 1 },
                  ],
                },
              ],
              columns: {
                rowCount: 4,
                valueDates: [null, null, null, null],
                metrics: [{ name: 'm', values: [null, null, null, null] }],
              },
            },
          },
        },
      },
    });
  });
});

// The decision: the raw `Int64`, and a derived `DateTime` in the unit that the operator says (`DATE_UNIT`).
describe('5 Gap: the unit of metadata dates', () => {
  it.each([
    [1_704_067_200, '1970-01-20T17:21:07.200Z', '2024-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.000Z'],
    [0, '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  ])('gives %i as received, and a DateTime in the unit of DATE_UNIT', async (date, milliseconds, seconds) => {
    const units: readonly [Record<string, string>, string][] = [
      [{}, milliseconds],
      [{ DATE_UNIT: 'milliseconds' }, milliseconds],
      [{ DATE_UNIT: 'seconds' }, seconds],
    ];
    for (const [env, dateTime] of units) {
      const { simulator, query } = await start({ env });
      respondWith(simulator, { metadata: { start_date: date, stop_date: date } });
      const { body } = await query(inDataset('startDate startDateTime stopDate stopDateTime'));
      expect(body.data.dataset).toEqual({
        startDate: String(date),
        startDateTime: dateTime,
        stopDate: String(date),
        stopDateTime: dateTime,
      });
    }
  });
});

/** The object with nothing but nulls in it. */
function nulls(object: object): Record<string, null> {
  return Object.fromEntries(Object.keys(object).map((key) => [key, null]));
}
