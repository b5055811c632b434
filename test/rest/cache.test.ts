import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, dataset, gate, getSummary, ofDataset, postResults, start, TOKEN } from '../support/harness.ts';

const memory = { CACHE: 'memory' };
const NAME = ofDataset('name');
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

  it('make all of them with CACHE=off, the default', async () => {
    const { query, calls } = await start();
    for (let times = 0; times < 2; times += 1) await query(NAME);
    expect(calls()).toEqual([getSummary(), getSummary()]);
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

  it('make one for each token, and never get what another token read', async () => {
    const accounts = ['token-of-anna', 'token-of-bert'].map(account);
    const { query, calls, simulator } = await start({ env: memory, accounts });
    simulator.intercept(({ headers }) => ({ body: JSON.stringify({ name: headers.authorization?.[0] }) }));
    for (let times = 0; times < 3; times += 1) {
      for (const { token } of accounts) {
        expect((await query(NAME, { token })).body).toEqual({ data: { dataset: { name: `Bearer ${token}` } } });
      }
    }
    expect(calls()).toEqual([getSummary(), getSummary()]);
    expect((await query(NAME, { token: null })).body.errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED' } },
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

  it('make a call again after a 401 to another read of the same token, and of no other', async () => {
    const accounts = ['token-of-anna', 'token-of-bert'].map(account);
    const { query, calls, simulator } = await start({ env: memory, accounts });
    for (const { token } of accounts) await query(BOTH, { token });
    simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { status: 401 } : undefined));
    await query(NAME, { variables: { id: 'other' } });
    simulator.clear();
    await query(BOTH);
    expect(calls()).toHaveLength(2);
    await query(BOTH, { token: 'token-of-bert' });
    expect(calls()).toHaveLength(2);
  });

  it('make a call again after a 403 to another read of the same dataset and token, and of no other', async () => {
    const accounts = ['token-of-anna', 'token-of-bert'].map(account);
    const { query, calls, simulator } = await start({ env: memory, accounts });
    simulator.intercept(() => ({ status: 200, body: '{"name":"n","processing_id":"p"}' }));
    const readers = accounts.flatMap(({ token }) => ['one', 'other'].map((id) => ({ token, variables: { id } })));
    for (const reader of readers) await query(BOTH, reader);
    simulator.intercept(() => ({ status: 403 }));
    const filtered = ofDataset('results(filter: {assetIds: ["a"]}) { processingId }');
    expect((await query(filtered, { variables: { id: 'one' } })).body.errors).toHaveLength(1);
    const called: number[] = [];
    for (const reader of readers) {
      simulator.clear();
      simulator.intercept(() => ({ status: 200, body: '{"name":"n","processing_id":"p"}' }));
      await query(BOTH, reader);
      called.push(calls().length);
    }
    expect(called).toEqual([2, 0, 0, 0]);
  });

  it('make a call again after a download that was refused', async () => {
    const { query, http, calls, simulator } = await start({ env: memory });
    await query(NAME);
    simulator.intercept(({ operation }) => (operation === 'downloadStaticDataset' ? { status: 403 } : undefined));
    await http(`/download/dataset/${DATASET_ID}`, { headers: { authorization: `Bearer ${TOKEN}` } });
    simulator.clear();
    await query(NAME);
    expect(calls()).toEqual([getSummary()]);
  });

  it('do not get what a call brings that began before the token was refused', async () => {
    const { query, calls, simulator } = await start({ env: memory });
    const { opened, open } = gate();
    simulator.intercept(async ({ datasetId }) => {
      if (datasetId === 'other') return { status: 401 };
      await opened;
      return undefined;
    });
    const early = query(NAME);
    await eventually(() => expect(calls()).toHaveLength(1));
    await query(NAME, { variables: { id: 'other' } });
    open();
    expect((await early).body).toEqual(named);
    await query(NAME);
    expect(calls()).toEqual([getSummary(), getSummary('other'), getSummary()]);
  });

  it('join no call that began before their token was refused, and any other', async () => {
    const accounts = ['token-of-anna', 'token-of-bert'].map(account);
    const { query, calls, simulator } = await start({ env: memory, accounts });
    const gates = [gate(), gate(), gate()] as const;
    let held = 0;
    simulator.intercept(async ({ datasetId }) => {
      if (datasetId === 'other') return { status: 401 };
      const own = gates[held];
      held += 1;
      await own?.opened;
      return undefined;
    });
    const ask = async (token: string, expected: number) => {
      const answer = query(NAME, { token });
      await query('{ __typename }');
      await eventually(() => expect(calls()).toHaveLength(expected));
      return { answer };
    };
    const early = await ask('token-of-anna', 1);
    const ofBert = await ask('token-of-bert', 2);
    await query(NAME, { token: 'token-of-anna', variables: { id: 'other' } });
    const later = await ask('token-of-anna', 4);
    gates[0].open();
    expect((await early.answer).body).toEqual(named);
    const joined = [await ask('token-of-anna', 4), await ask('token-of-bert', 4)];
    for (const { open } of gates) open();
    for (const { answer } of [ofBert, later, ...joined]) expect((await answer).body).toEqual(named);
    for (const token of ['token-of-anna', 'token-of-bert']) await query(NAME, { token });
    expect(calls()).toHaveLength(4);
  });

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

  it('share its failure, which is not kept', async () => {
    const { query, calls, simulator } = await start({ env: { ...memory, UPSTREAM_RETRY: 'off' } });
    const { opened, open } = gate();
    simulator.intercept(async () => {
      await opened;
      return { status: 500 };
    });
    const answers = [query(NAME), query(NAME)];
    await eventually(() => expect(calls()).toHaveLength(1));
    // Both of them wait, once the second has arrived.
    await query('{ __typename }');
    open();
    for (const { body } of await Promise.all(answers))
      expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    simulator.clear();
    simulator.intercept(() => undefined);
    expect((await query(NAME)).body).toEqual(named);
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

  it('each end at their own deadline', async () => {
    const bed = await start({ env: { ...memory, OPERATION_TIMEOUT_MS: '400' } });
    bed.simulator.intercept(() => ({ hang: true }));
    for (const { body } of await Promise.all([bed.query(NAME), bed.query(NAME)]))
      expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    bed.simulator.intercept(() => undefined);
    expect((await bed.query(NAME)).body).toEqual(named);
  });
});
