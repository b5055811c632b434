import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { dataset, ofDataset } from '../support/harness.ts';
import { Redis, type Replica, startReplica, stored } from './redis.ts';

/** What is read of the dataset that `start` makes. */
export const NAME = ofDataset('name');
export const named = { data: { dataset: { name: dataset.metadata.name } } };

/** Queries, and expects the answer. Returns how many milliseconds it took. */
export async function timed({ query }: Replica): Promise<number> {
  const began = performance.now();
  expect((await query(NAME)).body).toEqual(named);
  return performance.now() - began;
}

/** Starts a Redis, and a replica whose first response is in it. */
export async function startFilled(env: Record<string, string> = {}): Promise<{ redis: Redis; replica: Replica }> {
  const redis = await Redis.start();
  const replica = await startReplica({ env: { ...redis.env, ...env } });
  await timed(replica);
  await stored(redis, 1);
  return { redis, replica };
}

/** The median of the milliseconds that queries take, one after the other. */
export async function median(replica: Replica, queries = 15): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < queries; index += 1) times.push(await timed(replica));
  return times.toSorted((a, b) => a - b)[Math.floor(queries / 2)] ?? 0;
}

/** Expects that Redis is used again, soon. */
export async function expectUse(replica: Replica): Promise<void> {
  await eventually(async () => {
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([]);
  });
}
