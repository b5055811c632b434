import { describe, expect, it } from 'vitest';
import type { InterceptHandler } from '../src/simulator/simulator.ts';
import {
  type Answer,
  assetResult,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  respondWith,
  start,
  type TestBed,
  TOKEN,
  times,
} from './harness.ts';

const everything = ofDataset(`id name sharing startDate processing { id name } results { processingId series(first: 2) {
  totalCount pageInfo { endCursor } edges { cursor node { version asset { assetId name centroid { latitude } } columns { rowCount }
  results { valueDate metrics { name value } } } } } }`);

const jsonHeaders = {
  'content-type': 'application/json',
  'x-request-id': 'asked-again',
  authorization: `Bearer ${TOKEN}`,
};

interface Case {
  title: string;
  body: unknown;
  headers?: Record<string, string>;
  /** What the REST service answers with, where it is not what it has. */
  bodies?: { metadata?: unknown; results?: unknown };
  intercept?: InterceptHandler;
  /** Settings of the subgraph. */
  env?: Record<string, string>;
  expected: { status: number; calls: string[]; text: RegExp };
}

/** Asked for with null in place of a condition. */
const withNull = (selection: string) => ({
  query: `query ($no: Boolean = true) { dataset(id: "${DATASET_ID}") { ${selection} } }`,
  variables: { no: null },
});

const summary = [getSummary()];
const both = [getSummary(), postResults({})];

const cases: Case[] = [
  {
    title: 'metadata and results',
    body: { query: everything },
    expected: { status: 200, calls: both, text: /^\{"data":\{"dataset":\{"id":.*"name":"moisture"/ },
  },
  {
    title: 'an operation by its name, with variables and empty extensions',
    body: {
      query: 'query A { dataset(id: "x") { name } } query B($id: ID!) { dataset(id: $id) { name } }',
      operationName: 'B',
      variables: { id: DATASET_ID },
      extensions: {},
    },
    expected: { status: 200, calls: summary, text: /^\{"data":\{"dataset":\{"name":"Soil moisture"\}\}\}\n$/ },
  },
  {
    title: 'nulls for what may be absent',
    body: { query: ofDataset('name'), operationName: null, variables: null, extensions: null },
    expected: { status: 200, calls: summary, text: /Soil moisture/ },
  },
  {
    title: 'a selection without results, with an unusual but valid Accept',
    body: { query: ofDataset('name') },
    headers: { accept: 'application/graphql-response+json, application/json;q=0.5' },
    expected: { status: 200, calls: summary, text: /Soil moisture/ },
  },
  {
    title: 'entities',
    body: { query: ofEntities('... on Dataset { name }'), variables: { references: [datasetReference()] } },
    expected: { status: 200, calls: summary, text: /"_entities":\[\{"name":"Soil moisture"\}\]/ },
  },
  {
    title: 'a caller without a token',
    body: { query: ofDataset('name') },
    headers: { authorization: '' },
    expected: { status: 200, calls: [], text: /^\{"errors":\[\{.*"code":"UNAUTHENTICATED".*"requestId":"asked-again"/ },
  },
  {
    title: 'an incomplete answer',
    body: { query: ofDataset('results { series { totalCount } }') },
    bodies: { results: { assets: [assetResult('a'), { asset_id: 7 }] } },
    expected: { status: 200, calls: [postResults({})], text: /"totalCount":1.*UPSTREAM_INVALID_RESPONSE/s },
  },
  {
    title: 'an error within rows',
    body: { query: ofDataset('results { series { nodes { results { metrics { value } } } } }') },
    bodies: {
      results: { assets: [{ asset_id: 'a', results: [{ value_date: 'd', metrics: [{ value: 'no number' }] }] }] },
    },
    expected: {
      status: 200,
      calls: [postResults({})],
      text: /"value":null.*"errors":\[.*"path":\["dataset","results","series","nodes",0,"results",0,"metrics",0,"value"\]/,
    },
  },
  {
    title: 'more errors than are sent',
    body: {
      query: ofEntities('... on Dataset { name }'),
      variables: { references: Array.from({ length: 1200 }, () => datasetReference('')) },
    },
    expected: { status: 200, calls: [], text: /200 more are omitted/ },
  },
  {
    title: 'a variable that cannot be coerced',
    body: { query: 'query ($id: ID!) { dataset(id: $id) { name } }', variables: { id: {} } },
    expected: { status: 200, calls: [], text: /"code":"BAD_USER_INPUT"/ },
  },
  {
    title: 'the same where the rules of its media type are wanted',
    body: { query: 'query ($id: ID!) { dataset(id: $id) { name } }' },
    headers: { accept: 'application/graphql-response+json' },
    expected: { status: 400, calls: [], text: /"code":"BAD_USER_INPUT"/ },
  },
  {
    title: 'an operation that the document does not have',
    body: { query: ofDataset('name'), operationName: 'Other' },
    expected: { status: 400, calls: [], text: /"code":"OPERATION_RESOLUTION_FAILURE"/ },
  },
  {
    title: 'no operation name where there are several',
    body: { query: 'query A { __typename } query B { __typename }' },
    expected: { status: 400, calls: [], text: /"code":"OPERATION_RESOLUTION_FAILURE"/ },
  },
  {
    title: 'a mutation, which this schema does not have',
    body: { query: `mutation { dataset(id: "${DATASET_ID}") { name } }` },
    expected: { status: 200, calls: [], text: /"code":"INTERNAL_SERVER_ERROR".*"data":null/ },
  },
  {
    title: 'a subscription of a document that also has a query',
    body: { query: 'query A { __typename } subscription B { nothing }', operationName: 'B' },
    expected: { status: 200, calls: [], text: /"code":"INTERNAL_SERVER_ERROR".*"data":null/ },
  },
  {
    title: 'a condition of a root field that is null',
    body: { query: 'query ($no: Boolean = true) { __typename @skip(if: $no) }', variables: { no: null } },
    expected: { status: 200, calls: [], text: /"code":"INTERNAL_SERVER_ERROR".*"data":null/ },
  },
  {
    title: 'a condition of a nested field that is null',
    body: withNull('name download { method @include(if: $no) }'),
    expected: { status: 200, calls: summary, text: /"path":\["dataset","download"\].*"data":\{"dataset":null/ },
  },
  {
    title: 'an error below what is null already',
    body: withNull(`
      results { series { nodes { asset { series(timeRange: { start: 0 }) { version } } b: asset { name @skip(if: $no) } } } }
      later: results(filter: { timeRange: { start: 1 } }) { series { nodes { asset { series(timeRange: { start: 2 }) { version } } } } }
    `),
    // So assets come one after the other.
    env: { RESULTS_FAST_PATH: 'off', UPSTREAM_CONNECTIONS: '1', ASSET_IDS_PER_CALL: '1' },
    intercept: ({ body }) => (body.includes('"b"') ? { status: 500 } : undefined),
    expected: {
      status: 200,
      calls: [
        postResults({}),
        postResults({ time_range: { start_date: 1 } }),
        ...[0, 2].flatMap((start_date) =>
          ['a', 'b', 'c'].map((id) => postResults({ mo_ids: [id], time_range: { start_date } })),
        ),
      ],
      text: /^\{"errors":\[[^[]*\[[^[]*"path":\["dataset","results","series","nodes",0,"b"\][^[]*\[[^[]*"path":\["dataset","later","series","nodes",1,"asset","series"\][^[]*\],"data"/,
    },
  },
  {
    title: 'a persisted query',
    body: { query: ofDataset('name'), extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    expected: { status: 200, calls: [], text: /"code":"PERSISTED_QUERY_NOT_SUPPORTED"/ },
  },
  {
    title: 'a batch',
    body: [{ query: ofDataset('name') }],
    expected: { status: 400, calls: [], text: /Operation batching disabled/ },
  },
  {
    title: 'variables as a list',
    body: { query: ofDataset('name'), variables: [] },
    expected: { status: 400, calls: [], text: /`variables` in a POST body must be an object/ },
  },
  {
    title: 'a name that is no text',
    body: { query: ofDataset('name'), operationName: 7 },
    expected: { status: 400, calls: [], text: /`operationName` in a POST body must be a string/ },
  },
  {
    title: 'extensions as a text',
    body: { query: ofDataset('name'), extensions: '{}' },
    expected: { status: 400, calls: [], text: /`extensions` in a POST body/ },
  },
  {
    title: 'a media type that there is not',
    body: { query: ofDataset('name') },
    headers: { accept: 'text/plain' },
    expected: { status: 406, calls: summary, text: /does not accept application\/json/ },
  },
  {
    title: 'a document beyond a limit',
    body: { query: `{ ${times(501, (alias) => `d${alias}: dataset(id: "x") { id }`)} }` },
    expected: { status: 400, calls: [], text: /"code":"REQUEST_LIMIT_EXCEEDED"/ },
  },
];

describe('A document that is asked for again', () => {
  it.each(cases)(
    'is answered in the same way: $title',
    async ({ body, headers, bodies, intercept, env = {}, expected }) => {
      const bed = await start({ env });
      if (intercept !== undefined) bed.simulator.intercept(intercept);
      if (bodies !== undefined) respondWith(bed.simulator, bodies);
      const ask = () =>
        bed.http('/graphql', { method: 'POST', headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) });
      // What of it can be known without its peculiarity, is.
      const query = Array.isArray(body) ? body[0].query : (body as { query: string }).query;
      const first = await recorded(bed, ask);
      await bed.query(query, { operationName: 'none of them' });
      await bed.query('{ __typename }');
      const again = await recorded(bed, ask);
      expect(first.answer).toMatchObject({ status: expected.status, text: expect.stringMatching(expected.text) });
      expect(first.calls).toEqual(expected.calls);
      expect(again.calls).toEqual(expected.calls);
      expect(comparable(again.answer)).toEqual(comparable(first.answer));
    },
  );

  it('is answered by GET, by PUT and to a browser as ever', async () => {
    const { query, http } = await start({ env: { EXPLORER: 'sandbox' } });
    const document = ofDataset('name');
    await query(document);
    await query(document);
    const path = `/graphql?${new URLSearchParams({ query: document })}`;
    const get = await http(path, { headers: { authorization: `Bearer ${TOKEN}`, 'apollo-require-preflight': 'yes' } });
    expect(get.body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect((await http(path)).body.errors[0].extensions.code).toBe('BAD_REQUEST');
    const put = await http('/graphql', {
      method: 'PUT',
      headers: jsonHeaders,
      body: JSON.stringify({ query: document }),
    });
    expect(put).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
    const page = await http('/graphql', { headers: { accept: 'text/html' } });
    expect(page.headers['content-type']).toBe('text/html');
  });

  it('is answered with what its variables and conditions say each time', async () => {
    const { query, calls } = await start();
    const document = `query ($id: ID!, $withName: Boolean!) { dataset(id: $id) { id name @include(if: $withName) } }`;
    const ask = (id: string, withName: boolean) => query(document, { variables: { id, withName } });
    for (let round = 0; round < 2; round += 1) {
      expect((await ask(DATASET_ID, true)).body).toEqual({
        data: { dataset: { id: DATASET_ID, name: 'Soil moisture' } },
      });
      expect((await ask('other', false)).body).toEqual({ data: { dataset: { id: 'other' } } });
    }
    expect(calls()).toEqual([getSummary(), getSummary()]);
  });

  it('is answered with an error where a condition is null, whatever that was before', async () => {
    const bed = await start();
    const { query, variables } = withNull('results { series { nodes { version @skip(if: $no) } } }');
    await bed.query(query, { variables: { no: false } });
    const again = await recorded(bed, () => bed.query(query, { variables }));
    const first = await recorded(bed, () => bed.query(`${query} #`, { variables }));
    expect(first.answer.body.errors[0].path).toEqual(['dataset', 'results', 'series']);
    expect(again.answer.text).toBe(first.answer.text);
    expect(again.calls).toEqual(first.calls);
  });

  it('is answered when many others have been asked for since', async () => {
    const { query } = await start();
    // A comment of 60 kB: each document takes 6 of the 16 MB that are kept.
    for (const number of [0, 1, 2, 3, 0, 3]) {
      const answer = await query(`# ${String(number).repeat(60_000)}\n${ofDataset(`a${number}: name`)}`);
      expect(answer.body).toEqual({ data: { dataset: { [`a${number}`]: 'Soil moisture' } } });
    }
  });
});

async function recorded({ calls }: TestBed, ask: () => Promise<Answer>) {
  const before = calls().length;
  const answer = await ask();
  return { answer, calls: calls().slice(before) };
}

function comparable({ status, headers: { date: _, ...headers }, text }: Answer) {
  return { status, headers, text };
}
