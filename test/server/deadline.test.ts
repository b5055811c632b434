import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startSubgraph } from '../../src/server/app.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, dataset, queryAt, start } from '../support/harness.ts';
import { errorOf, open } from '../support/overload.ts';

describe('3.29 The deadline of an operation', () => {
  /** A subgraph of a schema whose one field never has a value. */
  async function startForever(env: Record<string, string>) {
    const forever = new GraphQLObjectType({
      name: 'Query',
      fields: { forever: { type: new GraphQLNonNull(GraphQLString), resolve: () => new Promise(() => {}) } },
    });
    const subgraph = await startSubgraph({
      config: readConfig({ PORT: '0', ...env }),
      serviceUrl: new URL('http://127.0.0.1:9'),
      corsOrigins: [],
      makeSchema: () => new GraphQLSchema({ query: forever }),
      logStream: { write: () => {} },
    });
    onTestFinished(() => subgraph.stop());
    return new URL(subgraph.url);
  }
  const late = {
    errors: [
      {
        message: 'The operation took longer than 1100 ms (OPERATION_TIMEOUT_MS plus 1000 ms).',
        extensions: { code: 'UPSTREAM_TIMEOUT' },
      },
    ],
  };

  it('ends whatever it waits for, with an error of ours', async () => {
    const url = await startForever({ OPERATION_TIMEOUT_MS: '100' });
    const started = performance.now();
    const answer = await queryAt(url, '{ forever }');
    expect(answer.body).toEqual(late);
    expect(answer.status).toBe(200);
    // Timers have whole milliseconds. How much later the response comes depends on the machine.
    expect(performance.now() - started).toBeGreaterThan(1090);
  });

  it('is a 504 for whoever prefers application/graphql-response+json', async () => {
    const url = await startForever({ OPERATION_TIMEOUT_MS: '100' });
    const answer = await queryAt(url, '{ forever }', { headers: { accept: 'application/graphql-response+json' } });
    expect(answer.body).toEqual(late);
    expect(answer.status).toBe(504);
  });

  it('comes after that of its REST calls, so that what is there is answered', async () => {
    const bed = await start({ env: { OPERATION_TIMEOUT_MS: '100' } });
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { hang: true } : undefined));
    const { body } = await bed.query(`{ dataset(id: "${DATASET_ID}") { name results { sourceId } } }`);
    expect(body.data).toEqual({ dataset: { name: dataset.metadata.name, results: null } });
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'UPSTREAM_TIMEOUT',
    ]);
  });
});

describe('3.20 Requests that Node.js refuses by itself', () => {
  it.each<[string, string, { status: number; code: string }]>([
    ['without Host', 'GET /health/live HTTP/1.1\r\n\r\n', { status: 400, code: 'BAD_REQUEST' }],
    [
      'with an unknown Expect',
      'POST /graphql HTTP/1.1\r\nhost: x\r\nexpect: tea\r\ncontent-length: 0\r\n\r\n',
      { status: 417, code: 'EXPECTATION_FAILED' },
    ],
  ])('get a JSON error: %s', async (_title, text, expected) => {
    const { received } = await open(await start(), text);
    await eventually(() => expect(received()).toContain('"code"'));
    expect(errorOf(received())).toMatchObject(expected);
  });

  it('HTTP/1.0 needs no Host', async () => {
    const { received, closed } = await open(await start(), 'GET /health/live HTTP/1.0\r\n\r\n');
    await closed;
    expect(received()).toContain('{"status":"live"}');
  });
});
