import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { stopClock } from '../clock.ts';
import { dataset, getSummary, listen, ofDataset } from '../harness.ts';
import { freePort, Redis, type Replica, SECRET, startReplica, stored } from './redis.ts';

const NAME = ofDataset('name');
const ROWS = ofDataset('results { series { nodes { asset { assetId } results { valueDate } } } }');
const named = { data: { dataset: { name: dataset.metadata.name } } };

/** Redis does not get so many milliseconds of an operation. */
const MAX_DELAY_MS = 50;

/** Queries, and expects the answer. Returns how many milliseconds it took. */
async function timed({ query }: Replica): Promise<number> {
  const began = performance.now();
  expect((await query(NAME)).body).toEqual(named);
  return performance.now() - began;
}

/** The median of the milliseconds that queries take, one after the other. */
async function median(replica: Replica, queries = 15): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < queries; index += 1) times.push(await timed(replica));
  return times.toSorted((a, b) => a - b)[Math.floor(queries / 2)] ?? 0;
}

/** Expects that Redis is used again, soon. */
async function expectUse(replica: Replica): Promise<void> {
  await vi.waitFor(
    async () => {
      replica.simulator.clear();
      await timed(replica);
      expect(replica.calls()).toEqual([]);
    },
    { timeout: 10_000 },
  );
}

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
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    await redis.kill();
    await replica.available(false);
    replica.simulator.clear();
    for (let times = 0; times < 3; times += 1) await timed(replica);
    expect(replica.calls()).toHaveLength(3);
    expect(Object.keys(await replica.failures())).toContain('read notSent');
    await redis.restart();
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
    for (let times = 0; times < 10; times += 1) await timed(replica);
    expect(await replica.failures()).toMatchObject({ 'read timeout': 4, 'read notSent': 19 });
    expect(await replica.isAvailable()).toBe(false);
    redis.thaw();
    clock.advance(1000);
    await timed(replica);
    await expectUse(replica);
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
    await redis.send('CONFIG', 'SET', 'maxmemory', '1');
    for (let times = 0; times < 2; times += 1) {
      expect((await replica.query(ROWS)).body).not.toHaveProperty('errors');
      await timed(replica);
    }
    expect(replica.calls().filter((call) => call === getSummary())).toHaveLength(1);
    await vi.waitFor(async () => expect(await replica.failures()).toMatchObject({ 'write error': 2 }));
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
    await vi.waitFor(async () => expect(await redis.keys('epochs')).toHaveLength(1));
  });

  it('if it no longer is the primary', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await redis.send('REPLICAOF', '127.0.0.1', String(await freePort()));
    await timed(replica);
    await vi.waitFor(async () => expect(await replica.failures()).toMatchObject({ 'write error': 1 }));
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
    ['the first half of a value', (value: Buffer) => value.subarray(0, value.length / 2)],
    [
      'a value with another bit',
      (value: Buffer) => Buffer.from(value.with(value.length - 1, 255 - (value.at(-1) ?? 0))),
    ],
    ['a value of another format', (value: Buffer) => Buffer.from(value.with(0, 2))],
  ])('are not used: %s', async (_title, damage) => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    const [name = ''] = await redis.keys('responses');
    await redis.send('SET', name, damage((await redis.send('GET', name)) as Buffer));
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    expect(await replica.failures()).toEqual({ 'read invalid': 1 });
  });

  it('are not used: a value of another key of the same token', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    const [own = ''] = await redis.keys('responses');
    replica.simulator.intercept(() => ({ status: 200, body: '{"name":"of the other"}' }));
    await replica.query(NAME, { variables: { id: 'other' } });
    await stored(redis, 2);
    const [other = ''] = (await redis.keys('responses')).filter((name) => name !== own);
    await redis.send('COPY', other, own, 'REPLACE');
    replica.simulator.intercept(() => undefined);
    await timed(replica);
    expect(await replica.failures()).toEqual({ 'read invalid': 1 });
  });

  it('are replaced if they are an epoch', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    const [name = ''] = await redis.keys('epochs');
    await redis.send('SET', name, 'garbage');
    await expectUse(replica);
  });
});

describe('3.41 A peer that is no Redis', () => {
  it.each([
    ['says nothing', () => {}],
    ['closes each connection', (socket: Socket) => void socket.end()],
    ['sends another protocol', (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['replies with nonsense', (socket: Socket) => void socket.on('data', () => socket.write('$5\r\nhello\r\n:1\r\n'))],
  ])('delays nothing: it %s', async (_title, onConnection) => {
    const url = await listen(onConnection);
    const replica = await startReplica({ env: { CACHE: url.replace('http', 'redis'), CACHE_SECRET: SECRET } });
    const without = await startReplica();
    for (const each of [replica, without]) await timed(each);
    expect((await median(replica)) - (await median(without))).toBeLessThan(MAX_DELAY_MS);
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
  });

  it('is given up for a real one at the same address', async () => {
    const redis = await Redis.start();
    const sockets: Socket[] = [];
    const proxy = await listen((socket) => {
      const upstream = connect(redis.port, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void upstream.destroy());
      socket.pipe(upstream).pipe(socket);
      sockets.push(socket, upstream);
    });
    const replica = await startReplica({ env: { ...redis.env, CACHE: proxy.replace('http', 'redis') } });
    await timed(replica);
    await stored(redis, 1);
    // The connection is open, and nothing comes through it any more.
    const clock = stopClock();
    for (const socket of sockets) socket.pause();
    await timed(replica);
    clock.advance(5000);
    await expectUse(replica);
  });
});

describe('3.41 A token that is refused while Redis is down', () => {
  it('reads nothing that was kept before, after Redis is back', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    redis.freeze();
    replica.simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { status: 401 } : undefined));
    await replica.query(NAME, { variables: { id: 'other' } });
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    redis.thaw();
    await vi.waitFor(async () => expect(await redis.keys('epochs')).toEqual([]));
    await replica.available(true);
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    await expectUse(replica);
  });
});
