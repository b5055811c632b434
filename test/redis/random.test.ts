import { it } from 'vitest';
import { randomSetup, readAtRandom } from '../support/cache-random.ts';
import { randomCases } from '../support/random-cases.ts';
import { Redis, startReplica } from './redis.ts';

/** How many reads are made. */
const READS = randomCases(6700);

it(`3.41 A response is one that a call of the same token got in time: ${READS} random reads of two replicas`, {
  tags: ['random'],
  timeout: 600_000,
}, async () => {
  const redis = await Redis.start();
  const setup = { ...randomSetup, env: { ...randomSetup.env, ...redis.env } };
  const one = await startReplica(setup);
  const beds = [one, await startReplica(setup, one.simulator)] as const;
  // Redis is done with what it was sent before: a refused token is dropped a moment after the client knows.
  await readAtRandom(beds, READS, await redis.pings());
});
