import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Fault } from '../src/simulator/simulator.ts';
import {
  type Answer,
  errorAt,
  gate,
  getSummary,
  ofDataset,
  outline,
  postResults,
  start,
  startService,
  type TestBed,
  TOKEN,
} from './harness.ts';

const NAME = ofDataset('name');
const named = { data: { dataset: { name: 'Soil moisture' } } };

/** How many calls have to be counted, before their failures mean anything. */
const MIN_CALLS = 20;

/** What the tests set in place of five seconds: long enough that nothing comes through while they look. */
const env = { UPSTREAM_OUTAGE_MS: '800', UPSTREAM_RETRY: 'off' };

const down = {
  ...errorAt(['dataset', 'name'], 'UPSTREAM_UNAVAILABLE', { operation: 'getDatasetMetadata', retryable: true }),
  message: 'The dataset service has been failing. Calls to it are paused for a few seconds.',
};
const refused = { data: { dataset: { name: null } }, errors: [down] };

const codeOf = ({ body }: Answer): string => body.errors?.[0].extensions.code ?? 'none';

/** Asks so often, one after the other. */
async function ask({ query }: TestBed, times: number): Promise<Answer[]> {
  const responses: Answer[] = [];
  for (let call = 0; call < times; call += 1) responses.push(await query(NAME));
  return responses;
}

/** Has the service fail until calls to it are no longer made. */
async function breakDown(bed: TestBed, fault: Fault = { status: 503 }): Promise<void> {
  bed.simulator.intercept(() => fault);
  await ask(bed, MIN_CALLS);
  expect((await bed.query(NAME)).body).toEqual(refused);
  bed.simulator.clear();
}

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

const warnings = ({ log }: TestBed): string[] =>
  log.map((line) => JSON.parse(line)).flatMap(({ level, msg }) => (level === 40 ? [msg] : []));

const isDown = 'The service is down. The circuit is open: only trial calls are made.';
const isBack = 'The service is back. The circuit is closed: calls are made again.';

describe('3.31 A service that is down', () => {
  it.each<[string, Fault, Record<string, string>]>([
    ['502', { status: 502 }, {}],
    ['503', { status: 503 }, {}],
    ['504', { status: 504 }, {}],
    ['resets', { reset: true }, {}],
    ['answers that are cut off', { cutAfterBytes: 5 }, {}],
    ['no answers in time', { hang: true }, { UPSTREAM_TIMEOUT_MS: '20' }],
  ])('is not asked, after 20 calls with %s, and says so in one line of the log', async (_case, fault, more) => {
    const bed = await start({ env: { ...env, ...more, UPSTREAM_OUTAGE_MS: '60000' } });
    bed.simulator.intercept(() => fault);
    await ask(bed, MIN_CALLS);
    expect(bed.calls()).toHaveLength(MIN_CALLS);
    const lines = bed.log.length;
    for (const { body } of await ask(bed, 5)) expect(body).toEqual(refused);
    expect(bed.calls()).toHaveLength(MIN_CALLS);
    expect(warnings(bed)).toEqual([isDown]);
    expect(bed.log).toHaveLength(lines);
  });

  it('is asked for results nevertheless: each operation is down by itself, and says which it is', async () => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' } });
    await breakDown(bed);
    bed.simulator.intercept(undefined);
    const response = await bed.query(ofDataset('id name results { processingId }'));
    expect(outline(response)).toEqual({
      data: { dataset: { id: expect.any(String), name: null, results: { processingId: 'p-1' } } },
      errors: ['dataset.name UPSTREAM_UNAVAILABLE'],
    });
    expect(bed.calls()).toEqual([postResults({})]);
    expect(bed.log.map((line) => JSON.parse(line)).find(({ level }) => level === 40)).toMatchObject({
      operation: 'getDatasetMetadata',
    });
  });

  it('is asked as long as fewer calls than 20 have failed', async () => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, MIN_CALLS - 1);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });

  it.each([
    { succeed: 20, fail: 20, isOpen: false },
    { succeed: 20, fail: 21, isOpen: true },
  ])('is not asked when more than half of the calls fail: $fail of them, and $succeed do not', async (counts) => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' } });
    await ask(bed, counts.succeed);
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, counts.fail);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(counts.isOpen ? refused : named);
  });

  it('is asked nevertheless with UPSTREAM_OUTAGE_MS=0', async () => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '0' } });
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, 2 * MIN_CALLS);
    expect(bed.calls()).toHaveLength(2 * MIN_CALLS);
    expect(warnings(bed)).toEqual([]);
  });
});

describe('3.31 A service that is down for some callers', () => {
  const accounts = ['anna', 'bob', 'carl'].map((name) => ({
    email: name,
    password: 'secret',
    token: `token-of-${name}`,
  }));
  const long = { ...env, UPSTREAM_OUTAGE_MS: '60000' };

  /** Fails the metadata of dataset `bad`, and of no other. */
  async function startPartly() {
    const bed = await start({ env: long, accounts });
    bed.simulator.intercept(({ datasetId }) => (datasetId?.startsWith('bad') ? { status: 503 } : undefined));
    return bed;
  }
  const bad = { variables: { id: 'bad' } };
  const failing = (bed: TestBed, token: string, times: number) =>
    Promise.all(Array.from({ length: times }, () => bed.query(NAME, { ...bad, token })));

  it('is asked by the others, as long as their calls succeed: by token', async () => {
    const bed = await startPartly();
    for (const token of ['token-of-bob', 'token-of-carl']) await bed.query(NAME, { token });
    await failing(bed, TOKEN, 50);
    for (const token of ['token-of-bob', 'token-of-carl', TOKEN]) {
      expect((await bed.query(NAME, { token })).body).toEqual(named);
    }
    expect(warnings(bed)).toEqual([]);
  });

  it('is asked by the others, as long as their calls succeed: by GraphQL operation', async () => {
    const bed = await startPartly();
    await ask(bed, 2);
    const ids = Array.from({ length: 50 }, (_, index) => `bad${index}`);
    await bed.query(`{ datasets(ids: ${JSON.stringify(ids)}) { name } }`);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });

  it('is not asked by the one whose calls alone there were, and by others until theirs fail, too', async () => {
    const bed = await startPartly();
    await failing(bed, TOKEN, 2 * MIN_CALLS);
    expect((await bed.query(NAME)).body).toEqual(refused);
    expect((await bed.query(NAME, { token: 'token-of-bob' })).body).toEqual(named);
    bed.simulator.intercept(() => ({ status: 503 }));
    await failing(bed, 'token-of-bob', 2);
    bed.simulator.clear();
    expect((await bed.query(NAME, { token: 'token-of-carl' })).body).toEqual(refused);
    expect(bed.calls()).toEqual([]);
    expect(warnings(bed)).toEqual([isDown]);
  });
});

describe('3.31 A service that is not down', () => {
  it.each<[string, Fault, string]>([
    ['400', { status: 400, body: '' }, 'UPSTREAM_REJECTED'],
    ['401', { status: 401 }, 'UNAUTHENTICATED'],
    ['403', { status: 403 }, 'FORBIDDEN'],
    ['404', { status: 404 }, 'NOT_FOUND'],
    ['408', { status: 408 }, 'UPSTREAM_INVALID_RESPONSE'],
    ['429', { status: 429 }, 'RATE_LIMITED'],
    ['500', { status: 500 }, 'UPSTREAM_ERROR'],
    ['a redirect', { status: 302 }, 'UPSTREAM_INVALID_RESPONSE'],
    ['an answer that cannot be read', { body: '<html>' }, 'UPSTREAM_INVALID_RESPONSE'],
    ['an answer in an unknown encoding', { headers: { 'content-encoding': 'x' } }, 'UPSTREAM_INVALID_RESPONSE'],
    ['an answer too large', { body: `{"name":"${'x'.repeat(3000)}"}` }, 'UPSTREAM_RESPONSE_TOO_LARGE'],
  ])('is asked after any number of calls with %s', async (_case, fault, code) => {
    const bed = await start({ env: { ...env, UPSTREAM_MAX_BYTES: '2000' } });
    bed.simulator.intercept(() => fault);
    expect(new Set((await ask(bed, 2 * MIN_CALLS)).map(codeOf))).toEqual(new Set([code]));
    expect(bed.calls()).toHaveLength(2 * MIN_CALLS);
    expect(warnings(bed)).toEqual([]);
  });

  it('is asked after any number of callers have left', async () => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ hang: true }));
    const leaving = new AbortController();
    const responses = Array.from({ length: 2 * MIN_CALLS }, () =>
      bed.query(NAME, { signal: leaving.signal }).catch(() => 'left'),
    );
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(2 * MIN_CALLS));
    leaving.abort();
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['left']));
    await Promise.all(bed.simulator.requests.map(({ outcome }) => outcome));
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });

  it('is asked after any number of operations that took too long as a whole', async () => {
    const bed = await start({ env: { ...env, OPERATION_TIMEOUT_MS: '300' } });
    bed.simulator.intercept(() => ({ hang: true }));
    const responses = await Promise.all(Array.from({ length: 2 * MIN_CALLS }, () => bed.query(NAME)));
    expect(new Set(responses.map(codeOf))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });
});

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
