import { describe, expect, it } from 'vitest';
import { Dice } from '../support/fast-path-json.ts';
import { ofDataset } from '../support/harness.ts';
import { readSample } from '../support/metrics.ts';
import { startReplica, startTwo, stored } from './redis.ts';
import { NAME } from './timed.ts';

const ROWS = ofDataset('results { series { nodes { asset { assetId } rows { valueDate } } } }');

describe('3.41 CACHE_REDIS_MAX_BYTES', () => {
  /** About two megabytes that get much smaller by compressing. */
  const rows = Array.from({ length: 25_000 }, (_, row) => ({
    value_date: `row ${row}`,
    metrics: [{ name: 'm', value: row }],
  }));
  const large = JSON.stringify({ assets: [{ asset_id: 'a', results: rows }] });

  it('limits what is kept of one response, after it was compressed', async () => {
    const limited = Math.round(large.length / 4);
    const { redis, one, two, calls } = await startTwo({ CACHE_REDIS_MAX_BYTES: String(limited) });
    one.simulator.intercept(() => ({ body: large }));
    const { text } = await one.query(ROWS);
    await stored(redis, 1);
    expect((await two.query(ROWS)).text === text).toBe(true);
    expect(calls()).toHaveLength(1);
    const written = await readSample(one, 'rest_cache_redis_bytes_total{direction="written"}');
    expect(written).toBeLessThan(limited);
    expect(await readSample(two, 'rest_cache_redis_bytes_total{direction="read"}')).toBe(written);
  });

  it('is of what takes more memory, for which MEMORY_BUDGET counts before it is decompressed', async () => {
    const { redis, one } = await startTwo();
    const small = await startReplica({ env: { ...redis.env, MEMORY_BUDGET: String(2 ** 20) } }, one.simulator);
    one.simulator.intercept(() => ({ body: large }));
    await one.query(ROWS);
    await stored(redis, 1);
    expect((await small.query(ROWS)).body.errors).toMatchObject([
      { extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' } },
    ]);
    expect(await readSample(small, 'rest_cache_reads_total{operation="getDatasetResults",outcome="hit"}')).toBe(0);
    expect(one.calls()).toHaveLength(1);
  });

  it('leaves out what is larger', async () => {
    const { redis, one, calls } = await startTwo({ CACHE_REDIS_MAX_BYTES: '10000' });
    one.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: large } : undefined));
    for (let times = 0; times < 2; times += 1) await one.query(ROWS);
    await one.query(NAME);
    await stored(redis, 1);
    expect(calls()).toHaveLength(3);
    expect(await one.failures()).toEqual({});
  });

  it('keeps what compressing makes no smaller as it is', async () => {
    const { redis, one, two, calls } = await startTwo();
    // Characters of one byte and of two, at random.
    const dice = new Dice(1);
    const ascii = Array.from({ length: 0x5f }, (_, at) => 0x20 + at).filter((code) => code !== 0x22 && code !== 0x5c);
    const character = () => (dice.below(2) === 0 ? dice.of(ascii) : 0x80 + dice.below(0x780));
    const name = String.fromCodePoint(...Array.from({ length: 50_000 }, character));
    const body = JSON.stringify({ name });
    one.simulator.intercept(() => ({ body }));
    await one.query(NAME);
    await stored(redis, 1);
    const written = await readSample(one, 'rest_cache_redis_bytes_total{direction="written"}');
    expect(written).toBe(Buffer.byteLength(body) + 93);
    expect((await two.query(NAME)).body.data.dataset.name === name).toBe(true);
    expect(calls()).toHaveLength(1);
  });
});
