import { describe, expect, it } from 'vitest';
import { askingForTrace as asking, fieldsIn, nodesIn, traceOf } from '../support/federated-traces.ts';
import { dataset, ofDataset, start, TOKEN, times } from '../support/harness.ts';

const NAME = ofDataset('name results { sourceId }');
const nameData = { dataset: { name: dataset.metadata.name, results: { sourceId: 's-1' } } };

/*
 * Clause 3.36 of docs/contract.md in detail.
 * `FEDERATED_TRACING=on` gives a request with the header `apollo-federation-include-trace: ftv1` a trace in
 * `extensions.ftv1`. The trace has the first 10,000 fields and the first 100 errors of the response. An error has its
 * path and no message. Other requests have no extra cost, because a separate schema serves them. With `off`, the
 * default, the header has no effect.
 */
describe('3.36 FEDERATED_TRACING=off, which is the default', () => {
  it('a request for a trace gets the same answer as any other', async () => {
    const { query } = await start();
    const [asked, other] = [await query(NAME, { headers: asking }), await query(NAME)];
    expect(asked.text).toBe(other.text);
    expect(asked.body).toEqual({ data: nameData });
  });
});

describe('3.36 FEDERATED_TRACING=on', () => {
  const env = { FEDERATED_TRACING: 'on' };

  it('a request that asks for it gets a trace, and no other does', async () => {
    const { query } = await start({ env });
    const response = await query(NAME, { headers: asking });
    expect(response.body.data).toEqual(nameData);
    expect(fieldsIn(traceOf(response)).map(({ responseName, type }) => `${responseName}: ${type}`)).toEqual([
      'dataset: Dataset',
      'name: String',
      'results: DatasetResults',
      'sourceId: ID',
    ]);
    expect((await query(NAME)).body).toEqual({ data: nameData });
    expect((await query(NAME, { headers: { ...asking, 'apollo-federation-include-trace': 'ftv2' } })).body).toEqual({
      data: nameData,
    });
  });

  it.each([
    [909, 11],
    [1000, 50],
  ])('has the first 10,000 fields: of %i objects with %i and their list', async (datasets, each) => {
    const { query } = await start({ env });
    const ids = Array.from({ length: datasets }, (_, index) => `d${index}`);
    const document = `query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${times(each, (index) => `f${index}: id`)} } }`;
    const response = await query(document, { headers: asking, variables: { ids } });
    expect(response.body.data.datasetsByIds).toHaveLength(datasets);
    expect(fieldsIn(traceOf(response))).toHaveLength(10_000);
    expect(response.body.extensions.ftv1.length).toBeLessThan(2_000_000);
  });

  it.each([
    [99, 99],
    [3000, 100],
  ])('has of %i errors %i, masked', async (failing, errors) => {
    // Errors of what is written from results come after the trace.
    const { query, simulator } = await start({ env: { ...env, MAX_ALIASES: '3000' } });
    const canary = 'canary-in-the-answer';
    simulator.intercept(() => ({ body: JSON.stringify({ name: { canary } }) }));
    const response = await query(ofDataset(times(failing, (index) => `f${index}: name`)), { headers: asking });
    expect(response.body.errors).toHaveLength(Math.min(failing, 1001));
    const found = nodesIn(traceOf(response)).flatMap(({ error }) => error);
    expect(found).toHaveLength(errors);
    expect(new Set(found.map(({ message }) => message))).toEqual(new Set(['<masked>']));
    const text = JSON.stringify(found) + Buffer.from(response.body.extensions.ftv1, 'base64').toString('latin1');
    for (const secret of [canary, TOKEN, simulator.url, 'UPSTREAM_INVALID_RESPONSE', 'getDatasetMetadata']) {
      expect(text).not.toContain(secret);
    }
  });

  it('says nothing of why a dataset is not there', async () => {
    const { query } = await start({ env });
    const response = await query(ofDataset('name'), { headers: asking, variables: { id: 'gone' } });
    const [error] = nodesIn(traceOf(response)).flatMap(({ error }) => error);
    expect(JSON.parse(error?.json ?? '')).toEqual({
      message: '<masked>',
      locations: expect.any(Array),
      path: ['dataset'],
      extensions: { maskedBy: 'ApolloServerPluginInlineTrace' },
    });
  });
});
