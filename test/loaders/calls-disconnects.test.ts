import { describe, expect, it } from 'vitest';
import { datasetOf, hold } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { getSummary, ofDataset, start, type TestBed } from '../support/harness.ts';

/*
 * Clause 3.10 of docs/contract.md in detail.
 * When the client disconnects, its REST calls end: those under way, those that wait for a socket, and those that wait
 * for a retry.
 */
describe('3.10 When the client goes away', () => {
  /** Nothing else ends a call within the time of a test. */
  const env = { OPERATION_TIMEOUT_MS: '300000', UPSTREAM_TIMEOUT_MS: '300000' };
  const many = Array.from({ length: 20 }, (_, index) => `dataset${index}`);

  /** Queries, leaves when so many calls have arrived, and returns how each of them ended. */
  async function leave(bed: TestBed, document: string, calls: number) {
    const leaving = new AbortController();
    const response = bed.query(document, { signal: leaving.signal });
    await eventually(() => expect(bed.calls()).toHaveLength(calls));
    leaving.abort();
    await expect(response).rejects.toThrow('aborted');
    return Promise.all(bed.simulator.requests.map(({ outcome }) => outcome));
  }

  it.each([
    { title: 'the GET', document: ofDataset('name'), calls: 1 },
    { title: 'the POST', document: ofDataset('results { processingId }'), calls: 1 },
    { title: 'the GET and the POST', document: ofDataset('name results { processingId }'), calls: 2 },
    {
      title: 'a POST that several fields share',
      document: ofDataset(
        'a: asset(assetId: "a") { name } b: asset(assetId: "b") { name } same: asset(assetId: "a") { name }',
      ),
      calls: 1,
    },
    {
      title: 'the calls of many datasets',
      document: `{ datasetsByIds(ids: ${JSON.stringify(many)}) { name } }`,
      calls: 20,
    },
  ])('ends $title at once', async ({ document, calls }) => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ hang: true }));
    expect(await leave(bed, document, calls)).toEqual(Array(calls).fill('aborted'));
  });

  it('ends them within 100 ms: the quickest of five counts, because a busy machine adds to each', async () => {
    // The specification names this time, and real sockets take it: no other clock can show it.
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ hang: true }));
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      bed.simulator.clear();
      const leaving = new AbortController();
      const response = bed.query(ofDataset('name results { processingId }'), { signal: leaving.signal });
      await eventually(() => expect(bed.calls()).toHaveLength(2));
      const left = performance.now();
      leaving.abort();
      await expect(response).rejects.toThrow('aborted');
      await Promise.all(bed.simulator.requests.map(({ outcome }) => outcome));
      times.push(performance.now() - left);
    }
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('ends a call whose answer is on its way', async () => {
    const bed = await start({ env });
    async function* body() {
      yield '{"name":';
      await new Promise(() => {});
    }
    bed.simulator.intercept(() => ({ body: body() }));
    expect(await leave(bed, ofDataset('name'), 1)).toEqual(['aborted']);
  });

  it('leaves out the calls that wait for a connection, and those that would have followed', async () => {
    const bed = await start({
      env: { ...env, UPSTREAM_CONNECTIONS: '1', ASSET_IDS_PER_CALL: '1' },
      datasets: ['one', 'two', 'three'].map(datasetOf),
    });
    bed.simulator.intercept(({ datasetId }) => (datasetId === 'three' ? undefined : { hang: true }));
    await leave(bed, '{ datasetsByIds(ids: ["one", "two"]) { name results { processingId } } }', 1);
    const { body } = await bed.query(ofDataset('name'), { variables: { id: 'three' } });
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(bed.calls()).toEqual([getSummary('one'), getSummary('three')]);
  });

  it('leaves the calls of other clients alone', async () => {
    const bed = await start({ env });
    const held = hold(bed);
    const staying = bed.query(ofDataset('name'));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const [stayed] = bed.simulator.requests;
    bed.simulator.clear();
    expect(await leave(bed, ofDataset('name'), 1)).toEqual(['aborted']);
    held.open();
    expect((await staying).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(await stayed?.outcome).toBe('answered');
  });
});
