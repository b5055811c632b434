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

describe('The record of a request', () => {
  it('has method, raw target, distinct headers, raw body and outcome', async () => {
    const simulator = await start();
    const target = `${resultsPath('tre%65s')}?x=%20%zz&x`;
    const headers = { ...bearer, 'Content-Type': 'application/json', 'X-Trace': ['1', '2'] };
    const client = open(simulator, target, { method: 'POST', headers });
    client.write('{ "mo_ids"');
    client.end(' : ["ölm"] }');
    expect((await responseTo(client)).resume().statusCode).toBe(200);
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

  it('is in the order of arrival, whatever the order of responses, until it is cleared', async () => {
    const simulator = await start();
    const slow = open(simulator, resultsPath('slow'), { method: 'POST', headers: { ...bearer, ...json } });
    // Expect: 100-continue makes the simulator say that the head has come.
    slow.setHeader('expect', '100-continue');
    slow.flushHeaders();
    await new Promise<void>((resolve) => slow.once('continue', resolve));
    await get(simulator, metadataPath('quick'));
    const ids = () => simulator.requests.map((request) => request.datasetId);
    expect(ids()).toEqual(['quick']);
    slow.end('{}');
    await responseTo(slow);
    expect(ids()).toEqual(['slow', 'quick']);
    simulator.clear();
    expect(ids()).toEqual([]);
    await get(simulator, metadataPath('later'));
    expect(ids()).toEqual(['later']);
  });

  it('says “aborted” of a client that leaves while it sends, before its response, or within it', async () => {
    const file = { name: 'big', contentType: 'text/plain', bytes: Buffer.alloc(64_000_000) };
    const simulator = await start({ datasets: [trees, { metadata: { id: 'big' }, file }] });
    const sending = open(simulator, resultsPath('trees'), { method: 'POST', headers: { expect: '100-continue' } });
    sending.flushHeaders();
    await new Promise<void>((resolve) => sending.once('continue', resolve));
    sending.write('{"mo_ids"', () => sending.destroy());
    await expect.poll(() => simulator.requests.length).toBe(1);
    expect(recordedBy(simulator).operation).toBe('getDatasetResults');
    expect(await recordedBy(simulator).outcome).toBe('aborted');

    const reading = open(simulator, downloadPath('big'), { headers: bearer }).end();
    (await responseTo(reading)).once('data', () => reading.destroy());
    expect(await recordedBy(simulator).outcome).toBe('aborted');

    const asked = nextRequest(simulator, { hang: true });
    const waiting = open(simulator, metadataPath('trees'), { headers: bearer }).end();
    const recorded = await asked;
    waiting.destroy();
    expect(await recorded.outcome).toBe('aborted');
  });
});

describe('The server of the simulator', () => {
  it('has a url without a slash at the end, on a port of its own, and fails on one that is taken', async () => {
    const { url } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await expect(start({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
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
