import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { assetResult, ofDataset, start, type TestBed } from '../support/harness.ts';
import { pieces } from '../support/pieces.ts';

/** Of a large response only the part is held that an operation needs: its first entries, or none. */

const env = { MAX_OPERATION_WORK: '1000000000000' };
/** A cache keeps whole bodies, for each token. */
const WHOLE = { ...env, CACHE: 'memory' };

/** An asset of about 600 bytes. */
const asset = (id: string, more: object = {}) => JSON.stringify({ ...assetResult(id), ...more });

/** Assets whose ids begin with a prefix. */
function assets(count: number, prefix = 'x'): string {
  const one = asset('x', { asset_name: 'Feld ä € \u{1f600}' });
  return Array.from({ length: count }, (_, at) => one.replace('"asset_id":"x"', `"asset_id":"${prefix}${at}"`)).join();
}

/** An asset with a row of these metrics. */
const metricsOf = (id: string, names: readonly string[]) =>
  asset(id, { results: [{ value_date: '2024-01-01', metrics: names.map((name) => ({ name, value: 1 })) }] });

const bodyOf = (...parts: readonly string[]) => Buffer.from(`{"processing_id":"p","assets":[${parts.join()}]}`);
/** 4 MB. */
const large = bodyOf(assets(7000));

const responseBodies: Readonly<Record<string, Buffer>> = {
  'of many assets': large,
  'of odd assets': bodyOf(
    assets(3000),
    '"omitted",null,{"asset_name":"no id"}',
    '{"asset_id":"odd","asset_name":7,"results":[{"value_date":5,"metrics":[{"name":"m","value":"1"}]}]}',
    assets(3000, 'y'),
  ),
  'of several metrics': bodyOf(
    metricsOf('x', ['m', 'n']),
    assets(3000),
    metricsOf('y', ['late', 'm']),
    // Its rows are odd.
    JSON.stringify({ asset_id: 'odd', results: [{ value_date: 7, metrics: [{ name: 'decoded', value: 'x' }] }] }),
    assets(3000, 'y'),
    metricsOf('z', ['last']),
  ),
  'with an asset whose results are no list': bodyOf(assets(4000), asset('x', { results: 7 }), assets(3000, 'y')),
  'of assets without results': bodyOf(assets(9000).replaceAll('"results":[', '"results":null,"more":[')),
  'of no assets': bodyOf(Array(400_000).fill('null').join()),
  'with one asset that is larger than what is held back': bodyOf(
    asset('x0'),
    asset('big', { results: Array(20_000).fill(assetResult('x').results[0]) }),
    assets(3000, 'y'),
  ),
  'with several versions of an asset': bodyOf(
    asset('x1', { asset_version: 1, asset_name: 'first' }),
    assets(4000),
    asset('\\u0078', { asset_id: 'x1', asset_version: 9, asset_name: 'latest' }),
    assets(3000, 'y'),
    asset('x2', { asset_version: 8, asset_name: 'latest' }),
  ),
  'with members behind its assets': Buffer.from(
    `{"assets":[${assets(4000)}],"more":[1,{"a":null}],"processing_id":"behind","source_id":"s"}`,
  ),
  'with a second list of assets': Buffer.from(
    `{"assets":[${assets(4000)}],"assets":[${metricsOf('z', ['other'])},${assets(5000, 'y')}]}`,
  ),
  'with a second member that is no list': Buffer.from(`{"assets":[${assets(4000)}],"assets":7}`),
  'that ends too early': large.subarray(0, -1),
  'that goes on behind its end': Buffer.concat([large, Buffer.from(' ]')]),
  'that is not UTF-8 near its end': Buffer.concat([large.subarray(0, -700), Buffer.from([0xff]), large]),
};

const cursor = (index: number, id: string) => Buffer.from(JSON.stringify([index, id])).toString('base64url');
const row = 'version asset { assetId name categories centroid { latitude } } rows { valueDate metrics { name value } }';
const documents = [
  'results { series { totalCount } }',
  'results { processingId sourceId }',
  'results { series { totalCount pageInfo { hasNextPage hasPreviousPage } } }',
  `results { processingId series(first: 3) { nodes { ${row} } pageInfo { hasNextPage endCursor } totalCount } }`,
  'results { series(first: 0) { nodes { version } totalCount } }',
  `results { series(first: 50) { edges { cursor node { ${row} } } pageInfo { startCursor } } }`,
  'results { series(first: 100000) { nodes { version } totalCount } }',
  `results { series(first: 2, after: "${cursor(3500, 'x3500')}") { nodes { ${row} } pageInfo { hasNextPage } } }`,
  `results { series(after: "${cursor(3500, 'x3500')}") { totalCount pageInfo { hasPreviousPage } } }`,
  `results { series(first: 2, after: "${cursor(3500, 'other')}") { totalCount } }`,
  `results { series(first: 2, after: "${cursor(900_000, 'x')}") { nodes { version } totalCount } }`,
  'results { a: series(first: 1) { nodes { asset { name } } } series(first: 4000) { pageInfo { endCursor } } }',
  'a: results { series { totalCount } } b: results { series(first: 1) { nodes { version } } }',
  'a: results { series { totalCount } } b: results { series { nodes { version } } }',
  'results { series(first: 2) { nodes { asset { name series { rowCount } dataset { id } } } } }',
  'results { series(first: 1) { nodes { asset { dataset { results { series { totalCount nodes { version } } } } } } } }',
  'results { series { totalCount } } asset(assetId: "x6") { name }',
  'seriesCount',
  'metricNames seriesCount again: metricNames',
  'results { metricNames }',
  'results { series(first: 3) { nodes { version } } names: metricNames } seriesCount',
  'a: seriesCount metricNames results { series { nodes { version } } }',
  'metricNames results { series(first: 2, after: "nothing") { totalCount } }',
  'results { metricNames series { nodes { version } } }',
  'results { series { nodes { version } } metricNames }',
  'results { metricNames statistics { name count } }',
].map((selection) => ofDataset(selection));

async function responses({ query, calls, simulator }: TestBed, body: Buffer) {
  const bodies: unknown[] = [];
  for (const [index, document] of documents.entries()) {
    simulator.intercept(({ operation }) =>
      operation === 'getDatasetResults' ? { status: 200, body: pieces(body, [65_536, 1000]) } : undefined,
    );
    const { body: response } = await query(document, {
      headers: { 'x-request-id': 'the-same' },
      token: `token-${index}`,
    });
    // Their order is that in which they are found.
    response.errors?.sort(
      (one: { path: unknown[] }, other: { path: unknown[] }) => one.path.length - other.path.length,
    );
    bodies.push(response);
  }
  return { bodies, calls: calls() };
}

/*
 * Clause 3.33 of docs/contract.md in detail: results of which an operation needs a part.
 * Of large results only the part is held that an operation needs, if it asks for one filter of a dataset, without asset
 * ids, and for no asset by its id: of pages the entries up to their last one (`first`), with further entries of the
 * same assets; of `totalCount`, `seriesCount`, `hasNextPage` and ids none; of `metricNames` the names. The body is read
 * to its end before the response begins, so that every error is the same. It comes no faster than it is read. Not so
 * for operations that select results again on the dataset of an asset, for merged calls, and with `CACHE`.
 */
describe('3.33 A large response of which a part is needed', () => {
  it.each(Object.entries(responseBodies))(
    'gives what it gives when it is held as a whole: a body %s',
    async (_title, body) => {
      const [parts, whole] = await Promise.all([start({ env }), start({ env: WHOLE })]);
      const [actual, expected] = await Promise.all([responses(parts, body), responses(whole, body)]);
      expect(actual.calls).toEqual(expected.calls);
      // The comparison that explains is too slow for so much.
      const different = documents.filter(
        (_, index) => !isDeepStrictEqual(actual.bodies[index], expected.bodies[index]),
      );
      expect(different).toEqual([]);
    },
  );

  it.each([
    'results { series { totalCount } }',
    'results { processingId }',
    'results { series(first: 2) { nodes { version } pageInfo { hasNextPage } } }',
    'seriesCount',
    'metricNames again: metricNames seriesCount',
    'results { metricNames processingId }',
  ])('fits a memory that has not room for it: %s', async (selection) => {
    const [parts, whole] = await Promise.all([
      start({ env: { ...env, MEMORY_BUDGET: '4000000', METRICS_PORT: '0' } }),
      start({ env: { ...WHOLE, MEMORY_BUDGET: '4000000' } }),
    ]);
    for (const { simulator } of [parts, whole]) simulator.intercept(() => ({ body: large }));
    expect((await parts.query(ofDataset(selection))).body.errors).toBeUndefined();
    expect((await whole.query(ofDataset(selection))).body.errors[0]).toMatchObject({
      extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
    });
    expect(await (await fetch(parts.subgraph.metricsUrl ?? '')).text()).toMatch(/^rest_memory_held_bytes 0$/m);
  });

  it.each([
    ['results { series { totalCount } }', { results: { series: { totalCount: 7000 } } }],
    ['seriesCount metricNames', { seriesCount: 7000, metricNames: ['moisture', 'temperature'] }],
  ])('counts the assets of more datasets than there is memory for: %s', async (selection, expected) => {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '100000000' } });
    bed.simulator.intercept(() => ({ status: 200, body: large }));
    const ids = Array.from({ length: 40 }, (_, index) => `d${index}`);
    const counted = await bed.query(`query($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${selection} } }`, {
      variables: { ids },
    });
    expect(counted.body).toEqual({ data: { datasetsByIds: ids.map(() => expected) } });
    expect(bed.calls()).toHaveLength(40);
  });

  it('reserves memory for the names of metrics', async () => {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '12000000' } });
    const names = (from: number) => Array.from({ length: 100 }, (_, index) => 'x'.repeat(1000) + (from + index));
    const many = bodyOf(...Array.from({ length: 150 }, (_, index) => metricsOf(`a${index}`, names(index * 100))));
    bed.simulator.intercept(() => ({ status: 200, body: pieces(many, [65_536]) }));
    const { body } = await bed.query(ofDataset('metricNames'));
    expect(body.data).toEqual({ dataset: { metricNames: null } });
    expect(body.errors).toMatchObject([{ extensions: { code: expect.stringMatching(/^UPSTREAM_/) } }]);
    expect((await bed.query(ofDataset('seriesCount'))).body).toEqual({ data: { dataset: { seriesCount: 150 } } });
  });

  it('ends with its operation', async () => {
    const bed = await start({ env: { ...env, OPERATION_TIMEOUT_MS: '500' } });
    bed.simulator.intercept(() => ({
      body: (async function* () {
        yield* pieces(large.subarray(0, -1000), [65_536]);
        await new Promise(() => {});
      })(),
    }));
    const { errors } = (await bed.query(ofDataset('results { series { totalCount } }'))).body;
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
  });
});
