import { setInterval as ticks, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { ask, expectFailure, failure, inTwoChunks, operations, requestId } from '../support/errors.ts';
import { dataset, listen, start } from '../support/harness.ts';

async function* endless(): AsyncGenerator<string> {
  yield '{';
  await new Promise(() => {});
}

async function* drip(): AsyncGenerator<string> {
  for await (const _ of ticks(10)) yield ' ';
}

describe.each(operations)('4 Errors: %s, connection refused or broken -> UPSTREAM_UNAVAILABLE', (operation) => {
  const unavailable = (fault: Fault, status: number | null) =>
    expectFailure({ fault }, operation, 'UPSTREAM_UNAVAILABLE', { status, retryable: true });

  it('refused', async () => {
    const bed = await start({ serviceUrl: 'http://127.0.0.1:9' });
    const { status, body } = await ask(bed, operation);
    expect(body).toEqual(failure(operation, 'UPSTREAM_UNAVAILABLE', { retryable: true }));
    expect(status).toBe(200);
  });

  it('reset before the response', () => unavailable({ reset: true }, null));

  it('cut in the headers', async () => {
    const serviceUrl = await listen((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-')));
    const rest = { retryable: true };
    await expectFailure({ setup: { serviceUrl } }, operation, 'UPSTREAM_UNAVAILABLE', rest);
  });

  it('cut in a body of a known length', () => unavailable({ cutAfterBytes: 10 }, 200));

  it('cut before the first byte of the body', () => unavailable({ cutAfterBytes: 0 }, 200));

  it('cut in a chunked body, even where what came is JSON', () =>
    unavailable({ body: inTwoChunks('{}', '   '), cutAfterBytes: 4 }, 200));

  it('cut in a chunked body, on a connection that was to be closed', () =>
    unavailable({ body: inTwoChunks('{}', '   '), cutAfterBytes: 4, headers: { connection: 'close' } }, 200));
});

describe.each(operations)('4 Errors: %s, too slow -> UPSTREAM_TIMEOUT', (operation) => {
  /** The other limits are longer than the test may take: so it ends by the one that is set. */
  const others = { UPSTREAM_TIMEOUT_MS: '300000', OPERATION_TIMEOUT_MS: '300000' };
  const tooSlow = async (env: Record<string, string>, fault: Fault, status: number | null) => {
    const setup = { env: { ...others, ...env } };
    const started = performance.now();
    await expectFailure({ setup, fault }, operation, 'UPSTREAM_TIMEOUT', { status, retryable: true });
    expect(performance.now() - started).toBeGreaterThan(100);
  };

  it('no headers within UPSTREAM_TIMEOUT_MS', () => tooSlow({ UPSTREAM_TIMEOUT_MS: '150' }, { hang: true }, null));

  it('no headers but the informational ones within UPSTREAM_TIMEOUT_MS', async () => {
    const serviceUrl = await listen((socket) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));
    const setup = { serviceUrl, env: { ...others, UPSTREAM_TIMEOUT_MS: '150' } };
    await expectFailure({ setup }, operation, 'UPSTREAM_TIMEOUT', { retryable: true });
  });

  it('no headers within OPERATION_TIMEOUT_MS', () => tooSlow({ OPERATION_TIMEOUT_MS: '150' }, { hang: true }, null));

  it('a body that does not end within OPERATION_TIMEOUT_MS', () =>
    tooSlow({ OPERATION_TIMEOUT_MS: '150' }, { body: endless() }, 200));

  it('a body that drips on and on', () => tooSlow({ OPERATION_TIMEOUT_MS: '150' }, { body: drip() }, 200));

  it('closes the connection', async () => {
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '100' } });
    bed.simulator.intercept(() => ({ hang: true }));
    await ask(bed, operation);
    expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
  });

  it('limits only the headers by UPSTREAM_TIMEOUT_MS', async () => {
    async function* late() {
      yield '{"name":"Late",';
      await wait(1500);
      yield '"processing_id":"late"}';
    }
    const bed = await start({ env: { UPSTREAM_TIMEOUT_MS: '1000' } });
    bed.simulator.intercept(() => ({ body: late() }));
    const { body } = await ask(bed, operation);
    const data = operation === 'getDatasetMetadata' ? { name: 'Late' } : { results: { processingId: 'late' } };
    expect(body).toEqual({ data: { dataset: data } });
  });
});

describe('4 Errors: the time of several calls', () => {
  const ids = ['d1', 'd2', 'd3', 'd4'];
  const datasets = ids.map((id) => ({ ...dataset, metadata: { id, name: id } }));
  const document = 'query ($ids: [ID!]!) { datasets(ids: $ids) { name } }';

  it('counts them together for OPERATION_TIMEOUT_MS, also those that never left', async () => {
    const env = { UPSTREAM_CONNECTIONS: '1', OPERATION_TIMEOUT_MS: '1000' };
    const { simulator, query, calls } = await start({ env, datasets });
    simulator.intercept(({ datasetId }) => (datasetId === 'd1' ? undefined : { hang: true }));
    const { body } = await query(document, { variables: { ids }, headers: requestId });
    expect(body).toEqual({
      data: { datasets: [{ name: 'd1' }, { name: null }, { name: null }, { name: null }] },
      errors: [1, 2, 3].map((index) => ({
        ...failure('getDatasetMetadata', 'UPSTREAM_TIMEOUT', { retryable: true }).errors[0],
        locations: [{ line: 1, column: 46 }],
        path: ['datasets', index, 'name'],
      })),
    });
    expect(calls()).toEqual(['d1', 'd2'].map((id) => `GET /v1/collection/dataset/summary/${id}`));
  });

  it('does not count the wait for a socket for UPSTREAM_TIMEOUT_MS', async () => {
    const env = { UPSTREAM_CONNECTIONS: '1', UPSTREAM_TIMEOUT_MS: '1500' };
    const { simulator, query } = await start({ env, datasets });
    simulator.intercept(() => wait(500));
    const { body } = await query(document, { variables: { ids } });
    expect(body).toEqual({ data: { datasets: ids.map((name) => ({ name })) } });
  });
});
