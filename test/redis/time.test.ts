import { describe, expect, it } from 'vitest';
import { getSummary } from '../harness.ts';
import { Redis, startReplica, stored } from './redis.ts';
import { timed } from './timed.ts';

describe('3.41 The time of Redis', () => {
  it('is not what the subgraph itself takes', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    await timed(replica);
    await stored(redis, 1);
    let isBusy = true;
    const work = () => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      if (isBusy) setImmediate(work);
    };
    work();
    await timed(replica);
    isBusy = false;
    expect(replica.calls()).toEqual([getSummary()]);
    expect(await replica.failures()).toEqual({});
  });
});
