import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { DATASET_ID, getSummary, ofDataset, outline } from '../support/harness.ts';
import { readSample } from '../support/metrics.ts';
import { Redis, startReplica, stored } from './redis.ts';
import { expectUse, median, NAME, named, startFilled, timed } from './timed.ts';

const ROWS = ofDataset('results { series { nodes { asset { assetId } rows { valueDate } } } }');

describe('3.41 Without Redis, responses come from the service', () => {
  it('if it is not there at the start, and are kept as soon as it is', async () => {
    const redis = await Redis.start();
    await redis.kill();
    const replica = await startReplica({ env: redis.env });
    for (let times = 0; times < 2; times += 1) expect(await timed(replica)).toBeLessThan(1000);
    expect(replica.calls()).toEqual([getSummary(), getSummary()]);
    expect(replica.log.filter((line) => line.includes('Redis'))).toEqual([
      expect.stringContaining('"code":"ECONNREFUSED","msg":"Redis cannot be used.'),
    ]);
    await redis.restart();
    await expectUse(replica);
    expect(replica.log.filter((line) => line.includes('Redis'))).toHaveLength(2);
  });

  it('if it was killed, and are kept again after its restart', async () => {
    const { redis, replica } = await startFilled();
    await redis.kill();
    await replica.available(false);
    replica.simulator.clear();
    for (let times = 0; times < 3; times += 1) await timed(replica);
    expect(replica.calls()).toHaveLength(3);
    expect(Object.keys(await replica.failures())).toContain('read notSent');
    await redis.restart();
    await replica.available(true);
    await expectUse(replica);
  });

  it('if it does not reply, and a breaker keeps most of them from waiting for it', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    const without = await startReplica();
    for (const each of [replica, without]) await timed(each);
    redis.freeze();
    const delay = (await timed(replica)) - (await median(without));
    expect(delay).toBeGreaterThan(20);
    for (let times = 0; times < 2; times += 1) await timed(replica);
    // Three reads have waited in vain. Until the next attempt nobody waits.
    const clock = stopClock();
    const { 'read timeout': timeouts } = await replica.failures();
    expect(timeouts).toBe(3);
    for (let times = 0; times < 10; times += 1) await timed(replica);
    clock.advance(1000);
    const ids = Array.from({ length: 10 }, (_, number) => String(number));
    await Promise.all(ids.map((id) => replica.query(NAME, { variables: { id } })));
    expect(await replica.failures()).toMatchObject({ 'read timeout': 4, 'read notSent': 19 });
    expect(await replica.isAvailable()).toBe(false);
    redis.thaw();
    clock.advance(1000);
    await timed(replica);
    await expectUse(replica);
    expect(await replica.isAvailable()).toBe(true);
  });

  it('for those who wait with an operation that has no call left', async () => {
    const { redis, replica } = await startFilled({ UPSTREAM_MAX_CALLS: '1' });
    // Both wait for the same read, and then for a call.
    redis.freeze();
    const exhausted = replica.query(`{ datasetsByIds(ids: ["other", "${DATASET_ID}"]) { name } }`);
    const other = replica.query(NAME);
    expect((await other).body).toEqual(named);
    expect(outline(await exhausted).errors).toEqual([
      'datasetsByIds.0 NOT_FOUND',
      'datasetsByIds.1.name REQUEST_LIMIT_EXCEEDED',
    ]);
  });

  it('for as long as its clients are paused', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await redis.send('CLIENT', 'PAUSE', '400', 'ALL');
    await timed(replica);
    expect(await replica.failures()).toMatchObject({ 'read timeout': 1 });
    await expectUse(replica);
  });

  it('if it is full, and reads go on', async () => {
    const redis = await Redis.start('--maxmemory-policy', 'noeviction');
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    const written = () => readSample(replica, 'rest_cache_redis_bytes_total{direction="written"}');
    const before = await written();
    await redis.send('CONFIG', 'SET', 'maxmemory', '1');
    for (let times = 0; times < 2; times += 1) {
      expect((await replica.query(ROWS)).body).not.toHaveProperty('errors');
      await timed(replica);
    }
    expect(replica.calls().filter((call) => call === getSummary())).toHaveLength(1);
    await eventually(async () => expect(await replica.failures()).toMatchObject({ 'write error': 2 }));
    expect(await written()).toBe(before);
    await redis.send('CONFIG', 'SET', 'maxmemory', '0');
    await replica.query(ROWS);
    await stored(redis, 2);
  });

  it('if it evicts what it has', async () => {
    const redis = await Redis.start('--maxmemory-policy', 'allkeys-random');
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    // The epoch of the token alone is gone: what was read in it is gone too.
    for (const name of await redis.keys('epochs')) await redis.send('DEL', name);
    await timed(replica);
    expect(replica.calls()).toHaveLength(2);
    await eventually(async () => expect(await redis.keys('epochs')).toHaveLength(1));
  });

  it('if it no longer is the primary', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await redis.send('REPLICAOF', '127.0.0.1', await freePort());
    await timed(replica);
    await eventually(async () => expect(await replica.failures()).toMatchObject({ 'write error': 1 }));
    await redis.send('REPLICAOF', 'NO', 'ONE');
    await expectUse(replica);
  });

  it('if another user must be given', async () => {
    const redis = await Redis.start('--requirepass', 'another-password');
    const replica = await startReplica({ env: { ...redis.env, CACHE: redis.url.replace('//', '//:a-password@') } });
    await timed(replica);
    expect(replica.log.filter((line) => line.includes('Redis'))).toEqual([
      expect.stringContaining('"code":"WRONGPASS"'),
    ]);
    expect(replica.log.join('')).not.toContain('a-password');
  });
});

describe('3.41 Values in Redis that no replica has written', () => {
  it.each([
    ['random bytes', () => Buffer.from(Array.from({ length: 500 }, (_, at) => (at * 89) % 256))],
    ['a text', () => Buffer.from('{"name":"forged"}')],
    ['nothing', () => Buffer.alloc(0)],
    ['the first bytes of a value', (value: Buffer) => value.subarray(0, 10)],
    ['the first half of a value', (value: Buffer) => value.subarray(0, value.length / 2)],
    [
      'a value with another bit',
      (value: Buffer) => Buffer.from(value.with(value.length - 1, 255 - (value.at(-1) ?? 0))),
    ],
    ['a value of another format', (value: Buffer) => Buffer.from(value.with(0, 1))],
  ])('are not used: %s', async (_title, damage) => {
    const { redis, replica } = await startFilled();
    const [name = ''] = await redis.keys('responses');
    await redis.send('SET', name, damage((await redis.send('GET', name)) as Buffer));
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    expect(await replica.failures()).toEqual({ 'read invalid': 1 });
  });

  it('are not used: a value of another key of the same token and dataset', async () => {
    const { redis, replica } = await startFilled();
    const [own = ''] = await redis.keys('responses');
    await replica.query(ofDataset('results { processingId }'));
    await stored(redis, 2);
    const [other = ''] = (await redis.keys('responses')).filter((name) => name !== own);
    await redis.send('COPY', other, own, 'REPLACE');
    replica.simulator.intercept(() => undefined);
    await timed(replica);
    expect(await replica.failures()).toEqual({ 'read invalid': 1 });
  });

  it('are replaced if they are an epoch', async () => {
    const { redis, replica } = await startFilled();
    const [name = ''] = await redis.keys('epochs');
    await redis.send('SET', name, 'garbage');
    await expectUse(replica);
  });
});

describe('3.41 A token that is refused while Redis is down', () => {
  it('reads nothing that was kept before, while Redis only reads', async () => {
    const { redis, replica } = await startFilled();
    await redis.send('ACL', 'SETUSER', 'default', '-del');
    replica.simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { status: 401 } : undefined));
    await replica.query(NAME, { variables: { id: 'other' } });
    replica.simulator.clear();
    for (let times = 0; times < 2; times += 1) await timed(replica);
    expect(replica.calls()).toEqual([getSummary(), getSummary()]);
    // Nothing of it can be left.
    stopClock().advance(60_000);
    await expectUse(replica);
  });

  it('is dropped as soon as Redis does it', async () => {
    const { redis, replica } = await startFilled();
    await redis.send('ACL', 'SETUSER', 'default', '-del');
    replica.simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { status: 401 } : undefined));
    await replica.query(NAME, { variables: { id: 'other' } });
    await eventually(async () => expect(await replica.failures()).toEqual({ 'drop error': 2 }));
    await redis.send('ACL', 'SETUSER', 'default', '+del');
    await eventually(async () => expect(await redis.keys('epochs')).toEqual([]));
  });

  it('reads nothing that was kept before, after Redis is back', async () => {
    const { redis, replica } = await startFilled();
    redis.freeze();
    replica.simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { status: 401 } : undefined));
    await replica.query(NAME, { variables: { id: 'other' } });
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    redis.thaw();
    await eventually(async () => expect(await redis.keys('epochs')).toEqual([]));
    await replica.available(true);
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    await expectUse(replica);
  });
});
