import { describe, expect, it } from 'vitest';
import {
  type Answer,
  assetResult,
  DATASET_ID,
  getSummary,
  ofDataset,
  postResults,
  start,
  TOKEN,
} from '../support/harness.ts';

const jsonHeaders = {
  'content-type': 'application/json',
  'x-request-id': 'asked-again',
  authorization: `Bearer ${TOKEN}`,
};

/** A request whose document may be new or known, and its response. */
interface Case {
  readonly title: string;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly status?: number;
  readonly calls?: readonly string[];
  readonly text: RegExp;
}

const NAME = { query: ofDataset('name') };
const NAMED = /^\{"data":\{"dataset":\{"name":"Soil moisture"\}\}\}\n$/;
const NEEDS_ID = 'query ($id: ID!) { dataset(id: $id) { name } }';

const cases: readonly Case[] = [
  {
    title: 'an operation by its name, with variables and empty extensions',
    body: {
      query: 'query A { dataset(id: "x") { name } } query B($id: ID!) { dataset(id: $id) { name } }',
      operationName: 'B',
      variables: { id: DATASET_ID },
      extensions: {},
    },
    calls: [getSummary()],
    text: NAMED,
  },
  {
    title: 'nulls for what may be absent, with an unusual but valid Accept',
    body: { ...NAME, operationName: null, variables: null, extensions: null },
    headers: { accept: 'application/graphql-response+json, application/json;q=0.5' },
    calls: [getSummary()],
    text: NAMED,
  },
  {
    title: 'a caller without a token',
    body: NAME,
    headers: { authorization: '' },
    text: /^\{"errors":\[\{.*"code":"UNAUTHENTICATED".*"requestId":"asked-again"/,
  },
  {
    title: 'a variable that cannot be coerced',
    body: { query: NEEDS_ID, variables: { id: {} } },
    text: /"code":"BAD_USER_INPUT"/,
  },
  {
    title: 'the same where the rules of its media type are wanted',
    body: { query: NEEDS_ID },
    headers: { accept: 'application/graphql-response+json' },
    status: 400,
    text: /"code":"BAD_USER_INPUT"/,
  },
  {
    title: 'an absent variable with the name of a property of every object',
    body: {
      query: `query ($constructor: Int) { dataset(id: "${DATASET_ID}") { results { series(first: $constructor) { totalCount } } } }`,
    },
    calls: [postResults({})],
    text: /"totalCount":\d/,
  },
  {
    title: 'a persisted query',
    body: { ...NAME, extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    text: /"code":"PERSISTED_QUERY_NOT_SUPPORTED"/,
  },
  { title: 'a batch', body: [NAME], status: 400, text: /Operation batching disabled/ },
  { title: 'variables as a list', body: { ...NAME, variables: [] }, status: 400, text: /`variables` .* an object/ },
  {
    title: 'a name that is no text',
    body: { ...NAME, operationName: 7 },
    status: 400,
    text: /`operationName` .* string/,
  },
  {
    title: 'extensions as a text',
    body: { ...NAME, extensions: '{}' },
    status: 400,
    text: /`extensions` in a POST body/,
  },
  {
    title: 'a media type that there is not',
    body: NAME,
    headers: { accept: 'text/plain' },
    status: 406,
    calls: [getSummary()],
    text: /does not accept application\/json/,
  },
];

/*
 * A document is known once it was valid. Then Apollo Server does not handle its requests (docs/architecture.md), and clients must not
 * see a difference. known-documents-random.test.ts has random documents.
 */
describe('A document that is asked for again', () => {
  it.each(cases)('has the same response: $title', async ({ body, headers, status = 200, calls = [], text }) => {
    const bed = await start();
    const ask = async () => {
      bed.simulator.clear();
      const response = await bed.http('/graphql', {
        method: 'POST',
        headers: { ...jsonHeaders, ...headers },
        body: JSON.stringify(body),
      });
      expect(bed.calls()).toEqual(calls);
      return response;
    };
    const first = await ask();
    expect(first).toMatchObject({ status, text: expect.stringMatching(text) });
    // The document and the media type become known, if they can.
    const { query } = (Array.isArray(body) ? body[0] : body) as { query: string };
    await bed.query(query, { operationName: 'none of them' });
    await bed.query('{ __typename }');
    expect(comparable(await ask())).toEqual(comparable(first));
  });

  it('is answered by GET, by PUT and to a browser as ever', async () => {
    const { query, http } = await start({ env: { EXPLORER: 'sandbox' } });
    for (let times = 0; times < 2; times += 1) await query(NAME.query);
    const path = `/graphql?${new URLSearchParams(NAME)}`;
    const get = await http(path, { headers: { authorization: `Bearer ${TOKEN}`, 'apollo-require-preflight': 'yes' } });
    expect(get.text).toMatch(NAMED);
    expect((await http(path)).body.errors[0].extensions.code).toBe('BAD_REQUEST');
    const put = await http('/graphql', { method: 'PUT', headers: jsonHeaders, body: JSON.stringify(NAME) });
    expect(put).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } });
    const page = await http('/graphql', { headers: { accept: 'text/html' } });
    expect(page.headers['content-type']).toBe('text/html');
  });

  it('has what its variables and conditions say each time, and an error where they are wrong', async () => {
    const bed = await start();
    const metrics = ['x', 'y'].map((name, value) => ({ name, value }));
    const results = ['a', 'b', 'c'].map((value_date) => ({ value_date, metrics }));
    const body = JSON.stringify({ assets: [{ ...assetResult('asset'), results }] });
    bed.simulator.intercept(() => ({ status: 200, body }));
    const document = `query ($id: ID!, $withId: Boolean!, $first: Int!, $metric: String!, $names: [String!]) { dataset(id: $id) {
      id @include(if: $withId)
      results { series { nodes {
        page: rows(first: $first) { valueDate value(metric: $metric) }
        lists: rows(first: 1) { metrics(metrics: $names) { name } }
        columns(metrics: $names) { metrics { name } }
      } } }
    } }`;
    const ask = async (id: string, withId: boolean, first: number, metric: string, names: readonly string[]) => {
      const { body } = await bed.query(document, { variables: { id, withId, first, metric, names } });
      const { results, ...others } = body.data.dataset;
      return [others, results.series.nodes[0], body.errors?.length];
    };
    const named = (names: readonly string[]) => ({
      lists: [{ metrics: names.map((name) => ({ name })) }],
      columns: { metrics: names.map((name) => ({ name })) },
    });
    const dates = (count: number, value: number) =>
      ['a', 'b', 'c'].slice(0, count).map((valueDate) => ({ valueDate, value }));
    for (let time = 0; time < 2; time += 1) {
      expect(await ask('d', true, 1, 'x', ['x'])).toEqual([
        { id: 'd' },
        { page: dates(1, 0), ...named(['x']) },
        undefined,
      ]);
      expect(await ask('d', false, -1, 'y', ['y'])).toEqual([{}, { page: null, ...named(['y']) }, 1]);
      expect(await ask('e', true, 3, 'y', ['x', 'y'])).toEqual([
        { id: 'e' },
        { page: dates(3, 1), ...named(['x', 'y']) },
        undefined,
      ]);
    }
  });
});

function comparable({ status, headers: { date: _, ...headers }, text }: Answer) {
  return { status, headers, text };
}
