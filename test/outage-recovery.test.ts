import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Answer, gate, getSummary, ofDataset, postResults, start, startService, type TestBed } from './harness.ts';
import { ask, breakDown, codeOf, down, env, isDown, MIN_CALLS, NAME, named, refused, warnings } from './outage.ts';

/** Asks until a call is made again. */
async function untilAsked(bed: TestBed): Promise<Answer> {
  bed.simulator.clear();
  return vi.waitFor(
    async () => {
      const response = await bed.query(NAME);
      expect(bed.calls()).not.toHaveLength(0);
      return response;
    },
    { timeout: 10_000, interval: 20 },
  );
}

const isBack = 'The service is back: calls are made again.';

describe('3.31 A service that comes back', () => {
  it('is asked again, by itself, and says so in the log', async () => {
    const bed = await start({ env });
    await breakDown(bed);
    bed.simulator.intercept(undefined);
    expect((await untilAsked(bed)).body).toEqual(named);
    for (const { body } of await ask(bed, 3)) expect(body).toEqual(named);
    expect(warnings(bed)).toEqual([isDown, isBack]);
  });

  it.each([
    ['64', 'there are sockets for others'],
    ['1', 'there is no socket for another'],
  ])('is tried by one call alone: others are not made meanwhile, and do not wait: %s sockets, %s', async (sockets) => {
    const bed = await start({ env: { ...env, UPSTREAM_CONNECTIONS: sockets } });
    await breakDown(bed);
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    await wait(Number(env.UPSTREAM_OUTAGE_MS));
    const [trial] = [bed.query(NAME)];
    await vi.waitFor(() => expect(bed.calls()).toEqual([getSummary()]));
    const others = await Promise.all(Array.from({ length: 20 }, () => bed.query(NAME)));
    for (const { body } of others) expect(body).toEqual(refused);
    expect(bed.calls()).toEqual([getSummary()]);
    held.open();
    expect((await trial)?.body).toEqual(named);
    expect((await bed.query(ofDataset('results { processingId }'))).body.errors).toBeUndefined();
    expect(bed.calls()).toEqual([getSummary(), postResults({})]);
  });

  it('is left alone for the same time again when that call fails', async () => {
    const bed = await start({ env });
    await breakDown(bed);
    expect(codeOf(await untilAsked(bed))).toBe('UPSTREAM_UNAVAILABLE');
    const tried = bed.calls().length;
    expect((await bed.query(NAME)).body).toEqual(refused);
    expect(bed.calls()).toHaveLength(tried);
    expect(warnings(bed)).toEqual([isDown]);
  });

  it('is not taken to be back when the caller of that call leaves', async () => {
    const bed = await start({ env });
    await breakDown(bed);
    bed.simulator.intercept(() => ({ hang: true }));
    await wait(Number(env.UPSTREAM_OUTAGE_MS));
    const leaving = new AbortController();
    const trial = bed.query(NAME, { signal: leaving.signal }).catch(() => 'left');
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(1));
    leaving.abort();
    expect(await trial).toBe('left');
    await bed.simulator.requests[0]?.outcome;
    expect((await bed.query(NAME)).body).toEqual(refused);
    bed.simulator.intercept(undefined);
    expect((await untilAsked(bed)).body).toEqual(named);
  });

  it.each([404, 429])('is back when it answers that call with %i', async (status) => {
    const bed = await start({ env });
    await breakDown(bed);
    bed.simulator.intercept(() => ({ status }));
    await untilAsked(bed);
    expect(warnings(bed)).toEqual([isDown, isBack]);
  });
});

describe('3.31 Under load', () => {
  /** Requests in flight, and how many there are in all. */
  const LANES = 50;
  const REQUESTS = 1000;

  it('a service that is down gets hardly more calls than requests, answers come at once, and all is well again', async () => {
    const bed = await start({ env: { UPSTREAM_OUTAGE_MS: '300' } });
    await ask(bed, 50);
    bed.simulator.clear();
    let failing = 0;
    bed.simulator.intercept(() => {
      failing += 1;
      return failing % 2 === 0 ? { status: 503 } : { reset: true };
    });
    const refusals: number[] = [];
    const others: number[] = [];
    let asked = 0;
    const lane = async () => {
      while (asked < REQUESTS) {
        asked += 1;
        const sent = performance.now();
        const { body } = await bed.query(NAME);
        expect(body.errors).toMatchObject([
          { extensions: { code: 'UPSTREAM_UNAVAILABLE', rest: { retryable: true } } },
        ]);
        (body.errors[0].message === down.message ? refusals : others).push(performance.now() - sent);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(bed.calls().length).toBeLessThan(REQUESTS * 1.1);
    // Far fewer, in truth: those that were under way when it was found to be down, and one from time to time.
    expect(bed.calls().length).toBeLessThan(REQUESTS * 0.2);
    expect(refusals.length).toBeGreaterThan(REQUESTS * 0.8);
    bed.simulator.intercept(undefined);
    const alone: number[] = [];
    expect((await untilAsked(bed)).body).toEqual(named);
    for (const { body } of await ask(bed, 20)) expect(body).toEqual(named);
    await breakDown(bed);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const sent = performance.now();
      await bed.query(NAME);
      alone.push(performance.now() - sent);
    }
    // The quickest, because a busy machine adds to each.
    expect(Math.min(...alone)).toBeLessThan(20);
  });

  it('stays within a tenth more calls than requests also where every call is made', async () => {
    const bed = await start({ env: { UPSTREAM_OUTAGE_MS: '0' } });
    bed.simulator.intercept(() => ({ status: 503 }));
    let asked = 0;
    const lane = async () => {
      while (asked < 500) {
        asked += 1;
        expect(codeOf(await bed.query(NAME))).toBe('UPSTREAM_UNAVAILABLE');
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(bed.calls().length).toBeGreaterThan(525);
    expect(bed.calls().length).toBeLessThanOrEqual(550);
  });

  it('refuses at once when nothing listens any more', async () => {
    const service = await startService();
    const bed = await start({ serviceUrl: service.url, env: { UPSTREAM_OUTAGE_MS: '60000' } });
    await service.close();
    await ask(bed, MIN_CALLS);
    expect((await bed.query(NAME)).body).toEqual(refused);
  });
});
