import { it } from 'vitest';
import { randomSetup, readAtRandom } from '../support/cache-random.ts';
import { start } from '../support/harness.ts';

/** How many reads are made. `npm run test:cache` makes more. */
const READS = Number(process.env.CACHE_CASES ?? 1500);

it(`3.40 A response is one that a call of the same token got in time: ${READS} random reads`, async () => {
  await readAtRandom([await start({ ...randomSetup, env: { ...randomSetup.env, CACHE: 'memory' } })], READS);
}, 600_000);
