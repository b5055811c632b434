import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, errorAt, ofDataset, respondWith, start, type TestBed } from './harness.ts';

describe('3.15 Pages of series', () => {
  /** Asset `a` stands in the answer twice. */
  const assetIds = ['a', 'b', 'a', 'c'];

  async function startWith(ids: readonly string[]): Promise<TestBed> {
    const bed = await start();
    respondWith(bed.simulator, { results: { processing_id: 'p', assets: ids.map(assetResult) } });
    return bed;
  }

  const pageFields = `
    edges { cursor node { asset { assetId } } } nodes { asset { assetId } } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  `;

  function page({ query }: TestBed, variables: { first?: number | null; after?: string | null | undefined }) {
    const document = `query ($first: Int, $after: String) {
      dataset(id: "${DATASET_ID}") { results { processingId series(first: $first, after: $after) { ${pageFields} } } }
    }`;
    return query(document, { variables });
  }

  async function cursorsOf(bed: TestBed): Promise<string[]> {
    const { body } = await page(bed, {});
    return body.data.dataset.results.series.edges.map(({ cursor }: { cursor: string }) => cursor);
  }

  it.each([
    { first: undefined, after: undefined, start: 0, end: 4, previous: false, next: false },
    { first: null, after: null, start: 0, end: 4, previous: false, next: false },
    { first: 5, after: undefined, start: 0, end: 4, previous: false, next: false },
    { first: 2_147_483_647, after: undefined, start: 0, end: 4, previous: false, next: false },
    { first: 4, after: undefined, start: 0, end: 4, previous: false, next: false },
    { first: 3, after: undefined, start: 0, end: 3, previous: false, next: true },
    { first: 1, after: undefined, start: 0, end: 1, previous: false, next: true },
    { first: 0, after: undefined, start: 0, end: 0, previous: false, next: true },
    { first: undefined, after: 0, start: 1, end: 4, previous: true, next: false },
    { first: null, after: 2, start: 3, end: 4, previous: true, next: false },
    { first: 1, after: 0, start: 1, end: 2, previous: true, next: true },
    { first: 2, after: 1, start: 2, end: 4, previous: true, next: false },
    { first: 3, after: 1, start: 2, end: 4, previous: true, next: false },
    { first: 0, after: 0, start: 1, end: 1, previous: true, next: true },
    { first: undefined, after: 3, start: 4, end: 4, previous: true, next: false },
    { first: 0, after: 3, start: 4, end: 4, previous: true, next: false },
  ])(
    'slices the answer: first $first after entry $after',
    async ({ first, after, start: from, end, previous, next }) => {
      const bed = await startWith(assetIds);
      const cursors = await cursorsOf(bed);
      const { body } = await page(bed, {
        ...(first !== undefined && { first }),
        ...(after !== undefined && { after: after === null ? null : cursors[after] }),
      });
      const nodes = assetIds.slice(from, end).map((assetId) => ({ asset: { assetId } }));
      const shown = cursors.slice(from, end);
      expect(body).toEqual({
        data: {
          dataset: {
            results: {
              processingId: 'p',
              series: {
                edges: nodes.map((node, index) => ({ cursor: shown[index], node })),
                nodes,
                totalCount: 4,
                pageInfo: {
                  hasNextPage: next,
                  hasPreviousPage: previous,
                  startCursor: shown[0] ?? null,
                  endCursor: shown.at(-1) ?? null,
                },
              },
            },
          },
        },
      });
    },
  );

  it.each([undefined, 0, 1])('has one empty page where the answer holds no asset: first %s', async (first) => {
    const bed = await startWith([]);
    const { body } = await page(bed, first === undefined ? {} : { first });
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
    const series = { edges: [], nodes: [], totalCount: 0, pageInfo };
    expect(body).toEqual({ data: { dataset: { results: { processingId: 'p', series } } } });
  });

  it('gives every entry a cursor of its own, also those of one asset', async () => {
    const cursors = await cursorsOf(await startWith(assetIds));
    expect(new Set(cursors).size).toBe(4);
  });

  it('leads through the whole answer, page by page', async () => {
    const bed = await startWith(assetIds);
    const seen: string[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const { body } = await page(bed, { first: 1, after });
      const { nodes, pageInfo } = body.data.dataset.results.series;
      seen.push(...nodes.map(({ asset }: { asset: { assetId: string } }) => asset.assetId));
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    expect(seen).toEqual(assetIds);
    expect(bed.filters()).toEqual([{}, {}, {}, {}]);
  });

  it('says in the schema that each page repeats the POST', async () => {
    const { query } = await start();
    const { body } = await query('{ __type(name: "DatasetResults") { fields { name description } } }');
    const fields: unknown[] = body.data.__type.fields;
    expect(fields).toContainEqual({
      name: 'series',
      description: expect.stringMatching(/next page.*repeats the REST call/s),
    });
  });

  it('cuts several pages of one operation out of one REST answer', async () => {
    const bed = await startWith(assetIds);
    const [cursor] = await cursorsOf(bed);
    bed.simulator.clear();
    const { body } = await bed.query(
      ofDataset(`results {
        one: series(first: 1) { nodes { asset { assetId } } }
        two: series(first: 1, after: "${cursor}") { nodes { asset { assetId } } }
        }`),
    );
    const nodes = (assetId: string) => ({ nodes: [{ asset: { assetId } }] });
    expect(body).toEqual({ data: { dataset: { results: { one: nodes('a'), two: nodes('b') } } } });
    expect(bed.filters()).toEqual([{}]);
  });

  const refused = {
    data: { dataset: { results: { processingId: 'p', series: null } } },
    errors: [errorAt(['dataset', 'results', 'series'], 'BAD_USER_INPUT')],
  };

  it.each([
    { of: 'an answer in another order', ids: ['b', 'a', 'c', 'a'], index: 0 },
    { of: 'the same asset at another place', ids: ['b', 'a'], index: 1 },
    { of: 'the entry that would come next', ids: ['a', 'b', 'a', 'c', 'a'], index: 4 },
    { of: 'an entry far beyond the end', ids: Array(12).fill('a') as string[], index: 11 },
    { of: 'another asset at the same place', ids: ['A'], index: 0 },
  ])('refuses the cursor of $of', async ({ ids, index }) => {
    const cursor = (await cursorsOf(await startWith(ids)))[index];
    expect(cursor).toEqual(expect.any(String));
    const bed = await startWith(assetIds);
    for (const first of [undefined, 0, 1]) {
      const { body } = await page(bed, { after: cursor, ...(first !== undefined && { first }) });
      expect(body).toEqual(refused);
    }
  });

  it.each([
    ['empty', () => ''],
    ['a number', () => '0'],
    ['a text', () => 'nonsense'],
    ['no ASCII', () => 'ä€😀\ud800'],
    ['long', () => 'W'.repeat(100_000)],
    ['shortened', (cursor: string) => cursor.slice(0, -1)],
    ['lengthened', (cursor: string) => `${cursor}A`],
    ['padded', (cursor: string) => `${cursor}=`],
    ['with a space', (cursor: string) => ` ${cursor}`],
    ['twice', (cursor: string) => cursor + cursor],
    ['an asset id', () => 'a'],
  ])('refuses what is no cursor: %s', async (_name, spoil) => {
    const bed = await startWith(assetIds);
    const [, cursor = ''] = await cursorsOf(bed);
    const { body } = await page(bed, { after: spoil(cursor) });
    expect(body).toEqual(refused);
  });

  it('refuses any cursor where the answer holds no asset', async () => {
    const [cursor] = await cursorsOf(await startWith(assetIds));
    const { body } = await page(await startWith([]), { after: cursor });
    expect(body).toEqual(refused);
  });

  it.each([-1, -2_147_483_648])('refuses first: %i', async (first) => {
    const bed = await startWith(assetIds);
    const { body } = await page(bed, { first });
    expect(body).toEqual(refused);
  });
});

describe('3.15 Slices of rows', () => {
  const days = ['2024-01-01', '2024-01-02', '2024-01-03'];

  function rows({ query }: TestBed, args: string) {
    return query(ofDataset(`asset(assetId: "a") { series { results${args} { valueDate } } }`));
  }

  it.each([
    ['', days],
    ['(first: null)', days],
    ['(first: 3)', days],
    ['(first: 4)', days],
    ['(first: 2)', days.slice(0, 2)],
    ['(first: 0)', []],
    ['(offset: 0)', days],
    ['(offset: 1)', days.slice(1)],
    ['(offset: 1, first: 1)', days.slice(1, 2)],
    ['(offset: 2, first: 2)', days.slice(2)],
    ['(offset: 3)', []],
    ['(offset: 2147483647, first: 2147483647)', []],
    ['(offset: 1, first: 0)', []],
  ])('gives the rows that are asked for: results%s', async (args, expected) => {
    const { body } = await rows(await start(), args);
    const results = expected.map((valueDate) => ({ valueDate }));
    expect(body).toEqual({ data: { dataset: { asset: { series: { results } } } } });
  });

  it.each(['(first: -1)', '(offset: -1)', '(first: -2147483648, offset: -2147483648)', '(first: 1, offset: -1)'])(
    'refuses a negative count: results%s',
    async (args) => {
      const { body } = await rows(await start(), args);
      expect(body).toEqual({
        data: { dataset: { asset: { series: { results: null } } } },
        errors: [errorAt(['dataset', 'asset', 'series', 'results'], 'BAD_USER_INPUT')],
      });
    },
  );
});

describe('3.16 Columns and metrics', () => {
  const metric = (name: string | null | undefined, value?: number | null) => ({ name, value });
  /** Not in the order of their dates; metrics repeated, missing, without a name and without a value. */
  const rows = [
    { value_date: 'd3', metrics: [metric('m', 1), metric('t', 2), metric('m', 9)] },
    { value_date: 'd1', metrics: [metric('t', 3)] },
    { metrics: [] },
    { value_date: 'd1' },
    { value_date: null, metrics: [metric('m', null), metric('m', 7), metric(undefined, 5), metric(null, 6)] },
    { value_date: 'd2', metrics: [metric('__proto__', 4), metric('', 8), metric('m', 0)] },
  ];
  const valueDates = ['d3', 'd1', null, 'd1', null, 'd2'];
  const column = {
    m: { name: 'm', values: [1, null, null, null, null, 0] },
    t: { name: 't', values: [2, 3, null, null, null, null] },
    proto: { name: '__proto__', values: [null, null, null, null, null, 4] },
    empty: { name: '', values: [null, null, null, null, null, 8] },
    unknown: { name: 'nope', values: Array(6).fill(null) },
  };

  async function series(fields: string, results: unknown = rows) {
    const bed = await start();
    respondWith(bed.simulator, { results: { assets: [{ asset_id: 'a', results }] } });
    const { body } = await bed.query(ofDataset(`asset(assetId: "a") { series { ${fields} } }`));
    return body;
  }

  const response = (fields: object) => ({ data: { dataset: { asset: { series: fields } } } });

  it('names the metrics once, in the order of their first appearance', async () => {
    expect(await series('metricNames')).toEqual(response({ metricNames: ['m', 't', '__proto__', ''] }));
  });

  it('has the rows and the order of the results', async () => {
    expect(await series('resultCount results { valueDate } columns { rowCount valueDates }')).toEqual(
      response({
        resultCount: 6,
        results: valueDates.map((valueDate) => ({ valueDate })),
        columns: { rowCount: 6, valueDates },
      }),
    );
  });

  it.each([
    ['', [column.m, column.t, column.proto, column.empty]],
    ['(metrics: null)', [column.m, column.t, column.proto, column.empty]],
    ['(metrics: [])', []],
    ['(metrics: ["t", "m"])', [column.t, column.m]],
    ['(metrics: ["t", "nope", "t", "m", "t"])', [column.t, column.unknown, column.m]],
    ['(metrics: ["", "__proto__"])', [column.empty, column.proto]],
    ['(metrics: ["constructor"])', [{ ...column.unknown, name: 'constructor' }]],
    ['(metrics: ["M"])', [{ ...column.unknown, name: 'M' }]],
  ])('has a value for every row in every column: columns%s', async (args, metrics) => {
    expect(await series(`columns${args} { rowCount metrics { name values } }`)).toEqual(
      response({ columns: { rowCount: 6, metrics } }),
    );
  });

  it('has columns without entries where there are no rows', async () => {
    const fields =
      'metricNames columns { rowCount valueDates metrics { name } } m: columns(metrics: ["m"]) { metrics { values } }';
    const columns = { rowCount: 0, valueDates: [], metrics: [] };
    expect(await series(fields, [])).toEqual(response({ metricNames: [], columns, m: { metrics: [{ values: [] }] } }));
  });

  const m1 = { name: 'm', value: 1 };
  const m9 = { name: 'm', value: 9 };
  const t2 = { name: 't', value: 2 };

  it.each([
    ['', [m1, t2, m9]],
    ['(names: null)', [m1, t2, m9]],
    ['(names: [])', []],
    ['(names: ["m"])', [m1, m9]],
    ['(names: ["t", "m", "t"])', [m1, t2, m9]],
    ['(names: ["nope", "t"])', [t2]],
    ['(names: ["nope"])', []],
  ])('filters the metrics of a row: metrics%s', async (args, metrics) => {
    expect(await series(`results(first: 1) { metrics${args} { name value } }`)).toEqual(
      response({ results: [{ metrics }] }),
    );
  });

  it('shows metrics without a name or a value, unless names are asked for', async () => {
    const fields =
      'results(offset: 2, first: 3) { metrics { name value } named: metrics(names: ["m", "null", "undefined"]) { name value } }';
    const named = [
      { name: 'm', value: null },
      { name: 'm', value: 7 },
    ];
    expect(await series(fields)).toEqual(
      response({
        results: [
          { metrics: [], named: [] },
          { metrics: null, named: null },
          { metrics: [...named, { name: null, value: 5 }, { name: null, value: 6 }], named },
        ],
      }),
    );
  });

  it('picks one number of each row: the first of that name, also where it has no value', async () => {
    const fields = 'm: value(metric: "m") t: value(metric: "t") nope: value(metric: "nope") empty: value(metric: "")';
    const values = (m: number | null, t: number | null, empty: number | null = null) => ({ m, t, nope: null, empty });
    expect(await series(`results { ${fields} }`)).toEqual(
      response({
        results: [
          values(1, 2),
          values(null, 3),
          values(null, null),
          values(null, null),
          values(null, null),
          values(0, null, 8),
        ],
      }),
    );
  });
});
