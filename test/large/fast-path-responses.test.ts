import { describe, expect, it } from 'vitest';
import { expectSame, largeResponse, startPair } from '../support/fast-path.ts';
import { DATASET_ID } from '../support/harness.ts';

describe('3 The fast path gives the response of the generic path', () => {
  it('byte for byte, where everything is selected of sane data', async () => {
    const pair = await startPair();
    const { fast, plain } = await pair.ask(
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
      { id: DATASET_ID },
    );
    expect(fast).toEqual(plain);
    expect(JSON.parse(fast.text).errors).toBeUndefined();
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: 3, bailouts: {} });
  });

  it('where one response is split between many fields', async () => {
    const pair = await startPair();
    const field = (key: string, ids: string[]) =>
      `${key}: results(filter: { assetIds: ${JSON.stringify(ids)} }) { series { totalCount nodes { ...rows } } }`;
    const responses = await pair.ask(
      `query ($id: ID!) {
        dataset(id: $id) {
          ${field('two', ['c', 'a'])} ${field('one', ['b'])} ${field('none', ['nobody'])} ${field('other', ['a', 'b'])}
          asset(assetId: "a") { series { ...rows } }
        }
      }
      fragment rows on AssetSeries { asset { assetId } rows { valueDate metrics { name value } } }`,
      { id: DATASET_ID },
    );
    expectSame(responses);
    const { dataset } = JSON.parse(responses.fast.text).data;
    const idsUnder = (key: string) =>
      dataset[key].series.nodes.map((node: { asset: { assetId: string } }) => node.asset.assetId);
    expect(['two', 'one', 'none', 'other'].map(idsUnder)).toEqual([['a', 'c'], ['b'], [], ['a', 'b']]);
    expect(dataset.asset.series.asset).toEqual({ assetId: 'a' });
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: 5, bailouts: {} });
    expect(pair.fast.filters()).toHaveLength(2);
  });

  it('where several responses are joined whose rows look different', async () => {
    const pair = await startPair({ ASSET_IDS_PER_CALL: '1' });
    const rows = {
      a: '[{"value_date":"d","metrics":[{"name":"m","value":1}]},{"value_date":"e","metrics":[{"name":"m","value":2}]}]',
      b: '[{"metrics":[{"value":3,"name":"n"},{"name":"m","value":4}],"value_date":"d"}]',
      c: '[{"value_date":"d","more":5,"metrics":null},{"value_date":"e"}]',
    };
    pair.fast.simulator.intercept(({ body }) => {
      const [assetId]: (keyof typeof rows)[] = JSON.parse(body).mo_ids;
      return { body: `{"assets":[{"asset_id":"${assetId}","results":${assetId && rows[assetId]}}]}` };
    });
    const responses = await pair.ask(
      `query ($id: ID!) {
        dataset(id: $id) {
          results(filter: { assetIds: ["a", "b", "c"] }) {
            series { nodes { rows { valueDate metrics { name value } value(metric: "m") } columns { valueDates metrics { values } } } }
          }
        }
      }`,
      { id: DATASET_ID },
    );
    expectSame(responses);
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: 1, bailouts: {} });
  });

  it('to a response with more templates of rows than are kept', async () => {
    const pair = await startPair();
    const body = (shapes: number) => {
      const rows = Array.from(
        { length: 2 * shapes },
        (_, index) => `{"metrics":[{"name":"${index % shapes}","value":1}]}`,
      );
      return `{"assets":[{"asset_id":"a","results":[${rows.join()}]},{"asset_id":"b","results":[{}]}]}`;
    };
    let served = '';
    pair.fast.simulator.intercept(() => ({ body: served }));
    const ask = (shapes: number) => {
      served = body(shapes);
      const selection = 'asset { assetId } rows { value(metric: "5") metrics { value } } metricNames';
      return pair.ask(`query ($id: ID!) { dataset(id: $id) { results { series { nodes { ${selection} } } } } }`, {
        id: DATASET_ID,
      });
    };
    expectSame(await ask(1023));
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: 1, bailouts: {} });
    expectSame(await ask(1025));
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: 2, bailouts: { manyTemplates: 4 } });
  });

  it('to a document that is asked again, with other variables or for another operation', async () => {
    const pair = await startPair();
    const document = `
      query One($id: ID!, $first: Int = 1, $more: Boolean = false) { dataset(id: $id) { ...page } }
      query Two($id: ID!, $first: Int = 2, $more: Boolean = true, $less: Boolean = false) {
        dataset(id: $id) { ...page results @skip(if: $less) { series { totalCount nodes { version } } } }
      }
      fragment page on Dataset { results { series { nodes { rows(first: $first) { ...row } } } } }
      fragment row on Result { valueDate metrics @include(if: $more) { name } }
    `;
    // More than are kept, and all of them twice.
    const firsts = [{}, { first: null }, ...Array.from({ length: 40 }, (_, first) => ({ first }))];
    const switches = [{}, { more: true }, { more: false }, { less: true }];
    for (const first of [...firsts, ...firsts]) {
      for (const switched of switches) {
        const variables = { id: DATASET_ID, ...first, ...switched };
        expectSame(await pair.ask(document, variables, 'One'));
        expectSame(await pair.ask(document, variables, 'Two'));
      }
    }
    const taken = firsts.length * 2 * switches.length * 2;
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: taken, bailouts: {} });
  });

  it('to a document that is asked with a variable that is absent, and then with one that is null', async () => {
    const pair = await startPair();
    const document = `query ($id: ID!, $offset: Int) {
      dataset(id: $id) { results { series { nodes { rows(offset: $offset) { valueDate } } } } }
    }`;
    for (const offset of [undefined, null, 1, undefined, null]) {
      expectSame(await pair.ask(document, { id: DATASET_ID, offset }));
    }
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: 5, bailouts: {} });
  });

  const LARGE = `
    query ($id: ID!, $assetIds: [ID!]) {
      dataset(id: $id) { results(filter: { assetIds: $assetIds }) { series { nodes { rows { ...row } ...columns } } } }
    }
    fragment row on Result { metrics { value name } valueDate }
    fragment columns on AssetSeries { columns { valueDates metrics { name values } } }
  `;

  it('to large responses that are written at the same time and one after another', async () => {
    const pair = await startPair();
    pair.fast.simulator.intercept(({ body }) => {
      const [assetId] = JSON.parse(body).mo_ids;
      return { body: largeResponse(assetId, 8_000 * (1 + (Number(assetId) % 4))) };
    });
    const ask = (assetId: number) => pair.ask(LARGE, { id: DATASET_ID, assetIds: [String(assetId)] });
    for (const round of [0, 10, 20]) {
      for (const responses of await Promise.all([ask(round), ask(round + 1), ask(round + 2)])) expectSame(responses);
    }
    expect(pair.fast.subgraph.fastPath.read()).toEqual({ hits: 9, bailouts: {} });
  });

  it('to a large response that comes while another one is still read for an operation that has failed', async () => {
    const pair = await startPair({ ASSET_IDS_PER_CALL: '1' });
    pair.fast.simulator.intercept(({ body }) => {
      const [assetId] = JSON.parse(body).mo_ids;
      return { body: assetId === 'broken' ? '' : largeResponse(assetId, 40_000) };
    });
    for (let round = 0; round < 3; round += 1) {
      expectSame(await pair.ask(LARGE, { id: DATASET_ID, assetIds: ['1', '2', 'broken'] }));
      expectSame(await pair.ask(LARGE, { id: DATASET_ID, assetIds: ['3'] }));
    }
    expect(pair.fast.log).toEqual([]);
  });
});
