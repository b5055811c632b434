import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stopClock } from '../clock.ts';
import { getSummary, listen } from '../harness.ts';
import { Redis, SECRET, startReplica, stored } from './redis.ts';
import { expectUse, median, timed } from './timed.ts';

/** Redis does not get so many milliseconds of an operation. */
const MAX_DELAY_MS = 50;

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
