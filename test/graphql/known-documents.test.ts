import { buildSchema, type FieldNode, GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';
import {
  type Answer,
  assetResult,
  DATASET_ID,
  getSummary,
  ofDataset,
  respondWith,
  start,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';
import { cases, withNull } from './known-documents-cases.ts';
import { observedSchema } from './observed-schema.ts';

/** A function that rejects. */
const fail = (message: string) => async () => {
  throw new GraphQLError(message, { extensions: { code: 'FORBIDDEN' } });
};

const jsonHeaders = {
  'content-type': 'application/json',
  'x-request-id': 'asked-again',
  authorization: `Bearer ${TOKEN}`,
};

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

  it('has no error of a field below what is null already', async () => {
    const schema = buildSchema('type Query { outer: Outer slow: Int } type Outer { fails: Int! later: Int }');
    const { outer, slow } = schema.getQueryType()?.getFields() ?? {};
    const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
    const later = () => nextTurn().then(fail('later'));
    Object.assign(outer ?? {}, { resolve: () => ({ fails: fail('first'), later }) });
    Object.assign(slow ?? {}, { resolve: () => nextTurn().then(nextTurn) });
    const bed = await start({ makeSchema: () => schema });
    const ask = () => bed.query('{ outer { fails later } slow }');
    const first = await ask();
    expect(first.body).toMatchObject({
      data: { outer: null },
      errors: [{ message: 'first', path: ['outer', 'fails'] }],
    });
    expect(first.body.errors).toHaveLength(1);
    expect((await ask()).text).toBe(first.text);
  });

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

  it('writes what the variables in its rows and columns say each time, and an error where they are wrong', async () => {
    const bed = await start();
    const metrics = ['x', 'y'].map((name, value) => ({ name, value }));
    const results = ['a', 'b', 'c'].map((value_date) => ({ value_date, metrics }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('asset'), results }] } });
    const document = `query ($first: Int!, $metric: String!, $names: [String!]) { dataset(id: "${DATASET_ID}") {
      results { series { nodes {
        page: rows(first: $first) { valueDate value(metric: $metric) }
        lists: rows(first: 1) { metrics(metrics: $names) { name } }
        columns(metrics: $names) { metrics { name } }
      } } }
    } }`;
    const ask = async (first: number, metric: string, names: readonly string[]) => {
      const { body } = await bed.query(document, { variables: { first, metric, names } });
      return [body.data.dataset.results.series.nodes[0], body.errors?.length];
    };
    const named = (names: readonly string[]) => ({
      lists: [{ metrics: names.map((name) => ({ name })) }],
      columns: { metrics: names.map((name) => ({ name })) },
    });
    const dates = (count: number, value: number) =>
      ['a', 'b', 'c'].slice(0, count).map((valueDate) => ({ valueDate, value }));
    for (let time = 0; time < 2; time += 1) {
      expect(await ask(1, 'x', ['x'])).toEqual([{ page: dates(1, 0), ...named(['x']) }, undefined]);
      expect(await ask(-1, 'y', ['y'])).toEqual([{ page: null, ...named(['y']) }, 1]);
      expect(await ask(3, 'y', ['x', 'y'])).toEqual([{ page: dates(3, 1), ...named(['x', 'y']) }, undefined]);
    }
  });

  it('is answered with an error where a condition is null, whatever that was before', async () => {
    const bed = await start();
    const { query, variables } = withNull('results { series { nodes { version @skip(if: $no) } } }');
    await bed.query(query, { variables: { no: false } });
    const again = await recorded(bed, () => bed.query(query, { variables }));
    const first = await recorded(bed, () => bed.query(`${query} #`, { variables }));
    expect(first.answer.body.errors[0].path).toEqual(['dataset', 'results', 'series', 'nodes', 0]);
    expect(again.answer.text).toBe(first.answer.text);
    expect(again.calls).toEqual(first.calls);
  });

  it('is executed as it was read first, however many documents with ids in them have come since', async () => {
    const executors: string[] = [];
    let nodes: readonly FieldNode[] = [];
    const schema = observedSchema(createSchema(), (executor, info) => {
      executors.push(executor);
      nodes = info.fieldNodes;
    });
    const { http } = await start({ makeSchema: () => schema });
    const ask = (query: string) =>
      http('/graphql', { method: 'POST', headers: jsonHeaders, body: JSON.stringify({ query }) });
    const stable = ofDataset('name');
    await ask(stable);
    const [first] = nodes;
    await ask(stable);
    expect(nodes[0]).toBe(first);
    // Each takes some 5 MB, and all of them more than is kept.
    for (let index = 0; index < 60; index += 1) {
      const ids = Array.from({ length: 8000 }, (_, id) => `"${index}-${id % 10}"`);
      const { body } = await ask(ofDataset(`results(filter: {assetIds: [${ids.join(' ')}]}) { processingId }`));
      expect(body).not.toHaveProperty('errors');
    }
    expect(nodes[0]).not.toBe(first);
    await ask(stable);
    expect(nodes[0]).toBe(first);
    expect(new Set(executors)).toEqual(new Set(['compiled']));
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
