import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { mismatchOf } from '../oracle/compare.ts';
import { type Filter, respond, type Service } from '../oracle/respond.ts';
import { type Server, startServer } from '../oracle/server.ts';
import { DATASET_ID, dataset } from '../support/harness.ts';
import { largeResponse } from '../support/results-bodies.ts';

const ok = (body: unknown) => ({ status: 200, body: typeof body === 'string' ? body : JSON.stringify(body) });

/** A service of these results, and the metadata of the harness. */
const serviceOf = (results: (filter: Filter) => unknown): Service => ({
  metadata: () => ok(dataset.metadata),
  results: (_, filter) => ok(results(filter)),
});

/** The dataset of the harness, filtered. */
const usual = serviceOf(({ assetIds }) => ({
  ...dataset.results,
  assets: dataset.results?.assets?.filter(({ asset_id: id = '' }) => assetIds?.includes(id ?? '') !== false),
}));

/** Compares a response with what the oracle says, which is `expected` if it is known. Returns its data. */
async function compare(
  server: Server,
  document: string,
  variables: Record<string, unknown> = {},
  expected = respond(parse(document), { id: DATASET_ID, ...variables }, server.service as Service),
) {
  const response = JSON.parse((await server.send(document, { id: DATASET_ID, ...variables })) ?? '{}');
  expect(mismatchOf(response, expected)).toBeUndefined();
  return response.data;
}

async function serving(service: Service, env: Record<string, string> = {}): Promise<Server> {
  return Object.assign(await startServer({ env: { LOG_LEVEL: 'warn', ...env } }), { service });
}

describe('3 The response is what the oracle says', () => {
  it('where everything is selected of sane data', async () => {
    const server = await serving(usual);
    await compare(
      server,
      `query ($id: ID!) {
        dataset(id: $id) {
          id
          name
          results {
            processingId
            sourceId
            series {
              nodes { ...everything }
              edges { cursor node { ...everything } }
              pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
              totalCount
            }
          }
          asset(assetId: "b") { assetId name series { ...everything } }
        }
        _entities(representations: [{ __typename: "Asset", datasetId: "${DATASET_ID}", assetId: "c" }]) {
          ... on Asset { datasetId assetId series { ...everything } }
        }
      }
      fragment everything on AssetSeries {
        asset {
          datasetId assetId name version categories centroid { latitude longitude } surfaceAreaM2
          parent { assetId name version }
        }
        version
        rowCount
        metricNames
        rows { valueDate metrics { name value } value(metric: "moisture") }
        page: rows(first: 1, offset: 1) { valueDate metrics(metrics: ["temperature"]) { value name } __typename }
        columns { rowCount valueDates metrics { name values } }
        one: columns(metrics: ["temperature"]) { metrics { values } }
      }`,
    );
    expect(server.bed.subgraph.oddRows.count).toBe(0);
  });

  it('where one response is split between many fields', async () => {
    const server = await serving(usual);
    const field = (key: string, ids: string[]) =>
      `${key}: results(filter: { assetIds: ${JSON.stringify(ids)} }) { series { totalCount nodes { ...rows } } }`;
    const { dataset: data } = await compare(
      server,
      `query ($id: ID!) {
        dataset(id: $id) {
          ${field('two', ['c', 'a'])} ${field('one', ['b'])} ${field('none', ['nobody'])} ${field('other', ['a', 'b'])}
          asset(assetId: "a") { series { ...rows } }
        }
      }
      fragment rows on AssetSeries { asset { assetId } rows { valueDate metrics { name value } } }`,
    );
    const idsUnder = (key: string) =>
      data[key].series.nodes.map((node: { asset: { assetId: string } }) => node.asset.assetId);
    expect(['two', 'one', 'none', 'other'].map(idsUnder)).toEqual([['a', 'c'], ['b'], [], ['a', 'b']]);
    expect(data.asset.series.asset).toEqual({ assetId: 'a' });
    expect(server.bed.filters()).toHaveLength(1);
  });

  it('where several responses are joined whose rows look different', async () => {
    const rows: Record<string, string> = {
      a: '[{"value_date":"d","metrics":[{"name":"m","value":1}]},{"value_date":"e","metrics":[{"name":"m","value":2}]}]',
      b: '[{"metrics":[{"value":3,"name":"n"},{"name":"m","value":4}],"value_date":"d"}]',
      c: '[{"value_date":"d","more":5,"metrics":null},{"value_date":"e"}]',
    };
    const service = serviceOf(({ assetIds = [] }) => {
      const assets = assetIds.map((id) => `{"asset_id":"${id}","results":${rows[id]}}`);
      return `{"assets":[${assets.join()}]}`;
    });
    const server = await serving(service, { ASSET_IDS_PER_CALL: '1' });
    await compare(
      server,
      `query ($id: ID!) {
        dataset(id: $id) {
          results(filter: { assetIds: ["a", "b", "c"] }) {
            series { nodes { rows { valueDate metrics { name value } value(metric: "m") } columns { valueDates metrics { values } } } }
          }
        }
      }`,
    );
    expect(server.bed.filters()).toHaveLength(3);
    expect(server.bed.subgraph.oddRows.count).toBe(0);
  });

  it('to a response with more templates of rows than are kept', async () => {
    const server = await serving(usual);
    const selection = 'asset { assetId } rows { value(metric: "5") metrics { value } } metricNames';
    const ask = (shapes: number) => {
      const rows = Array.from(
        { length: 2 * shapes },
        (_, index) => `{"metrics":[{"name":"${index % shapes}","value":1}]}`,
      );
      server.service = serviceOf(
        () => `{"assets":[{"asset_id":"a","results":[${rows.join()}]},{"asset_id":"b","results":[{}]}]}`,
      );
      return compare(server, `query ($id: ID!) { dataset(id: $id) { results { series { nodes { ${selection} } } } } }`);
    };
    for (const shapes of [1023, 1025, 20_000]) await ask(shapes);
  });

  it('to a document that comes again, with other variables', async () => {
    const server = await serving(usual);
    const document = `
      query ($id: ID!, $first: Int = 2, $more: Boolean = true, $less: Boolean = false) {
        dataset(id: $id) { ...page results @skip(if: $less) { series { totalCount nodes { version } } } }
      }
      fragment page on Dataset { results { series { nodes { rows(first: $first) { ...row } } } } }
      fragment row on Result { valueDate metrics @include(if: $more) { name } }
    `;
    // More than are kept, and all of them twice.
    const firsts = [{}, { first: null }, ...Array.from({ length: 40 }, (_, first) => ({ first }))];
    const switches = [{}, { more: true }, { more: false }, { less: true }];
    for (const first of [...firsts, ...firsts]) {
      for (const switched of switches) await compare(server, document, { ...first, ...switched });
    }
  });

  it('to a document that comes with a variable that is absent, and then with one that is null', async () => {
    const server = await serving(usual);
    const document = `query ($id: ID!, $offset: Int) {
      dataset(id: $id) { results { series { nodes { rows(offset: $offset) { valueDate } } } } }
    }`;
    for (const offset of [undefined, null, 1, undefined, null]) {
      if (offset !== null) await compare(server, document, offset === undefined ? {} : { offset });
      else {
        const { errors } = JSON.parse((await server.send(document, { id: DATASET_ID, offset })) ?? '{}');
        const refused = { message: 'Argument "offset" of non-null type "Int!" must not be null.' };
        expect(errors).toMatchObject(Array(3).fill(refused));
      }
    }
  });

  const LARGE = `
    query ($id: ID!, $assetIds: [ID!]) {
      dataset(id: $id) { results(filter: { assetIds: $assetIds }) { series { nodes { rows { ...row } ...columns } } } }
    }
    fragment row on Result { metrics { value name } valueDate }
    fragment columns on AssetSeries { columns { valueDates metrics { name values } } }
  `;

  it('to large responses that are written at the same time and one after another', async () => {
    const service = serviceOf(({ assetIds: [id = ''] = [] }) => largeResponse(id, 8_000 * (1 + (Number(id) % 4))));
    const server = await serving(service);
    const ask = (assetId: number) => compare(server, LARGE, { assetIds: [String(assetId)] });
    for (const round of [0, 10, 20]) await Promise.all([ask(round), ask(round + 1), ask(round + 2)]);
    expect(server.bed.subgraph.oddRows.count).toBe(0);
  });

  it('to a large response that comes while another one is still read for an operation that has failed', async () => {
    const service = serviceOf(({ assetIds: [id = ''] = [] }) => (id === 'broken' ? '' : largeResponse(id, 40_000)));
    const server = await serving(service, { ASSET_IDS_PER_CALL: '1' });
    const expected = respond(parse(LARGE), { id: DATASET_ID, assetIds: ['3'] }, service);
    for (let round = 0; round < 3; round += 1) {
      const text = await server.send(LARGE, { id: DATASET_ID, assetIds: ['1', '2', 'broken'] });
      const { data, errors } = JSON.parse(text ?? '{}');
      expect(data).toEqual({ dataset: { results: null } });
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
      await compare(server, LARGE, { assetIds: ['3'] }, expected);
    }
    expect(server.bed.log).toEqual([]);
  });
});
