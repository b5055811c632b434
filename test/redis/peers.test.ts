import { connect, type Socket } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeAuthority } from '../programs/certificates.ts';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { getSummary, listen } from '../support/harness.ts';
import { readSample } from '../support/metrics.ts';
import { Redis, SECRET, startReplica, stored } from './redis.ts';
import { expectUse, median, timed } from './timed.ts';

/** Redis does not get so many milliseconds of an operation. */
const MAX_DELAY_MS = 50;

/** A way to Redis that can be blocked. */
async function proxyOf({ port }: Redis) {
  const sockets: Socket[] = [];
  const url = await listen((socket) => {
    const upstream = connect(Number(port), '127.0.0.1').on('error', () => {});
    onTestFinished(() => void upstream.destroy());
    socket.pipe(upstream).pipe(socket);
    sockets.push(socket, upstream);
  });
  return { url: url.replace('http', 'redis'), sockets, connections: () => sockets.length / 2 };
}

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
    const { url, sockets } = await proxyOf(redis);
    const replica = await startReplica({ env: { ...redis.env, CACHE: url } });
    await timed(replica);
    await stored(redis, 1);
    // The connection is open, and nothing comes through it any more.
    const clock = stopClock();
    for (const socket of sockets) socket.pause();
    await timed(replica);
    clock.advance(5000);
    await expectUse(replica);
  });

  it('is given up after five seconds without a word, if one is awaited', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const redis = await Redis.start();
    const { url, sockets, connections } = await proxyOf(redis);
    const replica = await startReplica({ env: { ...redis.env, CACHE: url } });
    await timed(replica);
    await stored(redis, 1);
    const clock = stopClock();
    const check = (milliseconds: number) => {
      clock.advance(milliseconds);
      vi.advanceTimersByTime(1000);
    };
    check(10_000);
    redis.freeze();
    await timed(replica);
    check(4999);
    await timed(replica);
    expect(connections()).toBe(1);
    check(1);
    await eventually(() => expect(connections()).toBe(2));
    await eventually(() => expect(sockets[0]?.closed).toBe(true));
    // Nor does anything begin after the end.
    redis.thaw();
    await replica.subgraph.stop();
    check(5000);
    await stored(redis, 1);
    expect(connections()).toBe(2);
  });
});

/** Speaks the protocol of Redis. */
function speak(reply: (command: string) => string) {
  return (socket: Socket) =>
    void socket.on('data', (data) => {
      for (const [, command = ''] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n([A-Z]+)\r\n/g))
        socket.write(reply(command));
    });
}

const NULLS = '*2\r\n_\r\n_\r\n';
const EPOCH = '$16\r\n0123456789abcdef\r\n';
const TEXT = '+0123456789abcdef\r\n';

describe('3.41 A peer that replies to another command', () => {
  it.each([
    ['a number instead of values', ':1\r\n', ''],
    ['fewer values', '*0\r\n', ''],
    ['texts instead of bytes', `*2\r\n${TEXT}${TEXT}`, ''],
    ['a number instead of a response', `*2\r\n${EPOCH}:1\r\n`, ''],
    ['a number instead of an epoch', `*2\r\n:1\r\n${EPOCH}`, ''],
    ['a text instead of a new epoch', NULLS, TEXT],
    ['nothing instead of a new epoch', NULLS, '_\r\n'],
  ])('causes no error: %s', async (_title, values, epoch) => {
    const replies: Record<string, string> = { MGET: values, GET: epoch };
    const url = await listen(speak((command) => replies[command] ?? '+OK\r\n'));
    const replica = await startReplica({ env: { CACHE: url.replace('http', 'redis'), CACHE_SECRET: SECRET } });
    for (let times = 0; times < 3; times += 1) await timed(replica);
    expect(replica.calls()).toHaveLength(3);
    expect(await readSample(replica, 'rest_cache_redis_bytes_total{direction="read"}')).toBe(0);
  });
});

describe('3.41 A connection that is given up', () => {
  it('is replaced once in a second at most', async () => {
    let connections = 0;
    const speakNonsense = speak((command) => (command === 'MGET' ? 'nonsense\r\n' : '+OK\r\n'));
    const url = await listen((socket) => {
      connections += 1;
      speakNonsense(socket);
    });
    const replica = await startReplica({ env: { CACHE: url.replace('http', 'redis'), CACHE_SECRET: SECRET } });
    const began = performance.now();
    for (let times = 0; times < 30; times += 1) await timed(replica);
    await eventually(() => expect(connections).toBeGreaterThan(1));
    expect(connections).toBeLessThanOrEqual(2 + (performance.now() - began) / 1000);
  });

  it('because nothing comes through it, is noticed', async () => {
    const url = await listen(() => {});
    const replica = await startReplica({ env: { CACHE: url.replace('http', 'redis'), CACHE_SECRET: SECRET } });
    stopClock().advance(5000);
    await replica.available(false);
    expect(replica.log.filter((line) => line.includes('Redis'))).toEqual([
      expect.stringContaining('"code":"ETIMEDOUT","msg":"Redis cannot be used.'),
    ]);
  });

  it('while it begins, is not left open', async () => {
    const authority = await makeAuthority('Authority');
    const before = getCACertificates('default');
    setDefaultCACertificates([authority.cert]);
    onTestFinished(() => setDefaultCACertificates(before));
    const server = createServer(
      await authority.sign({ host: 'localhost' }),
      speak(() => '+OK\r\n'),
    );
    const accepted = Promise.withResolvers<Socket>();
    const { port } = new URL(await listen(accepted.resolve));
    const replica = await startReplica({ env: { CACHE: `rediss://localhost:${port}`, CACHE_SECRET: SECRET } });
    const socket = await accepted.promise;
    await replica.subgraph.stop();
    // The handshake, which ends the beginning.
    server.emit('connection', socket);
    await eventually(() => expect(socket.closed).toBe(true));
  });
});
