import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { ofDataset, outline, postResults, start, type TestBed, TOKEN } from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { ask, breakDown, codeOf, env, isDown, MIN_CALLS, NAME, named, refused, warnings } from '../support/outage.ts';

/*
 * Clause 3.31 of docs/contract.md in detail.
 * A service that is down gets no calls for `UPSTREAM_OUTAGE_MS`: the circuit is open. Then one trial call is made, and
 * other calls are rejected until it has ended. The circuit opens when more than half of the calls of the last ten
 * seconds, 20 at least, have failed: no connection, a broken one, no headers within `UPSTREAM_TIMEOUT_MS`, or 502, 503
 * or 504. Other statuses and unreadable responses are not failures in this sense. Calls that this side has ended (the
 * client disconnected, the operation's deadline, no memory) do not count, nor does a connection that the service had
 * just closed. A rejected call is `UPSTREAM_UNAVAILABLE` and has no line in the log; one warning says that the service
 * is down, another that it is back. Metadata and results have a circuit each.
 *
 * A failure of one client alone does not affect the others. The circuit stays closed if fewer than half of the calls
 * fail without the failures of the one GraphQL operation, or of the one token, that fails most. If all calls were of
 * one operation, or of one token, the circuit opens for that one only, and closes when that one asks for no call for
 * ten seconds. Tokens are compared by a salted digest, which is forgotten with the next call, or the next scrape of the
 * metrics, after ten seconds.
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
    const bed = await start({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' } });
    await ask(bed, counts.succeed);
    bed.simulator.intercept(() => ({ status: 503 }));
    await ask(bed, counts.fail);
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
    await bed.query(`{ datasetsByIds(ids: ${JSON.stringify(ids)}) { name } }`);
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

describe('3.31 A circuit that is open for one operation', () => {
  it.each([
    { seconds: 9, isOpen: 1, lines: 1 },
    { seconds: 10, isOpen: 0, lines: 2 },
  ])('closes when that one asks for no call for ten seconds: after $seconds s', async ({ seconds, isOpen, lines }) => {
    const bed = await startMeasured({ env: { ...env, UPSTREAM_OUTAGE_MS: '60000' } });
    const clock = stopClock();
    bed.simulator.intercept(({ datasetId }) => (datasetId?.startsWith('bad') ? { status: 503 } : undefined));
    const ids = Array.from({ length: 50 }, (_, index) => `bad${index}`);
    await bed.query(`{ datasetsByIds(ids: ${JSON.stringify(ids)}) { name } }`);
    clock.advance(seconds * 1000);
    const open = 'http_client_circuit_open{operation="getDatasetMetadata",scope="one_client"}';
    expect(await readSample(bed, open)).toBe(isOpen);
    // It was open, and is closed again.
    expect(warnings(bed)).toHaveLength(lines);
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
