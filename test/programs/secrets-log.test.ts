import { GraphQLError } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { readConfig } from '../../src/config.ts';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';
import { startSubgraph } from '../../src/server/app.ts';
import { errorAt } from '../support/expected-errors.ts';
import { queryAt, type Setup, start, startService } from '../support/harness.ts';
import { canaries, canariesIn } from './secrets/canaries.ts';

const { service: UPSTREAM, datasetId: DATASET_ID, token: TOKEN, assetId: ASSET_ID } = canaries;

describe('4 A trace', () => {
  it('tells of the fields, and of no error', async () => {
    const { query, simulator } = await start({ ...setup, env: { FEDERATED_TRACING: 'on' } });
    simulator.intercept(() => ({ status: 500, body: UPSTREAM }));
    const headers = { 'apollo-federation-include-trace': 'ftv1' };
    const { body } = await query(`{ dataset(id: "${DATASET_ID}") { startDateTime } }`, { token: TOKEN, headers });
    const trace = Buffer.from(body.extensions.ftv1, 'base64').toString('latin1');
    expect(trace).toContain('startDateTime');
    expect(trace).toContain('<masked>');
    expect(body.errors).toHaveLength(1);
    for (const { message } of body.errors) expect(trace).not.toContain(message);
  });
});

describe('4 A fault of this program', () => {
  it.each([
    ['an error', () => new TypeError(`no ${TOKEN}\n    at ${TOKEN}`)],
    ['no error', () => TOKEN],
    ['an error of GraphQL', () => new GraphQLError(TOKEN, { extensions: { note: TOKEN } })],
    ['an error with a cause', () => new Error(TOKEN, { cause: new Error(TOKEN) })],
  ])('that throws %s is masked, and logged by its name and place', async (_case, make) => {
    const { url } = await startService(setup);
    const log: string[] = [];
    const schema = createSchema();
    const { dataset } = schema.getQueryType()?.getFields() ?? {};
    if (dataset !== undefined) {
      dataset.resolve = () => {
        throw make();
      };
    }
    const subgraph = await startSubgraph({
      config: readConfig({ PORT: '0', LOG_LEVEL: 'trace', FEDERATED_TRACING: 'on' }),
      serviceUrl: new URL(url),
      corsOrigins: [],
      makeSchema: () => schema,
      logStream: { write: (line) => void log.push(line) },
    });
    onTestFinished(() => subgraph.stop());
    const headers = { 'apollo-federation-include-trace': 'ftv1' };
    const { text, body } = await queryAt(new URL(subgraph.url), `{ dataset(id: "${DATASET_ID}") { id } }`, { headers });
    const { data, errors, extensions } = body;
    expect({ data, errors }).toEqual({
      data: { dataset: null },
      errors: [errorAt(['dataset'], 'INTERNAL_SERVER_ERROR')],
    });
    expect(errors[0].message).toBe('The subgraph failed.');
    expect(canariesIn(text + Buffer.from(extensions.ftv1, 'base64').toString('latin1'))).toEqual([]);
    expect(canariesIn(log.join())).toEqual([]);
    expect(log.filter((line) => JSON.parse(line).level === 50)).toHaveLength(1);
  });
});

describe('3.22 The log', () => {
  const document = `{ dataset(id: "${DATASET_ID}") { name } }`;
  const bytes = Buffer.byteLength(JSON.stringify(setup.datasets?.[0]?.metadata));

  it.each<[string, Fault | undefined, Record<string, unknown>]>([
    ['that was answered', undefined, { status: 200, bytes }],
    [
      'that was refused',
      { status: 404, body: 'NOT_FOUND' },
      { status: 404, label: 'NOT_FOUND', bytes: 9, failure: 'httpError' },
    ],
    ['that was refused without a label', { status: 400, body: 'no' }, { status: 400, bytes: 2, failure: 'httpError' }],
    ['that was redirected', { status: 302, body: '' }, { status: 302, failure: 'invalidResponse' }],
    ['that was too slow', { hang: true }, { failure: 'timeout' }],
    ['that was reset', { reset: true }, { failure: 'unavailable', cause: expect.stringMatching(/^[A-Z_]+$/) }],
    [
      'that was cut off',
      { cutAfterBytes: 5 },
      { status: 200, bytes: 5, failure: 'unavailable', cause: 'UND_ERR_SOCKET' },
    ],
    ['whose answer was too large', { body: 'x'.repeat(1001) }, { status: 200, failure: 'responseTooLarge' }],
  ])('has one line for a call %s, and in it nothing else', async (_case, fault, expected) => {
    const env = { UPSTREAM_TIMEOUT_MS: '200', UPSTREAM_MAX_BYTES: '1000' };
    const { simulator, query, log } = await start({ ...setup, env });
    simulator.intercept(() => fault);
    await query(document, { token: TOKEN, headers: { 'x-request-id': 'request-1' } });
    expect(log.map((line) => JSON.parse(line))).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: process.pid,
        hostname: expect.any(String),
        msg: 'REST call',
        operation: 'getDatasetMetadata',
        requestId: 'request-1',
        status: null,
        label: null,
        milliseconds: expect.any(Number),
        bytes: 0,
        ...expected,
      },
    ]);
  });

  it('has a line for each call, and none for what needs no call', async () => {
    const { query, log, calls } = await start({ ...setup, env: {} });
    await query('{ __typename }', { token: TOKEN });
    await query('{ nothing }', { token: TOKEN });
    await query(document, { token: null });
    expect(log).toEqual([]);
    await query(`{ dataset(id: "${DATASET_ID}") { name results { processingId } } }`, { token: TOKEN });
    expect(log.map((line) => JSON.parse(line).operation).sort()).toEqual(['getDatasetMetadata', 'getDatasetResults']);
    expect(calls()).toHaveLength(2);
  });
});

const setup: Setup = {
  env: { LOG_LEVEL: 'trace' },
  accounts: [{ email: 'anna@example.com', password: 'secret', token: TOKEN }],
  datasets: [
    {
      metadata: { id: DATASET_ID, name: 'Soil moisture' },
      results: { assets: [{ asset_id: ASSET_ID, asset_name: 'Field', results: [{ value_date: '2024-01-01' }] }] },
    },
  ],
};
