import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { stopClock, stopTimers } from '../support/clock.ts';
import { gate, ofDataset } from '../support/harness.ts';
import { readSample } from '../support/metrics.ts';
import { Redis, startReplica, stored } from './redis.ts';
import { expectUse, NAME, named, timed } from './timed.ts';

const stale = { CACHE_METADATA_SECONDS: '1', CACHE_STALE_SECONDS: '20', UPSTREAM_RETRY: 'off' };

/** Takes every thread of libuv, on which Node.js compresses, until the result is called. */
async function takeThreads(): Promise<() => void> {
  const folder = await mkdtemp(join(tmpdir(), 'threads-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Each waits for somebody who writes.
  const opened = Array.from({ length: 4 }, () => open(pipe));
  const release = () => {
    const writer = openSync(pipe, constants.O_RDWR);
    void Promise.all(opened).then(async (files) => {
      for (const file of files) await file.close();
      closeSync(writer);
    });
  };
  onTestFinished(release);
  return release;
}

describe('3.41 The time of Redis', () => {
  it('is given once to a read whose call fails', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: { ...redis.env, ...stale } });
    await timed(replica);
    await stored(redis, 1);
    replica.simulator.intercept(() => ({ status: 500 }));
    redis.freeze();
    stopClock().advance(2000);
    expect((await replica.query(NAME)).body.errors).toHaveLength(1);
    expect(await replica.failures()).toEqual({ 'read timeout': 1 });
  });

  it('is not what the subgraph itself takes', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    const warnings: Error[] = [];
    const collect = (warning: Error) => void warnings.push(warning);
    process.on('warning', collect);
    onTestFinished(() => void process.off('warning', collect));
    let isBusy = true;
    onTestFinished(() => {
      isBusy = false;
    });
    const work = () => {
      const until = performance.now() + 60;
      // However slow the machine is, Redis has replied by then.
      execFileSync('redis-cli', ['-p', redis.port, '-r', '2', 'PING']);
      while (performance.now() < until);
      if (isBusy) setImmediate(work);
    };
    work();
    // This one begins an epoch, for which only a millisecond is left.
    await timed(replica);
    isBusy = false;
    await expectUse(replica);
    const failures = await replica.failures();
    isBusy = true;
    work();
    for (let times = 0; times < 10; times += 1) await timed(replica);
    isBusy = false;
    expect(replica.calls()).toEqual([]);
    expect(await replica.failures()).toEqual(failures);
    expect(warnings).toEqual([]);
  });

  it('is enough for a stale response after the time of the operation', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: { ...redis.env, ...stale, OPERATION_TIMEOUT_MS: '5000' } });
    const clock = stopClock();
    await timed(replica);
    await stored(redis, 1);
    clock.advance(2000);
    const { opened, open: called } = gate();
    replica.simulator.intercept(() => {
      called();
      return { hang: true };
    });
    stopTimers();
    const answer = replica.query(NAME);
    await opened;
    // The operation and its call are over before Redis replies.
    vi.advanceTimersByTime(5000);
    expect((await answer).body).toEqual({ ...named, extensions: { stale: { ageSeconds: 2 } } });
  });

  it('begins when a body is compressed, whose memory nobody else gets before', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    const other = await startReplica({ env: redis.env }, replica.simulator);
    const rowsOf = (id: string) => Array.from({ length: 50_000 }, (_, row) => ({ value_date: `${id} ${row}` }));
    const bodies = new Map(['1', '2'].map((id) => [id, { assets: [{ asset_id: 'a', results: rowsOf(id) }] }]));
    replica.simulator.intercept(({ datasetId = '' }) => ({ status: 200, body: JSON.stringify(bodies.get(datasetId)) }));
    const rows = ofDataset('results { series { nodes { rows { valueDate } } } }');
    const first = async ({ query }: typeof replica, id: string) => {
      const { data } = (await query(rows, { variables: { id } })).body;
      return data.dataset.results.series.nodes[0].rows[0];
    };
    stopTimers();
    const release = await takeThreads();
    expect(await first(replica, '1')).toEqual({ valueDate: '1 0' });
    vi.advanceTimersByTime(2000);
    // This one gets the memory of the first, if that is free.
    expect(await first(replica, '2')).toEqual({ valueDate: '2 0' });
    vi.useRealTimers();
    release();
    await stored(redis, 2);
    for (const id of ['1', '2']) expect(await first(other, id)).toEqual({ valueDate: `${id} 0` });
    expect(replica.calls()).toHaveLength(2);
    expect(await replica.failures()).toEqual({});
  });

  it('does not come for a body that was found invalid meanwhile', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    replica.simulator.intercept(({ datasetId }) => ({
      status: 200,
      body: datasetId === 'invalid' ? `[${' '.repeat(2000)}]` : JSON.stringify({ name: 'x'.repeat(2_000_000) }),
    }));
    const release = await takeThreads();
    expect((await replica.query(NAME, { variables: { id: 'invalid' } })).body.errors).toHaveLength(1);
    await replica.query(NAME);
    release();
    await stored(redis, 1);
    expect(await readSample(replica, 'rest_cache_redis_bytes_total{direction="written"}')).toBeLessThan(1000);
    expect(await replica.failures()).toEqual({});
  });

  it('is not waited for by more than 64 MB of bodies', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    const body = JSON.stringify({ processing_id: 'p', pad: 'x'.repeat(40_000_000) });
    replica.simulator.intercept(() => ({ status: 200, body }));
    const ask = async (id: string) => {
      const answer = await replica.query(ofDataset('results { processingId }'), { variables: { id } });
      expect(answer.body).toEqual({ data: { dataset: { results: { processingId: 'p' } } } });
    };
    const release = await takeThreads();
    for (const id of ['1', '2']) await ask(id);
    expect(await replica.failures()).toEqual({ 'write notSent': 1 });
    release();
    await stored(redis, 1);
    await ask('2');
    await stored(redis, 2);
  });
});
