import { describe, expect, it, vi } from 'vitest';
import { stopClock, stopTimers } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { dataset, gate, getSummary, NAME, ofDataset, outline, postResults, start } from '../support/harness.ts';
import { ended, env, MEGABYTE, outlineOf, queryOf, resultsOf, sendResults } from '../support/memory-budget.ts';
import { readSample, startMeasured } from '../support/metrics.ts';

const memory = { CACHE: 'memory' };
const ROWS = ofDataset('results { series { nodes { asset { assetId } rows { valueDate } } } }');
const BOTH = ofDataset('name results { processingId }');
const { name } = dataset.metadata;
const named = { data: { dataset: { name } } };

const account = (token: string) => ({ email: token, password: 'secret', token });
/** A JSON Web Token that expires at a time in seconds. Nobody verifies it. */
function tokenUntil(exp: unknown): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: 'anna', exp })}.c2lnbmF0dXJl`;
}

describe('3.40 Repeated reads', () => {
  it('make no REST call', async () => {
    const { query, calls } = await start({ env: memory });
    const plain = await start();
    for (const document of [NAME, ROWS, BOTH]) {
      const { text } = await plain.query(document);
      for (let times = 0; times < 3; times += 1) expect((await query(document)).text).toBe(text);
    }
    expect(calls()).toEqual([getSummary(), postResults({})]);
  });

  it('make a call for each dataset and for each filter', async () => {
    const { query, calls } = await start({ env: memory });
    const ofAssets = (ids: string) => ofDataset(`results(filter: { assetIds: [${ids}] }) { processingId }`);
    for (const document of [ofAssets('"a"'), ofAssets('"b"'), ofAssets('"a"'), ROWS, ROWS]) await query(document);
    for (let times = 0; times < 2; times += 1) await query(NAME, { variables: { id: 'other' } });
    expect(calls()).toEqual([
      postResults({ mo_ids: ['a'] }),
      postResults({ mo_ids: ['b'] }),
      postResults({}),
      // It is not found, which is not kept.
      getSummary('other'),
      getSummary('other'),
    ]);
  });

  it('are served for the seconds that are set, and then no longer', async () => {
    const { query, calls } = await start({
      env: { ...memory, CACHE_METADATA_SECONDS: '10', CACHE_RESULTS_SECONDS: '5' },
    });
    const clock = stopClock();
    await query(BOTH);
    clock.advance(4999);
    await query(BOTH);
    expect(calls()).toHaveLength(2);
    clock.advance(1);
    await query(BOTH);
    expect(calls().slice(2)).toEqual([postResults({})]);
    clock.advance(4999);
    await query(NAME);
    expect(calls()).toHaveLength(3);
    clock.advance(1);
    await query(NAME);
    expect(calls().slice(3)).toEqual([getSummary()]);
  });

  it('of one kind are not kept with 0 seconds', async () => {
    const { query, calls } = await start({ env: { ...memory, CACHE_RESULTS_SECONDS: '0' } });
    for (let times = 0; times < 2; times += 1) await query(BOTH);
    expect(calls().toSorted()).toEqual([getSummary(), postResults({}), postResults({})]);
  });

  it.each([
    ['a token that expires earlier', () => tokenUntil(Date.now() / 1000 + 5), 2],
    ['a token that has expired', () => tokenUntil(Date.now() / 1000 - 1), 3],
    ['a token without such a claim', () => tokenUntil(undefined), 1],
    ['a token whose claim is no number', () => tokenUntil('soon'), 1],
    ['a token with a part that is no JSON', () => 'a.b.c', 1],
  ])('are not served beyond the life of %s', async (_title, make, expected) => {
    const token = make();
    const { query, calls } = await start({ env: { ...memory, CACHE_STALE_SECONDS: '60' }, accounts: [account(token)] });
    const clock = stopClock();
    for (const wait of [0, 1000, 5000]) {
      clock.advance(wait);
      expect((await query(NAME, { token })).body).toEqual(named);
    }
    expect(calls()).toHaveLength(expected);
  });

  it.each([{ status: 404 }, { status: 429 }, { status: 500 }, { status: 503 }, { body: '{' }, { body: '[]' }])(
    'make a call again after $status$body',
    async (fault) => {
      const { query, calls, simulator } = await start({ env: { ...memory, UPSTREAM_RETRY: 'off' } });
      simulator.intercept(() => fault);
      for (let times = 0; times < 2; times += 1) expect((await query(NAME)).body.errors).toHaveLength(1);
      for (let times = 0; times < 2; times += 1) expect((await query(ROWS)).body.errors).toHaveLength(1);
      expect(calls()).toEqual([getSummary(), getSummary(), postResults({}), postResults({})]);
      simulator.intercept(() => undefined);
      expect((await query(NAME)).body).toEqual(named);
    },
  );

  it('tell routers how much of the time is left', async () => {
    const env = { ...memory, ROUTER_CACHE_METADATA_SECONDS: '30' };
    const { query } = await start({ env });
    const clock = stopClock();
    const ages = [];
    for (const wait of [0, 9500, 20_500]) {
      clock.advance(wait);
      ages.push((await query(NAME)).headers['cache-control']);
    }
    expect(ages).toEqual(['private, max-age=30', 'private, max-age=20', 'no-store']);
  });
});

describe('3.40 Reads at the same time', () => {
  it('share one call of a token, over operations', async () => {
    const accounts = ['token-of-anna', 'token-of-bert'].map(account);
    const { query, calls, simulator } = await start({ env: memory, accounts });
    const { opened, open } = gate();
    simulator.intercept(async () => void (await opened));
    const tokens = ['token-of-anna', 'token-of-bert', 'token-of-anna', 'token-of-anna'];
    const answers = tokens.map((token) => query(NAME, { token }));
    await eventually(() => expect(calls()).toHaveLength(2));
    open();
    for (const { body } of await Promise.all(answers)) expect(body).toEqual(named);
    expect(calls()).toEqual([getSummary(), getSummary()]);
  });

  it('end the call when the last of their clients leaves, and not before', async () => {
    const bed = await start({ env: { ...memory, OPERATION_TIMEOUT_MS: '300000', UPSTREAM_TIMEOUT_MS: '300000' } });
    const { opened, open } = gate();
    bed.simulator.intercept(async () => void (await opened));
    const first = new AbortController();
    const leaving = bed.query(NAME, { signal: first.signal });
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const staying = bed.query(NAME);
    await bed.query('{ __typename }');
    first.abort();
    await expect(leaving).rejects.toThrow('aborted');
    open();
    expect((await staying).body).toEqual(named);
    expect(await bed.simulator.requests[0]?.outcome).toBe('answered');

    bed.simulator.clear();
    bed.simulator.intercept(() => ({ hang: true }));
    const last = new AbortController();
    const both = [1, 2].map(() => bed.query(ROWS, { signal: last.signal }));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    last.abort();
    for (const answer of both) await expect(answer).rejects.toThrow('aborted');
    expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
  });
});

describe('3.40 Calls through the cache', () => {
  it('wait until the deadline for what an operation holds that waits for one of them', async () => {
    const times = { OPERATION_TIMEOUT_MS: '60000', UPSTREAM_TIMEOUT_MS: '300000' };
    const bed = await startMeasured({ env: env(8 * MEGABYTE, { ...memory, ...times }) });
    const held = gate();
    stopTimers();
    sendResults(bed, async (id) => {
      if (id === 'shared') await held.opened;
      return { body: resultsOf(5 * MEGABYTE) };
    });
    const first = bed.query(queryOf('shared'));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const second = bed.query(queryOf('own', 'shared'));
    await eventually(() => expect(ended(bed)).toBe(1));
    held.open();
    await eventually(async () => expect(await readSample(bed, 'rest_memory_waiting_responses')).toBe(1));
    vi.advanceTimersByTime(60_000);
    expect(outline(await first)).toEqual(outlineOf(['shared'], { shared: 'UPSTREAM_TIMEOUT' }));
    const answer = await second;
    expect(outline(answer)).toEqual(outlineOf(['own', 'shared'], { shared: 'UPSTREAM_TIMEOUT' }));
    expect(answer.body.errors[0].extensions.rest.retryable).toBe(true);
    // All of it is free again.
    expect(outline(await bed.query(queryOf('third')))).toEqual(outlineOf(['third']));
  });

  it('end at the deadline of the last operation that waits', async () => {
    const bed = await start({ env: { ...memory, OPERATION_TIMEOUT_MS: '10000', UPSTREAM_TIMEOUT_MS: '60000' } });
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    stopTimers();
    const first = bed.query(NAME);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    vi.advanceTimersByTime(5000);
    const second = bed.query(NAME);
    await bed.query('{ __typename }');
    vi.advanceTimersByTime(5500);
    expect(outline(await first).errors).toEqual(['dataset.name UPSTREAM_TIMEOUT']);
    held.open();
    expect((await second).body).toEqual(named);
    expect(bed.calls()).toEqual([getSummary()]);
  });
});
