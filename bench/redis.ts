import { spawnSync } from 'node:child_process';
import { freePort } from '../test/support/free-port.ts';
import { type Child, type Process, startProcess } from './children.ts';

/** A Redis that was started. */
export interface Redis extends Pick<Process, 'broken' | 'stop'> {
  readonly url: string;
}

/** It never writes to the disk, and evicts as docs/scaling.md says. */
const settings = { '--save': '', '--maxmemory': '256mb', '--maxmemory-policy': 'allkeys-lru' };

/** Whether there is a `redis-server`. */
export function isRedisInstalled(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Starts a Redis on a free port of the loopback host. */
export async function startRedis(): Promise<Redis> {
  const address = { '--bind': '127.0.0.1', '--port': await freePort() };
  const options = Object.entries({ ...address, ...settings }).flat();
  const { broken, stop } = await startProcess(
    'Redis',
    ['redis-server', ...options],
    {},
    /(Ready to accept connections)/,
  );
  return { url: `redis://${address['--bind']}:${address['--port']}`, broken, stop };
}

/** A program and its Redis, which end together. */
export function withRedis(child: Child, redis: Redis): Child {
  const broken = Promise.race([child.broken, redis.broken]);
  broken.catch(() => {});
  const stop = async () => {
    await child.stop();
    await redis.stop();
  };
  return { ...child, broken, stop };
}
