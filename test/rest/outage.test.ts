import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { gate, ofDataset, outline, postResults, start, type TestBed, TOKEN } from '../support/harness.ts';
import {
  accounts,
  ask,
  breakDown,
  codeOf,
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

  it('is asked as long as fewer calls than 20 have failed', async () => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, MIN_CALLS - 1);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });

  it.each([
    { seconds: 9, expected: refused },
    { seconds: 10, expected: named },
  ])('is not asked when 20 calls have failed within ten seconds: the first 19 are $seconds s old', async (row) => {
    const bed = await start({ env });
    const clock = stopClock();
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, MIN_CALLS - 1);
    clock.advance(row.seconds * 1000);
    await ask(bed, 1);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(row.expected);
  });

  it.each([
    { succeed: 20, fail: 20, isOpen: false },
    { succeed: 20, fail: 21, isOpen: true },
  ])('is not asked when more than half of the calls fail: $fail of them, and $succeed do not', async (counts) => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' }, accounts });
    await ask(bed, counts.succeed, tokens);
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, counts.fail, tokens);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(counts.isOpen ? refused : named);
  });

  it('is not asked either after any number of clients have left, whose calls do not count as good ones', async () => {
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' } });
    await leave(bed);
    await breakDown(bed);
    expect(warnings(bed)).toEqual([isDown]);
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

describe('3.31 A service that is down for some clients', () => {
  const long = { ...env, UPSTREAM_OUTAGE_MS: '60000' };
  const [bob = '', carl = '', ...others] = tokens;

  /** Fails the metadata of datasets whose id begins with `bad`, and of no other. */
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
    await ask(bed, 2, [bob, carl]);
    await failing(bed, TOKEN, 50);
    for (const { body } of await ask(bed, 3, [bob, carl, TOKEN])) expect(body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });

  it.each([
    { down: 3, isOpen: false },
    { down: 4, isOpen: true },
  ])(
    'is asked, if each token counts for a tenth, and the calls of $down of ten fail often',
    async ({ down, isOpen }) => {
      const bed = await startPartly();
      await ask(bed, 10 * (10 - down), tokens.slice(down));
      for (const token of tokens.slice(0, down)) await failing(bed, token, 50);
      expect((await bed.query(NAME)).body).toEqual(isOpen ? refused : named);
      expect(warnings(bed)).toEqual(isOpen ? [isDown] : []);
    },
  );

  it('is asked by a token alone, as long as one of its calls has succeeded within ten seconds', async () => {
    const bed = await startPartly();
    const clock = stopClock();
    await ask(bed, 1);
    await failing(bed, TOKEN, 50);
    clock.advance(9000);
    expect((await bed.query(NAME)).body).toEqual(named);
    clock.advance(10_000);
    await failing(bed, TOKEN, MIN_CALLS);
    expect((await bed.query(NAME)).body).toEqual(refused);
  });

  it('is not asked by a token alone whose calls all fail, until another one asks', async () => {
    const bed = await startPartly();
    await failing(bed, TOKEN, MIN_CALLS);
    expect((await bed.query(NAME)).body).toEqual(refused);
    for (const { body } of await ask(bed, 2, [bob, TOKEN])) expect(body).toEqual(named);
    await failing(bed, TOKEN, 50);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([isDown, isClosed]);
  });

  it('is not asked by a token alone, when the failures of another one are ten seconds old', async () => {
    const bed = await startPartly();
    const clock = stopClock();
    await failing(bed, bob, 1);
    clock.advance(10_000);
    await failing(bed, TOKEN, MIN_CALLS);
    for (const { body } of await ask(bed, 1)) expect(body).toEqual(refused);
    for (const { body } of await ask(bed, 1, [carl])) expect(body).toEqual(named);
  });

  it('is asked by another one also if there is no socket for it yet', async () => {
    const bed = await start({ env: { ...long, UPSTREAM_CONNECTIONS: '1' }, accounts });
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, MIN_CALLS);
    bed.simulator.clear();
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    const results = bed.query(ofDataset('results { processingId }'));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const [other] = [bed.query(NAME, { token: bob })];
    expect((await bed.query(NAME)).body).toEqual(refused);
    held.open();
    await results;
    expect((await other)?.body).toEqual(named);
  });

  it('is not asked by others either, when their calls fail too', async () => {
    const bed = await startPartly();
    await failing(bed, TOKEN, MIN_CALLS);
    await failing(bed, bob, 1);
    await failing(bed, TOKEN, MIN_CALLS - 1);
    bed.simulator.clear();
    for (const { body } of await ask(bed, 3, [bob, carl, TOKEN])) expect(body).toEqual(refused);
    expect(bed.calls()).toEqual([]);
    expect(warnings(bed)).toEqual([isDown, isClosed, isDown]);
  });

  it('is not asked by others either, when a call of theirs was under way, and fails', async () => {
    const bed = await start({ env: long, accounts });
    const held = gate();
    bed.simulator.intercept(({ datasetId }) => {
      const fault = { status: 503 };
      return datasetId === 'slow' ? held.opened.then(() => fault) : fault;
    });
    const [slow] = [bed.query(NAME, { variables: { id: 'slow' }, token: bob })];
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    await failing(bed, TOKEN, MIN_CALLS);
    held.open();
    await slow;
    bed.simulator.clear();
    for (const { body } of await ask(bed, 2, others)) expect(body).toEqual(refused);
    expect(bed.calls()).toEqual([]);
  });
});

describe('3.31 A GraphQL operation', () => {
  const NAMES = 'query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { name } }';
  const long = { ...env, UPSTREAM_OUTAGE_MS: '60000' };
  const bad = Array.from({ length: 50 }, (_, index) => `bad${index}`);

  async function askForMany(bed: TestBed, ids: readonly string[], times: number): Promise<void> {
    for (let call = 0; call < times; call += 1) {
      await bed.query(NAMES, { variables: { ids }, token: tokens[call % tokens.length] as string });
    }
  }

  it.each([
    { times: MIN_CALLS - 1, isOpen: false },
    { times: MIN_CALLS, isOpen: true },
  ])('counts once, however many calls of it fail: there are $times', async ({ times, isOpen }) => {
    const bed = await start({ env: long, accounts });
    bed.simulator.intercept(() => ({ status: 503 }));
    await askForMany(bed, bad, times);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(isOpen ? refused : named);
  });

  it('counts once, however many calls of it succeed', async () => {
    const bed = await start({ env: long, accounts });
    await askForMany(bed, [...bad, ...bad.map((id) => `${id}0`)], 1);
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, MIN_CALLS, tokens);
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(refused);
  });

  it('is a success and a failure, if it has both: they are not more than half', async () => {
    const bed = await start({ env: long, accounts });
    bed.simulator.intercept(({ datasetId }) => (datasetId?.startsWith('bad') ? { status: 503 } : undefined));
    await askForMany(bed, ['good', 'bad1', 'bad2'], 3 * MIN_CALLS);
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
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

  it('is asked after any number of clients have left', async () => {
    const bed = await start({ env });
    await leave(bed);
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
