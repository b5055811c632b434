import { describe, expect, it } from 'vitest';
import {
  bearer,
  downloadPath,
  get,
  json,
  metadataPath,
  open,
  recordedBy,
  responseTo,
  resultsPath,
  start,
  trees,
} from '../../test/support/simulator.ts';
import type { Fault, Simulator } from '../src/simulator.ts';

/** Resolves with the first request the simulator is asked about, before it is answered by the fault. */
function nextRequest(simulator: Simulator, fault: Fault = {}) {
  return new Promise<ReturnType<typeof recordedBy>>((resolve) => {
    simulator.intercept((request) => {
      resolve(request);
      return fault;
    });
  });
}

describe('recording', () => {
  it('keeps method, raw target, distinct headers, raw body and outcome', async () => {
    const simulator = await start();
    const target = `${resultsPath('tre%65s')}?x=%20%zz&x`;
    const headers = { ...bearer, 'Content-Type': 'application/json', 'X-Trace': ['1', '2'] };
    const client = open(simulator, target, { method: 'POST', headers });
    client.write('{ "mo_ids"');
    client.end(' : ["ölm"] }');
    expect((await responseTo(client)).statusCode).toBe(200);

    const recorded = recordedBy(simulator);
    expect(recorded).toMatchObject({
      operation: 'getDatasetResults',
      method: 'POST',
      target,
      headers: { authorization: ['Bearer token-a'], 'content-type': ['application/json'], 'x-trace': ['1', '2'] },
      body: '{ "mo_ids" : ["ölm"] }',
      datasetId: 'trees',
    });
    expect(await recorded.outcome).toBe('answered');
  });

  it('keeps the order of arrival, whatever the order of responses, and forgets on clear', async () => {
    const simulator = await start();
    const slow = open(simulator, resultsPath('slow'), { method: 'POST', headers: { ...bearer, ...json } });
    const slowAsked = nextRequest(simulator);
    // Expect: 100-continue makes the simulator say that the head has come.
    slow.setHeader('expect', '100-continue');
    slow.flushHeaders();
    await new Promise<void>((resolve) => slow.once('continue', resolve));
    await get(simulator, metadataPath('quick'));
    await slowAsked;
    expect(simulator.requests.map((request) => request.datasetId)).toEqual(['quick']);

    slow.end('{}');
    await responseTo(slow);
    expect(simulator.requests.map((request) => request.datasetId)).toEqual(['slow', 'quick']);

    simulator.clear();
    expect(simulator.requests).toEqual([]);
    await get(simulator, metadataPath('later'));
    expect(simulator.requests.map((request) => request.datasetId)).toEqual(['later']);
  });

  it('settles the outcome of each request on a kept connection', async () => {
    const simulator = await start();
    for (const _ of Array(3)) {
      const response = await get(simulator, metadataPath('trees'));
      expect(response.headers.get('connection')).toBe('keep-alive');
      await response.text();
    }
    const outcomes = await Promise.all(simulator.requests.map((request) => request.outcome));
    expect(outcomes).toEqual(['answered', 'answered', 'answered']);
  });

  it('records a request whose client left while sending it', async () => {
    const simulator = await start();
    const client = open(simulator, resultsPath('trees'), { method: 'POST', headers: { expect: '100-continue' } });
    client.flushHeaders();
    await new Promise<void>((resolve) => client.once('continue', resolve));
    client.write('{"mo_ids"', () => client.destroy());
    await expect.poll(() => simulator.requests.length).toBe(1);
    expect(recordedBy(simulator).operation).toBe('getDatasetResults');
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('tells "aborted" when the client leaves before the response', async () => {
    const simulator = await start();
    const asked = nextRequest(simulator, { hang: true });
    const client = open(simulator, metadataPath('trees'), { headers: bearer });
    client.end();
    const recorded = await asked;
    client.destroy();
    expect(await recorded.outcome).toBe('aborted');
  });

  it('tells "aborted" when the client leaves in the middle of the response', async () => {
    const file = { name: 'big', contentType: 'text/plain', bytes: Buffer.alloc(64_000_000) };
    const simulator = await start({ datasets: [{ metadata: { id: 'big' }, file }] });
    const client = open(simulator, downloadPath('big'), { headers: bearer });
    client.end();
    const answer = await responseTo(client);
    answer.once('data', () => client.destroy());
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });
});

describe('the server', () => {
  it('has a url without a slash at the end, on a port of its own', async () => {
    const [one, other] = [await start(), await start()];
    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(other.url).not.toBe(one.url);
  });

  it('fails to start on a port that is taken', async () => {
    const { url } = await start();
    await expect(start({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('fails to start with two datasets of one id', async () => {
    await expect(start({ datasets: [trees, trees] })).rejects.toThrow('same id');
  });

  it('ends open connections when it closes, also a hanging one, and may be closed twice', async () => {
    const simulator = await start();
    const asked = nextRequest(simulator, { hang: true });
    const refused = expect(get(simulator, metadataPath('trees'))).rejects.toThrow();
    const recorded = await asked;
    await simulator.close();
    await refused;
    expect(await recorded.outcome).toBe('aborted');
    await simulator.close();
  });
});
