import { it } from 'vitest';
import { randomSetup, readAtRandom } from '../support/cache-random.ts';
import { start } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

const READS = randomCases(21_500);

it(`3.40 A response is one that a call of the same token got in time: ${READS} random reads`, {
  tags: ['random'],
  timeout: 600_000,
}, async () => {
  await readAtRandom([await start({ ...randomSetup, env: { ...randomSetup.env, CACHE: 'memory' } })], READS);
});
