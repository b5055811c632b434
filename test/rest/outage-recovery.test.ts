import { describe, expect, it, vi } from 'vitest';
import { stopClock, stopTimers } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { gate, getSummary, ofDataset, postResults, start } from '../support/harness.ts';
import {
  accounts,
  ask,
  breakDown,
  codeOf,
  down,
  env,
  isClosed,
  isDown,
  MIN_CALLS,
  NAME,
  named,
  refused,
  tokens,
  warnings,
} from '../support/outage.ts';

/** For how long no call is made, by default. */
const OPEN_MS = 5000;

/** A subgraph whose circuit has just opened, by a clock that stands still. */
async function startDown(more: Record<string, string> = {}) {
  const bed = await start({ env: { ...env, ...more } });
  const clock = stopClock();
  await breakDown(bed);
  return { ...bed, clock };
}

/** Lets so much time pass that the next request makes a call, and sees that none is made a millisecond before. */
async function untilTrial(bed: Awaited<ReturnType<typeof startDown>>): Promise<void> {
  const calls = bed.calls().length;
  bed.clock.advance(OPEN_MS - 1);
  expect((await bed.query(NAME)).body).toEqual(refused);
  expect(bed.calls()).toHaveLength(calls);
  bed.clock.advance(1);
}

describe('3.31 A service that comes back', () => {
  it('is asked again, by itself, and says so in the log', async () => {
    const bed = await startDown();
    bed.simulator.intercept(undefined);
    await untilTrial(bed);
    for (const { body } of await ask(bed, 4)) expect(body).toEqual(named);
    expect(bed.calls()).toHaveLength(4);
    expect(warnings(bed)).toEqual([isDown, isClosed]);
  });

  it('is asked again, until 20 more calls have failed', async () => {
    const bed = await start({ env, accounts });
    const clock = stopClock();
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, MIN_CALLS, tokens);
    bed.simulator.intercept(undefined);
    clock.advance(OPEN_MS);
    await ask(bed, 1);
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, MIN_CALLS - 2, tokens);
    expect(warnings(bed)).toEqual([isDown, isClosed]);
    await ask(bed, 2, tokens);
    expect(warnings(bed)).toEqual([isDown, isClosed, isDown]);
  });

  it.each([
    ['64', 'there are sockets for others'],
    ['1', 'there is no socket for another'],
  ])('is tried by one call alone: others are not made meanwhile, and do not wait: %s sockets, %s', async (sockets) => {
    const bed = await startDown({ UPSTREAM_CONNECTIONS: sockets });
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    await untilTrial(bed);
    const [trial] = [bed.query(NAME)];
    await eventually(() => expect(bed.calls()).toEqual([getSummary()]));
    bed.clock.advance(10 * OPEN_MS);
    const others = await Promise.all(Array.from({ length: 20 }, () => bed.query(NAME)));
    for (const { body } of others) expect(body).toEqual(refused);
    expect(bed.calls()).toEqual([getSummary()]);
    held.open();
    expect((await trial)?.body).toEqual(named);
    expect((await bed.query(ofDataset('results { processingId }'))).body.errors).toBeUndefined();
    expect(bed.calls()).toEqual([getSummary(), postResults({})]);
  });

  it('is left alone for the same time again when that call fails', async () => {
    const bed = await startDown();
    bed.simulator.intercept(() => ({ status: 503 }));
    for (const trials of [1, 2]) {
      await untilTrial(bed);
      const response = await bed.query(NAME);
      expect(codeOf(response)).toBe('UPSTREAM_UNAVAILABLE');
      expect(response.body).not.toEqual(refused);
      expect(bed.calls()).toHaveLength(trials);
    }
    expect(warnings(bed)).toEqual([isDown]);
  });

  it('is not taken to be back when the client of that call leaves', async () => {
    const bed = await startDown();
    bed.simulator.intercept(() => ({ hang: true }));
    await untilTrial(bed);
    const leaving = new AbortController();
    const trial = bed.query(NAME, { signal: leaving.signal }).catch(() => 'left');
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    leaving.abort();
    expect(await trial).toBe('left');
    await bed.simulator.requests[0]?.outcome;
    await untilTrial(bed);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(named);
  });

  it.each([404, 429])('is back when it answers that call with %i', async (status) => {
    const bed = await startDown();
    bed.simulator.intercept(() => ({ status }));
    await untilTrial(bed);
    await bed.query(NAME);
    expect(warnings(bed)).toEqual([isDown, isClosed]);
  });
});

describe('3.31 Under load', () => {
  /** Requests in flight, and how many there are in all. */
  const LANES = 50;
  const REQUESTS = 1000;

  it('a service that is down gets hardly more calls than requests, answers come at once, and all is well again', async () => {
    const bed = await start({ accounts });
    const clock = stopClock();
    await ask(bed, 50, tokens);
    bed.simulator.clear();
    let failing = 0;
    bed.simulator.intercept(() => {
      failing += 1;
      return failing % 2 === 0 ? { status: 503 } : { reset: true };
    });
    let refusals = 0;
    let asked = 0;
    const lane = async () => {
      while (asked < REQUESTS) {
        asked += 1;
        const { body } = await bed.query(NAME, { token: tokens[asked % tokens.length] as string });
        expect(body.errors).toMatchObject([
          { extensions: { code: 'UPSTREAM_UNAVAILABLE', rest: { retryable: true } } },
        ]);
        if (body.errors[0].message === down.message) refusals += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    // Those that it takes to open the circuit, those that were under way then, and their retries.
    expect(bed.calls().length).toBeLessThan(REQUESTS * 0.2);
    expect(refusals).toBeGreaterThan(REQUESTS * 0.8);
    const calls = bed.calls().length;
    // A response that waited for a timer would never come.
    stopTimers();
    for (const { body } of await ask(bed, 20)) expect(body).toEqual(refused);
    vi.useRealTimers();
    expect(bed.calls()).toHaveLength(calls);
    bed.simulator.intercept(undefined);
    clock.advance(OPEN_MS);
    for (const { body } of await ask(bed, 20)) expect(body).toEqual(named);
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

  it('refuses at once when nothing listens', async () => {
    const bed = await start({ serviceUrl: 'http://127.0.0.1:9', env: { UPSTREAM_OUTAGE_MS: '60000' } });
    await ask(bed, MIN_CALLS);
    expect((await bed.query(NAME)).body).toEqual(refused);
  });
});
