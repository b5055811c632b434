import { describe, expect, it, vi } from 'vitest';
import { datasetOf, hold } from './calls.ts';
import { getSummary, ofDataset, start, type TestBed } from './harness.ts';

describe('3.10 When the caller goes away', () => {
  /** Generous, because a busy machine adds to it; the true bound is tested below. */
  const atOnce = expect.toSatisfy((milliseconds: number) => milliseconds < 500);
  const many = Array.from({ length: 20 }, (_, index) => `dataset${index}`);

  /** Queries, leaves when so many calls have arrived, and tells how each of them ended. */
  async function leave(bed: TestBed, document: string, calls: number) {
    const leaving = new AbortController();
    const response = bed.query(document, { signal: leaving.signal });
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(calls));
    const left = performance.now();
    leaving.abort();
    await expect(response).rejects.toThrow('aborted');
    return Promise.all(
      bed.simulator.requests.map(async ({ outcome }) => ({
        outcome: await outcome,
        milliseconds: performance.now() - left,
      })),
    );
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
    { title: 'the calls of many datasets', document: `{ datasets(ids: ${JSON.stringify(many)}) { name } }`, calls: 20 },
  ])('ends $title at once', async ({ document, calls }) => {
    const bed = await start();
    bed.simulator.intercept(() => ({ hang: true }));
    const ends = await leave(bed, document, calls);
    expect(ends).toEqual(Array(calls).fill({ outcome: 'aborted', milliseconds: atOnce }));
  });

  it('ends them within 100 ms: the quickest of five counts, because a busy machine adds to each', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ hang: true }));
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      bed.simulator.clear();
      const ends = await leave(bed, ofDataset('name results { processingId }'), 2);
      times.push(Math.max(...ends.map(({ milliseconds }) => milliseconds)));
    }
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('ends a call whose answer is on its way', async () => {
    const bed = await start();
    async function* body() {
      yield '{"name":';
      await new Promise(() => {});
    }
    bed.simulator.intercept(() => ({ body: body() }));
    expect(await leave(bed, ofDataset('name'), 1)).toEqual([{ outcome: 'aborted', milliseconds: atOnce }]);
  });

  it('leaves out the calls that wait for a connection, and those that would have followed', async () => {
    const bed = await start({
      env: { UPSTREAM_CONNECTIONS: '1', ASSET_IDS_PER_CALL: '1' },
      datasets: ['one', 'two', 'three'].map(datasetOf),
    });
    bed.simulator.intercept(({ datasetId }) => (datasetId === 'three' ? undefined : { hang: true }));
    await leave(bed, '{ datasets(ids: ["one", "two"]) { name results { processingId } } }', 1);
    const { body } = await bed.query(ofDataset('name'), { variables: { id: 'three' } });
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(bed.calls()).toEqual([getSummary('one'), getSummary('three')]);
  });

  it('leaves the calls of other callers alone', async () => {
    const bed = await start();
    const held = hold(bed);
    const staying = bed.query(ofDataset('name'));
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(1));
    const [stayed] = bed.simulator.requests;
    bed.simulator.clear();
    expect(await leave(bed, ofDataset('name'), 1)).toEqual([{ outcome: 'aborted', milliseconds: atOnce }]);
    held.open();
    expect((await staying).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    expect(await stayed?.outcome).toBe('answered');
  });
});
