import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { gate, getSummary, listen, ofDataset, postResults, TOKEN } from '../support/harness.ts';
import { readSample } from '../support/metrics.ts';
import { Redis, startReplica, startTwo, stored } from './redis.ts';
import { NAME, named } from './timed.ts';

const ROWS = ofDataset('results { series { nodes { asset { assetId } rows { valueDate } } } }');

/*
 * Clause 3.41 of docs/contract.md in detail.
 * `CACHE=redis://…` keeps the same in a Redis, for all replicas that have the same `CACHE_SECRET` and the same REST
 * service. Clause 3.40 holds, but for its last points about memory. Redis decides what to evict.
 * - Nobody reads in Redis what a client has read. A value is encrypted with AES-256-GCM, under a key of `CACHE_SECRET`
 *   and the token. The names of keys are HMACs. Redis shows how many tokens there are, how many datasets each has read,
 *   which values belong to one of them, their sizes and times.
 * - A value that was changed, moved to another key or made up is not used.
 * - What a 401 or 403 drops is dropped for all replicas: on this one before the client knows, on others as soon as
 *   Redis executes it, which no response waits for. If Redis does not reply, it is dropped when it replies again; until
 *   then others may use it.
 * - Bodies of 1 kB or more are compressed with Zstandard if that saves a tenth. What is larger than
 *   `CACHE_REDIS_MAX_BYTES` then is not kept.
 * - Redis delays no response by more than 50 ms, whether it is slow, full, restarted or gone. A read waits for 40 ms,
 *   and writing delays nobody; 64 MB, or one body, wait to be written at most. After three failures in a row, only one
 *   read in a second waits for Redis. Responses come as without a cache then: if the call fails too, no stale response
 *   is looked for. The subgraph starts without Redis, and is ready.
 * - Times are those of the replicas' clocks, which have to agree.
 */
describe('3.41 Replicas with one Redis', () => {
  it.each(['on', 'off'])('share what a token has read: RESULTS_FAST_PATH=%s', async (RESULTS_FAST_PATH) => {
    const { redis, one, two, calls } = await startTwo({ RESULTS_FAST_PATH });
    const first = [await one.query(NAME), await one.query(ROWS)];
    await stored(redis, 2);
    for (const replica of [two, one, two]) {
      expect((await replica.query(NAME)).text).toBe(first[0]?.text);
      expect((await replica.query(ROWS)).text).toBe(first[1]?.text);
    }
    expect(calls()).toEqual([getSummary(), postResults({})]);
    expect(await two.failures()).toEqual({});
    const outcomes = ['hit', 'joined', 'miss', 'stale'].map((outcome) =>
      readSample(two, `rest_cache_reads_total{operation="getDatasetMetadata",outcome="${outcome}"}`),
    );
    expect(await Promise.all(outcomes)).toEqual([2, 0, 0, 0]);
  });

  it('list what another replica has read as from the cache', async () => {
    const { redis, one, two } = await startTwo({ EXPLORER: 'sandbox' });
    await one.query(NAME);
    await stored(redis, 1);
    const { body } = await two.query(NAME, { headers: { 'rest-calls': 'include' } });
    expect(body.extensions.restCalls).toMatchObject({ count: 0, calls: [{ source: 'cache', status: 200, bytes: 0 }] });
  });

  it('do not share between tokens', async () => {
    const { redis, one, two, calls } = await startTwo({}, 'token-of-bert');
    one.simulator.intercept(({ headers }) => ({ body: JSON.stringify({ name: headers.authorization?.[0] }) }));
    for (const token of [TOKEN, 'token-of-bert']) await one.query(NAME, { token });
    await stored(redis, 2);
    for (const token of [TOKEN, 'token-of-bert'])
      expect((await two.query(NAME, { token })).body).toEqual({ data: { dataset: { name: `Bearer ${token}` } } });
    expect(calls()).toHaveLength(2);
    expect(await redis.keys('epochs')).toHaveLength(2);
  });

  it('share nothing with another secret, or for another service', async () => {
    const { redis, one, calls } = await startTwo();
    const other = await startReplica(
      { env: { ...redis.env, CACHE_SECRET: 'another-secret-of-other-replicas' } },
      one.simulator,
    );
    const elsewhere = await startReplica({ env: redis.env });
    for (const replica of [one, other, elsewhere]) await replica.query(NAME);
    await stored(redis, 3);
    expect(calls()).toHaveLength(2);
    expect(elsewhere.calls()).toHaveLength(1);
  });

  it('drop what a token has read of a dataset after a 403 at one of them, and nothing else', async () => {
    const { redis, one, two, calls } = await startTwo({}, 'token-of-bert');
    one.simulator.intercept(() => ({ status: 200, body: '{"name":"n"}' }));
    const readers = [TOKEN, 'token-of-bert'].flatMap((token) =>
      ['one', 'other'].map((id) => ({ token, variables: { id } })),
    );
    for (const reader of readers) await one.query(NAME, reader);
    await stored(redis, 4);
    one.simulator.intercept(() => ({ status: 403 }));
    await two.query(ROWS, { variables: { id: 'one' } });
    await eventually(async () => expect(await redis.keys('datasets')).toHaveLength(3));
    const called: number[] = [];
    for (const reader of readers) {
      one.simulator.clear();
      one.simulator.intercept(() => ({ status: 200, body: '{"name":"n"}' }));
      expect((await one.query(NAME, reader)).body).toEqual({ data: { dataset: { name: 'n' } } });
      called.push(calls().length);
    }
    expect(called).toEqual([1, 0, 0, 0]);
  });

  it('drop what a token has read after a 401 at one of them, and of no other token', async () => {
    const { redis, one, two, calls } = await startTwo({}, 'token-of-bert');
    for (const token of [TOKEN, 'token-of-bert']) await one.query(NAME, { token });
    await stored(redis, 2);
    one.simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { status: 401 } : undefined));
    await two.query(NAME, { variables: { id: 'other' } });
    await eventually(async () => expect(await redis.keys('epochs')).toHaveLength(1));
    one.simulator.clear();
    for (const token of [TOKEN, 'token-of-bert']) expect((await one.query(NAME, { token })).body).toEqual(named);
    expect(calls()).toEqual([getSummary()]);
  });

  it('do not use what a call brings that began before the token was refused at another one', async () => {
    const { redis, one, two, calls } = await startTwo();
    const written = () => readSample(one, 'rest_cache_redis_bytes_total{direction="written"}');
    await two.query(ROWS);
    await stored(redis, 1);
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    one.simulator.intercept(async ({ datasetId, operation }) => {
      if (datasetId === 'other') return { status: 401 };
      if (operation === 'getDatasetMetadata') await opened;
      return undefined;
    });
    const early = one.query(NAME);
    await eventually(() => expect(calls()).toContain(getSummary()));
    await two.query(NAME, { variables: { id: 'other' } });
    await eventually(async () => expect(await redis.keys('epochs')).toHaveLength(0));
    open();
    expect((await early).body).toEqual(named);
    await stored(redis, 2);
    const writtenEarly = await written();
    one.simulator.clear();
    expect((await one.query(NAME)).body).toEqual(named);
    expect(calls()).toEqual([getSummary()]);
    await eventually(async () => expect(await written()).toBeGreaterThan(writtenEarly));
    expect((await two.query(NAME)).body).toEqual(named);
    expect(calls()).toEqual([getSummary()]);
  });

  it('do not keep what a call brings that began before its epoch', async () => {
    const redis = await Redis.start();
    const { opened, open } = gate();
    const proxy = await listen((socket) => {
      const upstream = connect(Number(redis.port), '127.0.0.1').on('error', () => {});
      onTestFinished(() => void upstream.destroy());
      upstream.pipe(socket);
      // What begins an epoch is late.
      socket.on('data', async (chunk) => {
        if (chunk.includes('\r\nNX\r\n')) await opened;
        upstream.write(chunk);
      });
    });
    const { query, simulator, calls } = await startReplica({
      env: { ...redis.env, CACHE: proxy.replace('http', 'redis') },
    });
    expect((await query(NAME)).body).toEqual(named);
    open();
    await eventually(async () => expect(await redis.keys('epochs')).toHaveLength(1));
    await eventually(async () => {
      simulator.clear();
      await query(ROWS);
      expect(calls()).toEqual([]);
    });
    expect(await redis.keys('responses')).toHaveLength(1);
  });

  it('use a response for the seconds that are set, and then no longer', async () => {
    const { redis, one, two, calls } = await startTwo({ CACHE_METADATA_SECONDS: '10' });
    const clock = stopClock();
    await one.query(NAME);
    await stored(redis, 1);
    clock.advance(9999);
    await two.query(NAME);
    expect(calls()).toHaveLength(1);
    clock.advance(1);
    await two.query(NAME);
    expect(calls()).toHaveLength(2);
    // Redis forgets it by itself.
    for (const name of [...(await redis.keys('responses')), ...(await redis.keys('epochs'))])
      expect(await redis.send('PTTL', name)).toSatisfy((left: number) => left > 0 && left <= 30_000);
  });

  it('keep the first reads of a token, which come at the same time', async () => {
    const { redis, one, two, calls } = await startTwo();
    const both = ofDataset('name results { processingId }');
    await one.query(both);
    await stored(redis, 2);
    expect((await two.query(both)).body).not.toHaveProperty('errors');
    expect(calls()).toHaveLength(2);
  });

  it('leave nothing in Redis for ever', async () => {
    const { redis, one } = await startTwo();
    expect((await one.query(NAME, { variables: { id: 'other' } })).body.errors).toHaveLength(1);
    await eventually(async () => expect(await redis.keys('epochs')).toHaveLength(1));
    const [name = ''] = await redis.keys('epochs');
    expect(await redis.send('PTTL', name)).toBeGreaterThan(0);
  });

  it('keep the epoch of a token for as long as a response', async () => {
    const { redis, one } = await startTwo();
    await one.query(NAME);
    await stored(redis, 1);
    const [name = ''] = await redis.keys('epochs');
    await redis.send('PEXPIRE', name, '20000');
    await one.query(ROWS);
    await eventually(async () => expect(await redis.send('PTTL', name)).toBeGreaterThan(20_000));
  });

  it('keep nothing beyond the life of a token', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'none' })}.${part({ exp: Date.now() / 1000 + 20.0001 })}.c2lnbmF0dXJl`;
    const { redis, one, two, calls } = await startTwo({ CACHE_STALE_SECONDS: '60' }, token);
    const clock = stopClock();
    await one.query(NAME, { token });
    await stored(redis, 1);
    const [name = ''] = await redis.keys('responses');
    expect(await redis.send('PTTL', name)).toBeLessThanOrEqual(20_001);
    clock.advance(10_000);
    await two.query(NAME, { token });
    expect(calls()).toHaveLength(1);
    clock.advance(11_000);
    for (let times = 0; times < 2; times += 1) await two.query(NAME, { token });
    expect(calls()).toHaveLength(3);
    expect(await two.failures()).toEqual({});
  });

  it('tell routers how much of the time is left', async () => {
    const { redis, one, two } = await startTwo({ ROUTER_CACHE_METADATA_SECONDS: '30' });
    const clock = stopClock();
    await one.query(NAME);
    await stored(redis, 1);
    clock.advance(9500);
    expect((await two.query(NAME)).headers['cache-control']).toBe('private, max-age=20');
    // The clock of the one that wrote it was ahead.
    clock.advance(-10_500);
    expect((await two.query(NAME)).headers['cache-control']).toBe('private, max-age=30');
  });

  it('use a stale response if the service fails', async () => {
    const { redis, one, two } = await startTwo({
      CACHE_METADATA_SECONDS: '1',
      CACHE_STALE_SECONDS: '20',
      UPSTREAM_RETRY: 'off',
    });
    const clock = stopClock();
    await one.query(NAME);
    await stored(redis, 1);
    one.simulator.intercept(() => ({ status: 500 }));
    clock.advance(12_000);
    const stale = { ...named, extensions: { stale: { ageSeconds: 12 } } };
    expect((await Promise.all([two.query(NAME), two.query(NAME)])).map(({ body }) => body)).toEqual([stale, stale]);
    clock.advance(9000);
    expect((await two.query(NAME)).body.errors).toHaveLength(1);
  });

  it('keep no invalid body', async () => {
    const { redis, one, two, calls } = await startTwo();
    one.simulator.intercept(({ operation }) => ({ body: operation === 'getDatasetMetadata' ? '[]' : '{' }));
    for (const document of [NAME, ROWS, NAME, ROWS]) expect((await one.query(document)).body.errors).toHaveLength(1);
    one.simulator.clear();
    one.simulator.intercept(() => undefined);
    for (const document of [NAME, ROWS]) expect((await two.query(document)).body).not.toHaveProperty('errors');
    expect(calls()).toHaveLength(2);
    await stored(redis, 2);
  });
});
