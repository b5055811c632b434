import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import {
  gate,
  getSummary,
  NAME,
  named,
  ofDataset,
  outline,
  postResults,
  start,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';
import {
  accounts,
  ask,
  breakDown,
  codeOf,
  env,
  isClosed,
  isDown,
  MIN_CALLS,
  refused,
  tokens,
  warnings,
} from '../support/outage.ts';

/*
 * Clause 3.31 of docs/contract.md in detail.
 * A service that is down gets no calls for `UPSTREAM_OUTAGE_MS`: the circuit is open. Then one trial call is made, and
 * other calls are rejected until it has ended. The circuit opens when more than half of the results of the last ten
 * seconds, 20 at least, are failures: no connection, a broken one, no headers within `UPSTREAM_TIMEOUT_MS`, or 502, 503
 * or 504. Other statuses and unreadable responses are not failures in this sense. Calls that this side has ended (the
 * client disconnected, the operation's deadline, no memory) do not count, nor does a connection that the service had
 * just closed. A rejected call is `UPSTREAM_UNAVAILABLE` and has no line in the log; one warning says that the circuit
 * is open, another that it is closed. Metadata and results have a circuit each.
 *
 * All failed calls of a GraphQL operation are one failure, and all its successful calls one success. The failures of one
 * token count for at most a tenth of all other results, unless there is no success. If there is none, and all failures
 * are those of one token, the circuit closes as soon as another token needs a call. Tokens are compared by a salted
 * digest, which is forgotten with the next call after ten seconds.
 */
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

  it('is not asked by others either, when a call of theirs was under way, and fails', async () => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' }, accounts });
    const [first = '', ...others] = tokens;
    const held = gate();
    bed.simulator.intercept(({ datasetId }) => {
      const fault = { status: 503 };
      return datasetId === 'slow' ? held.opened.then(() => fault) : fault;
    });
    const [slow] = [bed.query(NAME, { variables: { id: 'slow' }, token: first })];
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    await ask(bed, MIN_CALLS);
    held.open();
    await slow;
    bed.simulator.clear();
    for (const { body } of await ask(bed, 2, others)) expect(body).toEqual(refused);
    expect(bed.calls()).toEqual([]);
  });

  it('is asked nevertheless with UPSTREAM_OUTAGE_MS=0', async () => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '0' } });
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, 2 * MIN_CALLS);
    expect(bed.calls()).toHaveLength(2 * MIN_CALLS);
    expect(warnings(bed)).toEqual([]);
  });
});

/** Has many clients leave while their calls are running. */
async function leave(bed: TestBed): Promise<void> {
  bed.simulator.intercept(() => ({ hang: true }));
  const leaving = new AbortController();
  const responses = Array.from({ length: 2 * MIN_CALLS }, () =>
    bed.query(NAME, { signal: leaving.signal }).catch(() => 'left'),
  );
  await eventually(() => expect(bed.calls()).toHaveLength(2 * MIN_CALLS));
  leaving.abort();
  expect(new Set(await Promise.all(responses))).toEqual(new Set(['left']));
  await Promise.all(bed.simulator.requests.map(({ outcome }) => outcome));
  bed.simulator.intercept(undefined);
}

/** Calls that are made one after the other, with each token in turn, or time that passes. */
interface Step {
  readonly ids?: readonly string[];
  readonly times?: number;
  readonly as?: readonly string[];
  readonly wait?: number;
}
/** Fails the metadata of datasets whose id begins with `bad`, and of no other. */
const fail = (times: number, as: readonly string[] = [TOKEN]): Step => ({ ids: ['bad'], times, as });
const succeed = (times: number, as: readonly string[] = [TOKEN]): Step => ({ ids: ['good'], times, as });
const pass = (wait: number): Step => ({ wait });

describe('3.31 The circuit is open, or is not, where', () => {
  const long = { ...env, UPSTREAM_OUTAGE_MS: '60000' };
  const [bob = '', carl = ''] = tokens;
  const bad = Array.from({ length: 50 }, (_, index) => `bad${index}`);
  const good = [...bad, ...bad].map((id, index) => `good${id}${index}`);
  const failing = (count: number) => tokens.slice(0, count).map((token) => fail(50, [token]));
  const three = ['good', 'bad1', 'bad2'];

  it.each<[title: string, steps: Step[], isOpen: boolean, more?: Record<string, string>]>([
    ['20 calls of ten seconds have failed', [fail(19), pass(9000), fail(1)], true],
    ['20 calls have failed, in more than ten seconds', [fail(19), pass(10_000), fail(1)], false],
    ['more than half of the calls fail', [succeed(20, tokens), fail(21, tokens)], true],
    ['half of the calls fail', [succeed(20, tokens), fail(20, tokens)], false],
    ['the calls of one token fail, and those of others do not', [succeed(2, [bob, carl]), fail(50)], false],
    ['the calls of 3 of ten tokens fail often', [succeed(70, tokens.slice(3)), ...failing(3)], false],
    ['the calls of 4 of ten tokens fail often', [succeed(60, tokens.slice(4)), ...failing(4)], true],
    ['the calls of the only token fail, all but one', [succeed(1), fail(50), pass(9000)], false],
    ['the calls of the only token fail, all of ten seconds', [succeed(1), fail(50), pass(19_000), fail(20)], true],
    ['all calls of the only token fail', [fail(20)], true],
    ['all calls of the only token fail, until another one asks', [fail(20), succeed(1, [bob]), fail(50)], false],
    ['the calls of another one fail too', [fail(20), fail(1, [bob]), fail(19)], true],
    ['another token failed ten seconds ago', [fail(1, [bob]), pass(10_000), fail(20), succeed(1, [carl])], false],
    ['19 operations fail, with many calls each', [{ ids: bad, times: 19, as: tokens }], false],
    ['20 operations fail, with many calls each', [{ ids: bad, times: 20, as: tokens }], true],
    ['19 operations fail, through the cache', [{ ids: bad, times: 19, as: tokens }], false, { CACHE: 'memory' }],
    ['20 operations fail, and one of many calls does not', [{ ids: good }, fail(20, tokens)], true],
    ['a call of each operation succeeds, and two fail', [{ ids: three, times: 60, as: tokens }], false],
  ])('%s', async (_title, steps, isOpen, more = {}) => {
    const bed = await start({ env: { ...long, ...more }, accounts });
    const clock = stopClock();
    bed.simulator.intercept(({ datasetId }) => ({
      ...(datasetId?.startsWith('bad') ? { status: 503 } : { status: 200, body: '{"name":"Soil moisture"}' }),
    }));
    const document = 'query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { name } }';
    for (const { ids = [], times = 1, as = [TOKEN], wait = 0 } of steps) {
      clock.advance(wait);
      if (wait > 0) continue;
      for (let call = 0; call < times; call += 1) {
        await bed.query(document, { variables: { ids }, token: as[call % as.length] as string });
      }
    }
    expect((await bed.query(NAME)).body).toEqual(isOpen ? refused : named);
    expect(warnings(bed).at(-1)).toBe(isOpen ? isDown : warnings(bed).length > 0 ? isClosed : undefined);
  });
});

describe('3.31 A service that is not down', () => {
  it.each<[string, Fault, string]>([
    ['401', { status: 401 }, 'UNAUTHENTICATED'],
    ['404', { status: 404 }, 'NOT_FOUND'],
    ['429', { status: 429 }, 'RATE_LIMITED'],
    ['500', { status: 500 }, 'UPSTREAM_ERROR'],
    ['a redirect', { status: 302 }, 'UPSTREAM_INVALID_RESPONSE'],
    ['an answer that cannot be read', { body: '<html>' }, 'UPSTREAM_INVALID_RESPONSE'],
    ['an answer too large', { body: `{"name":"${'x'.repeat(3000)}"}` }, 'UPSTREAM_RESPONSE_TOO_LARGE'],
  ])('is asked after any number of calls with %s', async (_case, fault, code) => {
    const bed = await start({ env: { ...env, UPSTREAM_MAX_BYTES: '2000' } });
    bed.simulator.intercept(() => fault);
    expect(new Set((await ask(bed, 2 * MIN_CALLS)).map(codeOf))).toEqual(new Set([code]));
    expect(bed.calls()).toHaveLength(2 * MIN_CALLS);
    expect(warnings(bed)).toEqual([]);
  });

  it('is asked after any number of clients have left', async () => {
    const bed = await start({ env });
    await leave(bed);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });

  it('is that no more after any number of clients have left, whose calls do not count as good ones', async () => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' } });
    await leave(bed);
    await breakDown(bed);
    expect(warnings(bed)).toEqual([isDown]);
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

describe('3.31 A service that is not there', () => {
  it('refuses at once when nothing listens', async () => {
    const bed = await start({ serviceUrl: 'http://127.0.0.1:9', env: { UPSTREAM_OUTAGE_MS: '60000' } });
    await ask(bed, MIN_CALLS);
    expect((await bed.query(NAME)).body).toEqual(refused);
  });
});
