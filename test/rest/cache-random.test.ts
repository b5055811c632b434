import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { ofDataset, type Setup, start, type TestBed } from '../support/harness.ts';
import { Dice } from '../support/json-text.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many reads are made. */
const READS = randomCases(21_500);

const SECONDS = { getDatasetMetadata: 10, getDatasetResults: 5 };
const STALE_SECONDS = 7;
const tokens = ['anna', 'bert', 'cleo', 'dora'];
const datasets = ['one', 'two', 'three'];
const documents = {
  getDatasetMetadata: ofDataset('name'),
  getDatasetResults: ofDataset('results { processingId }'),
};
type Operation = keyof typeof documents;

/** A REST call that was answered with 200, by the number in its body. */
interface Call {
  readonly token: string;
  readonly datasetId: string;
  readonly operation: Operation;
  readonly answered: number;
}

const setup = {
  accounts: tokens.map((token) => ({ email: token, password: token, token })),
  env: {
    CACHE: 'memory',
    CACHE_METADATA_SECONDS: String(SECONDS.getDatasetMetadata),
    CACHE_RESULTS_SECONDS: String(SECONDS.getDatasetResults),
    CACHE_STALE_SECONDS: String(STALE_SECONDS),
    CACHE_MAX_BYTES: String(2 ** 20),
    UPSTREAM_RETRY: 'off',
    UPSTREAM_OUTAGE_MS: '0',
    LOG_LEVEL: 'warn',
  },
} satisfies Setup;

it(`3.40 A response is one that a call of the same token got in time: ${READS} random reads`, {
  tags: ['random'],
  timeout: 600_000,
}, async () => {
  const bed = await start(setup);
  // Dice of 0 would be no dice.
  const seeds = fc.noBias(fc.integer({ min: 1, max: 2 ** 31 - 1 }));
  // With another seed it is another run: there is nothing to shrink.
  await fc.assert(
    fc.asyncProperty(seeds, (seed) => readBySeed(bed, seed)),
    { numRuns: 1, endOnFailure: true },
  );
});

/**
 * Reads at random, and expects that each response is one that a call of the same token got in time. Calls overtake each
 * other and fail, tokens are refused, clients leave, and time passes.
 */
async function readBySeed({ query, simulator }: TestBed, seed: number): Promise<void> {
  const dice = new Dice(seed);
  const random = () => dice.below(2 ** 20) / 2 ** 20;
  const clock = stopClock();
  let number = 0;
  const answered = new Map<string, Call>();
  /** When a client saw last that its token was refused, or a dataset to it. */
  const refused = new Map<string, number>();
  simulator.intercept(async ({ headers, datasetId = '', operation }) => {
    simulator.clear();
    const token = (headers.authorization?.[0] ?? '').replace('Bearer ', '');
    number += 1;
    const own = `call ${number}`;
    const fate = random();
    // Calls overtake each other.
    for (let turns = dice.below(4); turns > 0; turns -= 1) await turn();
    if (fate < 0.04) return { status: random() < 0.5 ? 401 : 403 };
    if (fate < 0.16)
      return dice.of([
        { status: 500 },
        { status: 503 },
        { status: 404 },
        { cutAfterBytes: 5 },
        { status: 200, body: '{' },
      ]);
    answered.set(own, { token, datasetId, operation: operation as Operation, answered: performance.now() });
    return {
      status: 200,
      body: JSON.stringify(operation === 'getDatasetMetadata' ? { name: own } : { processing_id: own }),
    };
  });

  const counted = { fresh: 0, stale: 0, failed: 0, left: 0 };
  const read = async () => {
    const [token, datasetId, operation] = [
      dice.of(tokens),
      dice.of(datasets),
      dice.of(Object.keys(documents) as Operation[]),
    ];
    const begun = performance.now();
    const leaving = new AbortController();
    const leaves = random() < 0.05;
    if (leaves) setImmediate(() => leaving.abort());
    const options = { token, variables: { id: datasetId }, signal: leaving.signal };
    const answer = await query(documents[operation], options).catch((error: unknown) => {
      if (leaves) return undefined;
      throw error;
    });
    if (answer === undefined) {
      counted.left += 1;
      return;
    }
    const { data, errors, extensions } = answer.body;
    const found = operation === 'getDatasetMetadata' ? data?.dataset?.name : data?.dataset?.results?.processingId;
    if (errors !== undefined) {
      expect(found ?? null).toBeNull();
      const { code } = errors[0].extensions;
      if (code === 'UNAUTHENTICATED') refused.set(token, performance.now());
      if (code === 'FORBIDDEN') refused.set(`${token} ${datasetId}`, performance.now());
      counted.failed += 1;
      return;
    }
    const call = answered.get(found);
    expect(call).toMatchObject({ token, datasetId, operation });
    const age = begun - (call?.answered ?? 0);
    const isStale = extensions?.stale !== undefined;
    expect(age).toBeLessThan((SECONDS[operation] + (isStale ? STALE_SECONDS : 0)) * 1000);
    // What was read before the service refused the token, or the dataset to it, is gone.
    const last = Math.max(refused.get(token) ?? 0, refused.get(`${token} ${datasetId}`) ?? 0);
    if (last < begun) expect(call?.answered).toBeGreaterThanOrEqual(last);
    counted[isStale ? 'stale' : 'fresh'] += 1;
  };
  for (let made = 0; made < READS; ) {
    const together = 1 + dice.below(6);
    await Promise.all(Array.from({ length: together }, read));
    made += together;
    clock.advance(dice.below(1500));
  }
  expect(number).toBeLessThan(0.8 * READS);
  for (const count of Object.values(counted)) expect(count).toBeGreaterThan(READS / 200);
}
