import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { getSummary, NAME, named, ofDataset, respondWith, start } from '../support/harness.ts';
import { samples, startMeasured } from '../support/metrics.ts';

const memory = { CACHE: 'memory' };
const ROWS = ofDataset('results { series { nodes { asset { assetId } } } }');

/*
 * Clause 3.40 of docs/contract.md in detail.
 * `CACHE=memory` keeps the bytes of metadata and results responses with status 200, for `CACHE_METADATA_SECONDS` and
 * `CACHE_RESULTS_SECONDS`. A repeated read makes no REST call. Files are not kept.
 * - A response belongs to the token that read it. The key is an HMAC-SHA-256 of the token, the operation, the dataset
 *   id and the body of the call, with a secret of the process. A client never gets what another token read.
 * - Reads of one token that come at the same time share one call, over operations. The call counts for the operation
 *   that made it, also for 31 to 33, and ends when the last operation that waits for it ends; each has its own
 *   deadline. Its failure fails all of them; but if it failed by a limit of the operation that made it
 *   (`UPSTREAM_MAX_CALLS`, `MEMORY_BUDGET`), another one makes it.
 * - A 401 of any REST call drops everything of its token, and a 403 everything of its token and its dataset; so too
 *   what calls bring that are running. A response is kept no longer than the `exp` of its token, if that is a JSON Web
 *   Token. No other failure is kept, nor a body that is invalid.
 * - With `CACHE_STALE_SECONDS`, a response that is that much older is used if the service fails: with a 5xx, a timeout,
 *   or without a connection. `extensions.stale.ageSeconds` of the GraphQL response has the age of the oldest such
 *   response. Its `Cache-Control` is `no-store`.
 * - The time that a response was kept counts for the `max-age` of clause 39.
 * - What is kept, with decoded metadata, has at most `CACHE_MAX_BYTES`. What was not used for the longest time goes
 *   first. An operation that reads a kept response holds it for `MEMORY_BUDGET` too, and the memory is not reused
 *   before its last reader is done.
 * - A large response is read while it arrives by the operation that made the call. Others that wait for it begin
 *   when it is complete.
 */
describe('3.40 Stale responses', () => {
  const env = { ...memory, CACHE_METADATA_SECONDS: '10', CACHE_STALE_SECONDS: '20', UPSTREAM_RETRY: 'off' };
  const stale = (ageSeconds: number) => ({ ...named, extensions: { stale: { ageSeconds } } });

  it.each([
    ['a 500', { status: 500 }, {}],
    ['a 503', { status: 503 }, {}],
    ['a broken connection', { cutAfterBytes: 5 }, {}],
    ['a response that does not come', { hang: true }, { UPSTREAM_TIMEOUT_MS: '1500' }],
    ['an operation that takes too long', { hang: true }, { OPERATION_TIMEOUT_MS: '1500' }],
  ])('are served instead of %s, and say so', async (_title, fault, more) => {
    const { query, simulator } = await start({ env: { ...env, ...more, ROUTER_CACHE_METADATA_SECONDS: '60' } });
    const clock = stopClock();
    await query(NAME);
    simulator.intercept(() => fault);
    clock.advance(12_400);
    for (let times = 0; times < 2; times += 1) {
      const { body, headers } = await query(NAME);
      expect(body).toEqual(stale(13));
      expect(headers['cache-control']).toBe('no-store');
    }
  });

  it.each([401, 403, 404, 429])('are not served instead of a %i', async (status) => {
    const { query, simulator } = await start({ env });
    const clock = stopClock();
    await query(NAME);
    simulator.intercept(() => ({ status }));
    clock.advance(12_000);
    expect((await query(NAME)).body).toMatchObject({ errors: [{ extensions: { rest: { status } } }] });
  });

  it('are not served beyond the seconds that are set, nor by default', async () => {
    const bed = await start({ env });
    const without = await start({ env: { ...env, CACHE_STALE_SECONDS: '0' } });
    const clock = stopClock();
    for (const { query, simulator } of [bed, without]) {
      await query(NAME);
      simulator.intercept(() => ({ status: 500 }));
    }
    clock.advance(10_000);
    expect((await without.query(NAME)).body.errors).toHaveLength(1);
    clock.advance(19_999);
    expect((await bed.query(NAME)).body).toEqual(stale(30));
    clock.advance(1);
    expect((await bed.query(NAME)).body.errors).toHaveLength(1);
  });
});

describe('3.40 CACHE_MAX_BYTES', () => {
  const MEGABYTE = 2 ** 20;
  const large = (letter: string) => JSON.stringify({ name: letter.repeat(0.4 * MEGABYTE) });

  it('is never exceeded: what was not used for the longest time goes first', async () => {
    const bed = await startMeasured({ env: { ...memory, CACHE_MAX_BYTES: String(MEGABYTE) } });
    bed.simulator.intercept(({ datasetId = '' }) => ({ status: 200, body: large(datasetId) }));
    for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) {
      expect((await bed.query(NAME, { variables: { id } })).body.data.dataset.name[0]).toBe(id);
    }
    expect(bed.calls()).toEqual(['a', 'b', 'c', 'b'].map((id) => getSummary(id)));
    const read = await samples(bed);
    expect(read.get('rest_cache_limit_bytes')).toBe(MEGABYTE);
    expect(read.get('rest_cache_held_bytes')).toBeLessThanOrEqual(MEGABYTE);
    expect(read.get('rest_cache_held_bytes')).toBeGreaterThan(0.8 * MEGABYTE);
    expect(read.get('rest_cache_entries')).toBe(2);
    expect(read.get('rest_cache_evictions_total')).toBe(2);
  });

  it('keeps nothing that is larger', async () => {
    const bed = await start({ env: { ...memory, CACHE_MAX_BYTES: String(MEGABYTE) } });
    respondWith(bed.simulator, { metadata: { name: 'x'.repeat(MEGABYTE) } });
    for (let times = 0; times < 2; times += 1) {
      expect((await bed.query(NAME)).body.data.dataset.name).toHaveLength(MEGABYTE);
    }
    expect(bed.calls()).toHaveLength(2);
  });
});

describe('3.40 Metrics of the cache', () => {
  it('count each read, by how it was answered', async () => {
    const bed = await startMeasured({ env: { ...memory, CACHE_STALE_SECONDS: '60', UPSTREAM_RETRY: 'off' } });
    const clock = stopClock();
    for (let times = 0; times < 3; times += 1) await bed.query(NAME);
    await bed.query(ROWS);
    bed.simulator.intercept(() => ({ status: 500 }));
    clock.advance(60_000);
    await bed.query(NAME);
    const read = await samples(bed);
    const of = (operation: string, outcome: string) =>
      read.get(`rest_cache_reads_total{operation="${operation}",outcome="${outcome}"}`);
    const outcomes = ['hit', 'joined', 'miss', 'stale'];
    expect(outcomes.map((outcome) => of('getDatasetMetadata', outcome))).toEqual([2, 0, 2, 1]);
    expect(outcomes.map((outcome) => of('getDatasetResults', outcome))).toEqual([0, 0, 1, 0]);
  });
});
