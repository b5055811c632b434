import { describe, expect, it } from 'vitest';
import {
  type Answer,
  assetReference,
  assetResult,
  DATASET_ID,
  datasetReference,
  errorAt,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  respondWith,
  start,
  type TestBed,
  times,
} from './harness.ts';

/** The one error of an answer that refuses a whole request. */
const refused = (message: string) => ({ errors: [{ message, extensions: { code: 'REQUEST_LIMIT_EXCEEDED' } }] });

/** Within this time a request is refused, with much to spare for a busy machine. */
const SOON_MS = 2000;

/** Expects a document to be refused before it is validated, soon, and without a REST call; also the second time. */
async function expectRefused(bed: TestBed, document: string, message: string): Promise<void> {
  for (const _ of ['parsed', 'known']) {
    const started = performance.now();
    const { status, body } = await bed.query(document);
    expect(body).toEqual(refused(message));
    expect(status).toBe(400);
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  }
  expect(bed.calls()).toEqual([]);
}

async function expectExecuted(bed: TestBed, document: string): Promise<Answer> {
  const response = await bed.query(document);
  expect(response.body.errors).toBeUndefined();
  expect(response.status).toBe(200);
  return response;
}

describe('3.27 Limits on documents', () => {
  const tokens = 'The document has more than 10000 tokens (MAX_DOCUMENT_TOKENS).';
  const aliases = 'The operation has more than 500 aliases (MAX_ALIASES).';
  const levels = 'The operation has more than 30 levels of selections and fragments.';
  const rootFields = 'The operation has more than 100 root fields.';

  it('10000 tokens, and no more', async () => {
    const bed = await start();
    const document = (count: number) => `{ dataset(id: [${'1 '.repeat(count - 12)}]) { id } }`;
    const { status, body } = await bed.query(document(10_000));
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    await expectRefused(bed, document(10_001), tokens);
  });

  it('500 aliases, and no more, at whatever depth', async () => {
    const bed = await start();
    const spread = (count: number) => ofDataset(`id ${times(count, (index) => `a${index}: id`)}`);
    await expectExecuted(bed, spread(500));
    await expectRefused(bed, spread(501), aliases);
  });

  it('the aliases of a fragment count wherever it is spread', async () => {
    const bed = await start();
    const document = (count: number) =>
      `{ ${times(10, (index) => `d${index}: dataset(id: "a") { ...F }`)} } fragment F on Dataset { id ${times(count, (index) => `a${index}: id`)} }`;
    await expectExecuted(bed, document(49));
    await expectRefused(bed, document(50), aliases);
  });

  it('a fragment is looked at once, however often it comes to be spread', async () => {
    const bed = await start();
    const fan = times(
      400,
      (index) => `fragment F${index} on Query { a${index}: __typename ...F${index + 1} ...F${index + 1} }`,
    );
    await expectRefused(bed, `{ ...F0 } ${fan} fragment F400 on Query { b: __typename }`, levels);
    const shallow = times(
      28,
      (index) => `fragment F${index} on Query { a${index}: __typename ...F${index + 1} ...F${index + 1} }`,
    );
    await expectRefused(bed, `{ ...F0 } ${shallow} fragment F28 on Query { b: __typename }`, rootFields);
  });

  it.each<[string, (levels: number) => string]>([
    [
      'fields',
      (count) => {
        const pairs = (count - 6) / 2;
        return `{ dataset(id: "${DATASET_ID}") { results { series { nodes { ${'asset { series { '.repeat(pairs)} version ${'} }'.repeat(pairs)} } } } } }`;
      },
    ],
    ['inline fragments', (count) => `{ ${'... { '.repeat(count - 1)} __typename ${'}'.repeat(count - 1)} }`],
    [
      'fragments',
      (count) =>
        `{ ...F2 } ${times(count - 1, (index) => `fragment F${index + 2} on Query { __typename ${index + 2 < count ? `...F${index + 3}` : ''} }`)}`,
    ],
  ])('30 levels of %s, and no more', async (kind, document) => {
    const bed = await start();
    await expectExecuted(bed, document(30));
    bed.simulator.clear();
    await expectRefused(bed, document(kind === 'fields' ? 32 : 31), levels);
  });

  it('100 fields on the root, in fragments too, and no more', async () => {
    const bed = await start();
    const document = (count: number) =>
      `{ ...F ... { __typename } ${'__typename '.repeat(count - 2)} } fragment F on Query { __typename }`;
    await expectExecuted(bed, document(100));
    await expectRefused(bed, document(101), rootFields);
  });

  it.each<[string, string]>([
    ['lists', `{ dataset(id: ${'['.repeat(100_000)}1${']'.repeat(100_000)}) { id } }`],
    ['objects', `{ dataset(id: ${'{ a: '.repeat(100_000)}1${'}'.repeat(100_000)}) { id } }`],
  ])('what is too deep for the parser is refused as such: %s', async (_title, document) => {
    const bed = await start({ env: { MAX_DOCUMENT_TOKENS: '1000000' } });
    await expectRefused(bed, document, 'The document is nested too deeply to be parsed.');
  });

  it('a fragment that spreads itself is left to validation', async () => {
    const bed = await start();
    const { status, body } = await bed.query('{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }');
    expect(status).toBe(400);
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('are settings: MAX_DOCUMENT_TOKENS and MAX_ALIASES', async () => {
    const bed = await start({ env: { MAX_DOCUMENT_TOKENS: '9', MAX_ALIASES: '1' } });
    await expectExecuted(bed, '{ a: __typename __typename }');
    await expectRefused(bed, '{ a: __typename b: __typename }', 'The operation has more than 1 aliases (MAX_ALIASES).');
    const long = 'The document has more than 9 tokens (MAX_DOCUMENT_TOKENS).';
    await expectRefused(
      bed,
      '{ __typename __typename __typename __typename __typename __typename __typename __typename }',
      long,
    );
  });

  it('leave the introspection of tools alone', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const options = {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    };
    await expectExecuted(await start(), getIntrospectionQuery(options));
  });
});

describe('3.27 Limits on what an operation asks for', () => {
  /** The message of the error at a path. */
  const errorsOf = ({ body }: Answer) =>
    body.errors?.map(
      ({ message, path, extensions }: { message: string; path: unknown[]; extensions: { code: string } }) => ({
        message,
        path: path.join('.'),
        code: extensions.code,
      }),
    );
  const exceeded = (path: string, message: string) => ({ message, path, code: 'REQUEST_LIMIT_EXCEEDED' });

  it('the SDL of the schema five times, and no more, under all aliases together', async () => {
    const { query } = await start();
    const sdl = expect.stringContaining('type Dataset');
    const five = await query('{ a: _service { sdl b: sdl } c: _service { sdl b: sdl d: sdl } }');
    expect(five.body).toEqual({ data: { a: { sdl, b: sdl }, c: { sdl, b: sdl, d: sdl } } });
    const six = await query('{ a: _service { sdl b: sdl c: sdl } d: _service { sdl b: sdl c: sdl } }');
    expect(six.body).toEqual({
      data: { a: { sdl, b: sdl, c: sdl }, d: { sdl, b: sdl, c: null } },
      errors: [
        {
          ...errorAt(['d', 'c'], 'REQUEST_LIMIT_EXCEEDED'),
          message: 'The operation selects the SDL of the schema more than 5 times.',
        },
      ],
    });
    // The next operation may again.
    expect((await query('{ _service { sdl } }')).body).toEqual({ data: { _service: { sdl } } });
  });

  it('1000 datasets, and no more, under all aliases together', async () => {
    const bed = await start();
    const document =
      'query ($ids: [ID!]!, $more: [ID!]!) { datasets(ids: $ids) { id } more: datasets(ids: $more) { id } }';
    const ids = (count: number) => Array.from({ length: count }, () => DATASET_ID);
    const most = await bed.query(document, { variables: { ids: ids(600), more: ids(400) } });
    expect([most.body.errors, most.body.data.datasets.length, most.body.data.more.length]).toEqual([
      undefined,
      600,
      400,
    ]);
    const tooMany = await bed.query(document, { variables: { ids: ids(600), more: ids(401) } });
    expect(tooMany.status).toBe(200);
    expect(errorsOf(tooMany)).toEqual([exceeded('more', 'The operation names more than 1000 datasets.')]);
    expect(bed.calls()).toEqual([]);
  });

  it('5000 representations, and no more, under all aliases together', async () => {
    const bed = await start();
    const document =
      'query ($r: [_Any!]!, $s: [_Any!]!) { _entities(representations: $r) { __typename } more: _entities(representations: $s) { __typename } }';
    const references = (count: number) => Array.from({ length: count }, () => datasetReference());
    const most = await bed.query(document, { variables: { r: references(3000), s: references(2000) } });
    expect([most.body.errors, most.body.data.more.length]).toEqual([undefined, 2000]);
    const tooMany = await bed.query(document, { variables: { r: references(3000), s: references(2001) } });
    expect(errorsOf(tooMany)).toEqual([
      exceeded('more', 'The operation has more than 5000 representations (MAX_REPRESENTATIONS).'),
    ]);
    expect(bed.calls()).toEqual([]);
  });

  it('MAX_REPRESENTATIONS is a setting', async () => {
    const { query } = await start({ env: { MAX_REPRESENTATIONS: '1' } });
    const ask = (count: number) =>
      query(ofEntities('__typename'), { variables: { references: Array(count).fill(datasetReference()) } });
    expect((await ask(1)).body).toEqual({ data: { _entities: [{ __typename: 'Dataset' }] } });
    expect(errorsOf(await ask(2))).toEqual([
      exceeded('_entities', 'The operation has more than 1 representations (MAX_REPRESENTATIONS).'),
    ]);
  });

  it('10000 asset ids in all filters together, and no more', async () => {
    const bed = await start({ env: { ASSET_IDS_PER_CALL: '10000' } });
    const document = `query ($id: ID!, $ids: [ID!], $more: [ID!]) { dataset(id: $id) { id
      a: results(filter: { assetIds: $ids }) { sourceId } b: results(filter: { assetIds: $more }) { sourceId } } }`;
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
    const ask = (count: number) =>
      bed.query(document, { variables: { id: DATASET_ID, ids: ids(6000), more: ids(count) } });
    const tooMany = await ask(4001);
    expect(errorsOf(tooMany)).toEqual([
      exceeded('dataset', 'The filters of the operation have more than 10000 asset ids.'),
    ]);
    expect(bed.calls()).toEqual([]);
    const most = await ask(4000);
    expect(most.body).toEqual({
      data: { dataset: { id: DATASET_ID, a: { sourceId: 's-1' }, b: { sourceId: 's-1' } } },
    });
    expect(bed.calls()).toEqual([postResults({ mo_ids: ids(6000) })]);
  });

  it('asset ids count for each dataset of a list', async () => {
    const bed = await start();
    const document = `query ($ids: [ID!]!, $assets: [ID!]) { datasets(ids: $ids) { id results(filter: { assetIds: $assets }) { sourceId } } }`;
    const assets = Array.from({ length: 101 }, (_, index) => `a${index}`);
    const tooMany = await bed.query(document, { variables: { ids: Array(100).fill(DATASET_ID), assets } });
    expect(errorsOf(tooMany)).toEqual([
      exceeded('datasets', 'The filters of the operation have more than 10000 asset ids.'),
    ]);
    expect(bed.calls()).toEqual([]);
    const most = await bed.query(document, { variables: { ids: Array(99).fill(DATASET_ID), assets } });
    expect(most.body.errors).toBeUndefined();
  });

  it('5000 series, and no more: a reference beyond it is null, and spares the others', async () => {
    const bed = await start();
    const document = ofEntities(
      '... on Asset { assetId a: series { version } b: series(timeRange: { start: 1 }) { version } }',
    );
    const references = Array.from({ length: 2501 }, () => assetReference('a'));
    const response = await bed.query(document, { variables: { references } });
    const found = { assetId: 'a', a: { version: '1' }, b: { version: '1' } };
    expect(response.body.data._entities).toEqual([...Array(2500).fill(found), null]);
    expect(errorsOf(response)).toEqual([
      exceeded('_entities.2500', 'The operation selects more than 5000 results of datasets and series of assets.'),
    ]);
  });

  it('series count for each dataset of a list', async () => {
    const bed = await start();
    const document = `query ($ids: [ID!]!) { datasets(ids: $ids) { ${times(51, (index) => `a${index}: results(filter: { assetIds: [] }) { sourceId }`)} } }`;
    expect(errorsOf(await bed.query(document, { variables: { ids: Array(100).fill(DATASET_ID) } }))).toEqual([
      exceeded('datasets', 'The operation selects more than 5000 results of datasets and series of assets.'),
    ]);
    expect((await bed.query(document, { variables: { ids: Array(98).fill(DATASET_ID) } })).body.errors).toBeUndefined();
    expect(bed.calls()).toEqual([]);
  });

  it('100 different time ranges, and no more', async () => {
    const bed = await start();
    const document = (count: number) =>
      ofDataset(
        `id ${times(count, (index) => `a${index}: results(filter: { timeRange: { start: ${index} } }) { sourceId }`)} again: results(filter: { timeRange: { start: 0 } }) { sourceId }`,
      );
    expect(errorsOf(await bed.query(document(101)))).toEqual([
      exceeded('dataset', 'The operation has more than 100 different time ranges.'),
    ]);
    expect(bed.calls()).toEqual([]);
    await expectExecuted(bed, document(100));
    expect(bed.calls()).toHaveLength(100);
  });

  /** The most fields on the objects of lists, by the default of MAX_OPERATION_WORK. */
  const MAX_FIELDS = Math.floor(268_435_456 / 2500);
  const exceedsWork = (path: string, limit = 268_435_456) =>
    exceeded(path, `The operation exceeds its work limit (MAX_OPERATION_WORK is ${limit}).`);

  it('107374 fields on the objects of lists, and no more', async () => {
    const bed = await start();
    const ask = (fields: number, count: number) =>
      bed.query(ofEntities(`... on Dataset { ${times(fields, (index) => `a${index}: id`)} }`), {
        variables: { references: Array(count).fill(datasetReference()) },
      });
    expect((await ask(49, Math.floor(MAX_FIELDS / 49))).body.data._entities).toHaveLength(2191);
    expect(errorsOf(await ask(49, 2192))).toEqual([exceedsWork('_entities')]);
  });

  it('fields count under the conditions of each request', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const document = `query ($ids: [ID!]!, $more: Boolean!) {
      datasets(ids: $ids) { id } datasets(ids: $ids) @include(if: $more) { ${times(20, (index) => `a${index}: id`)} }
    }`;
    const ask = (more: boolean) => bed.query(document, { variables: { ids: Array(20).fill('x'), more } });
    expect((await ask(false)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(true))).toEqual([exceedsWork('datasets', 1_000_000)]);
    expect((await ask(false)).body.errors).toBeUndefined();
  });

  it('the values of a literal list count for each object that reads it', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const ask = (literals: number) =>
      bed.query(
        ofEntities(`... on Dataset { results(filter: { assetIds: [${'"a" '.repeat(literals)}] }) { sourceId } }`),
        { variables: { references: Array(10).fill(datasetReference()) } },
      );
    // Two fields, the filter's list, and what is in it.
    expect(errorsOf(await ask(38))).toEqual([exceedsWork('_entities', 1_000_000)]);
    expect(bed.calls()).toEqual([]);
    expect(errorsOf(await ask(36))).toBeUndefined();
  });

  it('10000 fields with fragments put in, and no more', async () => {
    const bed = await start();
    const document = (count: number) =>
      `{ ${times(100, (index) => `d${index}: dataset(id: "a") { ...F }`)} } fragment F on Dataset { ${'id '.repeat(count)} }`;
    await expectExecuted(bed, document(99));
    await expectRefused(
      bed,
      document(100),
      'The operation has more than 10000 fields, with fragments expanded (MAX_DOCUMENT_TOKENS).',
    );
  });

  it('1000 metric names in a list, and no more; the rest of the selection stands', async () => {
    for (const RESULTS_FAST_PATH of ['on', 'off']) {
      const bed = await start({ env: { RESULTS_FAST_PATH } });
      const document = `query ($id: ID!, $names: [String!]) { dataset(id: $id) { results(filter: { assetIds: ["a"] }) { series { nodes {
        columns(metrics: $names) { rowCount } results(first: 2) { valueDate metrics(names: $names) { name } } } } } } }`;
      const ask = (count: number) => {
        const names = ['moisture', ...Array.from({ length: count - 1 }, (_, index) => `n${index}`)];
        return bed.query(document, { variables: { id: DATASET_ID, names } });
      };
      const node = ({ body }: Answer) => body.data.dataset.results.series.nodes[0];
      const row = (day: number, metrics: unknown) => ({ valueDate: `2024-01-0${day}`, metrics });
      const most = await ask(1000);
      expect(errorsOf(most)).toBeUndefined();
      expect(node(most)).toEqual({
        columns: { rowCount: 3 },
        results: [row(1, [{ name: 'moisture' }]), row(2, [{ name: 'moisture' }])],
      });
      const tooMany = await ask(1001);
      const message = 'A list of metric names must have at most 1000 entries.';
      const at = 'dataset.results.series.nodes.0';
      expect(
        errorsOf(tooMany)?.toSorted((one: { path: string }, other: { path: string }) =>
          one.path < other.path ? -1 : 1,
        ),
      ).toEqual([
        exceeded(`${at}.columns`, message),
        exceeded(`${at}.results.0.metrics`, message),
        exceeded(`${at}.results.1.metrics`, message),
      ]);
      expect(node(tooMany)).toEqual({ columns: null, results: [row(1, null), row(2, null)] });
    }
  });

  it('a bad argument is an error of its field, and decides nothing for its neighbours', async () => {
    const bed = await start();
    const { body } = await bed.query(
      ofDataset('results { series { totalCount nodes { bad: results(first: -1) { valueDate } resultCount } } }'),
    );
    expect(body.data.dataset.results.series).toEqual({
      totalCount: 3,
      nodes: Array(3).fill({ bad: null, resultCount: 3 }),
    });
    expect(
      body.errors.map(({ path, extensions }: { path: unknown; extensions: unknown }) => [path, extensions]),
    ).toEqual(
      [0, 1, 2].map((index) => [['dataset', 'results', 'series', 'nodes', index, 'bad'], { code: 'BAD_USER_INPUT' }]),
    );
    expect(bed.subgraph.fastPath.read()).toEqual({ hits: 1, bailouts: {} });
  });

  it('MAX_OPERATION_WORK bytes of results: the rows that are too much are null, and those before them are sent', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const results = Array.from({ length: 6500 }, (_, day) => ({
      value_date: `day ${day}`,
      metrics: [{ name: 'm', value: day }],
    }));
    respondWith(bed.simulator, { results: { assets: [assetResult('a'), { ...assetResult('b'), results }] } });
    const rows = '{ valueDate metrics { name value } }';
    const ask = (count: number) =>
      bed.query(
        ofDataset(`results { series { nodes { version ${times(count, (index) => `r${index}: results ${rows}`)} } } }`),
      );
    // Each has about 400 kB.
    const fit = 2;
    expect((await ask(fit)).body.errors).toBeUndefined();
    const tooMany = await ask(fit + 1);
    expect(errorsOf(tooMany)).toEqual([exceedsWork(`dataset.results.series.nodes.1.r${fit}`, 1_000_000)]);
    const [small, large] = tooMany.body.data.dataset.results.series.nodes;
    expect(small[`r${fit}`]).toHaveLength(3);
    expect([large.version, large.r0.length, large[`r${fit}`]]).toEqual(['1', 6500, null]);
  });

  it.each([
    ['rows that are passed over', 'results(first: 1, offset: 4999) { valueDate }', 55],
    [
      'columns of metrics that are not there',
      `columns(metrics: ${JSON.stringify(Array.from({ length: 100 }, (_, index) => `n${index}`))}) { metrics { values } }`,
      1,
    ],
    [
      'values of metrics that are not there',
      'results { a: value(metric: "n") b: value(metric: "n") c: value(metric: "n") d: value(metric: "n") }',
      13,
    ],
  ])('work is also %s', async (_title, selection, fit) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '3000000' } });
    const results = Array.from({ length: 5000 }, () => ({ value_date: 'd', metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const ask = (count: number) =>
      bed.query(ofDataset(`results { series { nodes { ${times(count, (index) => `f${index}: ${selection}`)} } } }`));
    expect((await ask(fit)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(2 * fit + 5))).toContainEqual(
      exceedsWork(`dataset.results.series.nodes.0.f${2 * fit + 4}`, 3_000_000),
    );
  });

  it('a value that is written again counts for more than its bytes', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '3000000' } });
    const results = Array.from({ length: 5000 }, () => ({ value_date: 'd', metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    // Of a megabyte each.
    const selection = `results { ${times(20, (index) => `d${index}: valueDate`)} }`;
    const ask = (count: number) =>
      bed.query(ofDataset(`results { series { nodes { ${times(count, (index) => `f${index}: ${selection}`)} } } }`));
    expect((await ask(1)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(2))).toEqual([exceedsWork('dataset.results.series.nodes.0.f1', 3_000_000)]);
  });

  it('long texts of the service count as often as they are selected, but for the first time', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    // A character counts as 20.
    respondWith(bed.simulator, { metadata: { description: 'x'.repeat(4000) } });
    const ask = (aliases: number) => bed.query(ofDataset(times(aliases, (index) => `d${index}: description`)));
    expect((await ask(12)).body.data.dataset.d11).toHaveLength(4000);
    expect(errorsOf(await ask(14))).toEqual(
      Array.from({ length: 14 }, (_, index) => exceedsWork(`dataset.d${index}`, 1_000_000)),
    );
    const again = await bed.query('query ($ids: [ID!]!) { datasets(ids: $ids) { id description } }', {
      variables: { ids: Array(14).fill(DATASET_ID) },
    });
    expect(errorsOf(again)).toEqual([12, 13].map((index) => exceedsWork(`datasets.${index}.description`, 1_000_000)));
    expect(again.body.data.datasets[11].description).toHaveLength(4000);
  });

  it.each([
    [
      'ids of datasets',
      (count: number) => `{ dataset(id: "${'x'.repeat(200)}") { ${times(count, (index) => `i${index}: id`)} } }`,
      480,
      'dataset',
    ],
    [
      'URLs',
      (count: number) =>
        `{ dataset(id: "${'x'.repeat(200)}") { download { ${times(count, (index) => `u${index}: url`)} } } }`,
      260,
      'dataset.download.u259',
    ],
  ])('long texts count: %s', async (_title, document, tooMany, path) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '3000000' } });
    await expectExecuted(bed, document(200));
    expect(errorsOf(await bed.query(document(tooMany)))).toContainEqual(exceedsWork(path, 3_000_000));
  });

  it('assets that are asked for by their ids count', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const ask = (count: number) =>
      bed.query(ofDataset(times(count, (index) => `a${index}: asset(assetId: "a") { name }`)));
    await expectExecuted(bed, ofDataset(times(20, (index) => `a${index}: asset(assetId: "a") { name }`)));
    expect(errorsOf(await ask(25))).toEqual([exceedsWork('dataset', 1_000_000)]);
    const references = (count: number) => ({ variables: { references: Array(count).fill(assetReference('a')) } });
    expect((await bed.query(ofEntities('... on Asset { name }'), references(20))).body.errors).toBeUndefined();
    expect(errorsOf(await bed.query(ofEntities('... on Asset { name }'), references(25)))).toContainEqual(
      exceedsWork('_entities.24', 1_000_000),
    );
  });

  it('download tickets count by the dataset, however often one is asked for', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000', DOWNLOAD_TICKET_SECRET: 's'.repeat(32) } });
    const ask = (datasets: number, aliases: number) =>
      bed.query(
        `query ($ids: [ID!]!) { datasets(ids: $ids) { download { ${times(aliases, (index) => `u${index}: url(auth: TICKET)`)} } } }`,
        { variables: { ids: Array.from({ length: datasets }, (_, index) => `d${index}`) } },
      );
    expect((await ask(1, 20)).body.errors).toBeUndefined();
    expect((await ask(6, 1)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(7, 1))).toEqual([exceedsWork('datasets.6.download.u0', 1_000_000)]);
  });

  it('long attributes of an asset count as often as they are selected, however they are asked for', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), asset_name: 'x'.repeat(4000) }] } });
    const names = (count: number) => times(count, (index) => `n${index}: name`);
    const single = (count: number) => ofDataset(`asset(assetId: "a") { ${names(count)} }`);
    await expectExecuted(bed, single(10));
    expect(errorsOf(await bed.query(single(20)))).toEqual([exceedsWork('dataset.asset', 1_000_000)]);
    const references = (count: number) => ({ variables: { references: Array(count).fill(assetReference('a')) } });
    expect((await bed.query(ofEntities('... on Asset { name }'), references(7))).body.errors).toBeUndefined();
    expect(errorsOf(await bed.query(ofEntities('... on Asset { name }'), references(20)))).toContainEqual(
      exceedsWork('_entities.19', 1_000_000),
    );
    const page = (count: number) => ofDataset(`results { series { nodes { asset { ${names(count)} } } } }`);
    await expectExecuted(bed, page(100));
    expect(errorsOf(await bed.query(page(300)))).toEqual([exceedsWork('dataset.results.series', 1_000_000)]);
    const needing = (count: number) =>
      ofDataset(`results { series { nodes { asset { ${names(count)} series { version } } } } }`);
    await expectExecuted(bed, needing(8));
    expect(errorsOf(await bed.query(needing(20)))).toEqual([exceedsWork('dataset.results.series', 1_000_000)]);
  });

  it('rows that have to be decoded count by their size, from the second time on', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const results = Array.from({ length: 500 }, () => ({ value_date: 5, metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const ask = async (count: number) =>
      errorsOf(
        await bed.query(
          ofDataset(`results { series { nodes { ${times(count, (index) => `c${index}: columns { rowCount }`)} } } }`),
        ),
      );
    // Some 15 kB, of which each byte counts as 20.
    expect(await ask(3)).toBeUndefined();
    expect(await ask(8)).toContainEqual(exceedsWork('dataset.results.series.nodes.0.c7', 1_000_000));
  });

  it('a million rows selected again, where they are made into objects, and no more', async () => {
    const bed = await start({ env: { RESULTS_FAST_PATH: 'off' } });
    const row = { value_date: '2024-01-01', metrics: [] };
    const results = Array.from({ length: 10_000 }, () => row);
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const document = (count: number) =>
      ofDataset(
        `results { series { nodes { ${times(count, (index) => `c${index}: columns(metrics: []) { rowCount }`)} } } }`,
      );
    await expectExecuted(bed, document(101));
    const tooMany = await bed.query(document(102));
    expect(errorsOf(tooMany)).toEqual([
      exceeded(
        'dataset.results.series.nodes.0.c101',
        'The operation selects more than 1000000 repeated rows under aliases.',
      ),
    ]);
    expect(tooMany.body.data.dataset.results.series.nodes[0]).toMatchObject({ c100: { rowCount: 10_000 }, c101: null });
    const pages = await bed.query(
      ofDataset(
        `results { series { nodes { ${times(150, (index) => `p${index}: results(first: 1) { valueDate }`)} } } }`,
      ),
    );
    expect(pages.body.errors).toBeUndefined();
  });

  it('errors beyond 1000 are counted and not made, also those of rows', async () => {
    const bed = await start();
    const results = Array.from({ length: 400 }, (_, day) => ({ value_date: `day ${day}`, metrics: [] }));
    respondWith(bed.simulator, { results: { assets: ['a', 'b', 'c'].map((id) => ({ ...assetResult(id), results })) } });
    const { body } = await bed.query(
      `query ($id: ID!, $names: [String!]) { dataset(id: $id) { results { series { nodes { results { metrics(names: $names) { name } } } } } } }`,
      { variables: { id: DATASET_ID, names: Array(1001).fill('m') } },
    );
    expect(body.data.dataset.results.series.nodes).toEqual(
      Array(3).fill({ results: Array(400).fill({ metrics: null }) }),
    );
    expect(body.errors).toHaveLength(1001);
    expect(body.errors[999].path).toEqual(['dataset', 'results', 'series', 'nodes', 2, 'results', 199, 'metrics']);
    expect(body.errors[1000].message).toBe('A response has at most 1000 errors; 200 more are omitted.');
  });

  it('1000 errors in an answer, and one more that says how many were left out', async () => {
    const bed = await start();
    const references = (count: number) => Array.from({ length: count }, () => ({ __typename: 'Dataset' }));
    const ask = (count: number) =>
      bed.query(ofEntities('... on Dataset { name }'), { variables: { references: references(count) } });
    const bad = (index: number) => ({
      message: 'A Dataset reference needs "id" as a string.',
      locations: expect.any(Array),
      path: ['_entities', index],
      extensions: { code: 'BAD_USER_INPUT' },
    });
    const first = Array.from({ length: 1000 }, (_, index) => bad(index));
    expect((await ask(1000)).body.errors).toEqual(first);
    expect((await ask(1003)).body).toEqual({
      data: { _entities: Array(1003).fill(null) },
      errors: [
        ...first,
        {
          message: 'A response has at most 1000 errors; 3 more are omitted.',
          extensions: { code: 'REQUEST_LIMIT_EXCEEDED' },
        },
      ],
    });
  });

  it('a field that is wrong in every row does not fill an answer with errors', async () => {
    const bed = await start();
    const results = Array.from({ length: 5000 }, () => ({ value_date: 5, metrics: [] }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const { body } = await bed.query(ofDataset('results { series { nodes { results { valueDate } } } }'));
    expect(body.data.dataset.results.series.nodes[0].results).toEqual(Array(5000).fill({ valueDate: null }));
    expect(body.errors).toHaveLength(1001);
    expect(body.errors[999].extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
    expect(body.errors[1000].message).toBe('A response has at most 1000 errors; 4000 more are omitted.');
  });

  it('routers stay below: 200 entities with everything selected', async () => {
    const bed = await start();
    const references = Array.from({ length: 200 }, () => datasetReference());
    const { body } = await bed.query(ofEntities('... on Dataset { name results { series { nodes { version } } } }'), {
      variables: { references },
    });
    expect(body.errors).toBeUndefined();
    expect(bed.calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });
});
