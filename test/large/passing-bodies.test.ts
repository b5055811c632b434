import { connect } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/faults.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, assetResult, ofDataset, start, times } from '../support/harness.ts';
import { sendRaw } from '../support/http.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { pieces } from '../support/pieces.ts';
import { post, read } from '../support/slow-client.ts';

/** A large response passes to the client while it arrives. */

const HOLD_BYTES = 2 ** 20;
const env = { LOG_OPERATIONS: 'on', RESULTS_HOLD_BYTES: String(HOLD_BYTES), MAX_OPERATION_WORK: '1000000000000' };

const nodes =
  'asset { id assetId name categories centroid { latitude } } version rows { valueDate metrics { name value } }';
const document = ofDataset(`results { processingId series { nodes { ${nodes} } totalCount } }`);

/** Assets of about 600 bytes each, whose ids begin with a prefix. */
function assets(count: number, prefix = 'x'): string {
  const one = JSON.stringify({ ...assetResult('x'), asset_name: 'Feld ä € \u{1f600}' });
  return Array.from({ length: count }, (_, at) => one.replace('"asset_id":"x"', `"asset_id":"${prefix}${at}"`)).join();
}

const bodyOf = (...parts: readonly string[]) => Buffer.from(`{"processing_id":"p","assets":[${parts.join()}]}`);
/** 7 MB. */
const large = bodyOf(assets(12_000));

const deliveries: Readonly<Record<string, (body: Buffer) => Fault>> = {
  'of announced length': (body) => ({
    headers: { 'content-length': String(body.length) },
    body: pieces(body, [65_536, 70_001]),
  }),
  'compressed, of unknown length': (body) => ({
    headers: { 'content-encoding': 'gzip' },
    body: pieces(gzipSync(body), [5000]),
  }),
};

/** Of a response that passes, omitted entries are known after the errors of rows. */
function inOrder({ data, errors = [] }: Answer['body']): Answer['body'] {
  return { data, errors: errors.map((error: object) => JSON.stringify(error)).toSorted() };
}

/*
 * Clause 3.33 of docs/contract.md in detail: results that pass.
 * Large results pass to the client while they arrive, so that memory does not grow with them, if an operation takes
 * their entries once, in their order: it selects results and series in one place, without arguments of `series`, as
 * `nodes` or `edges`, with `pageInfo` and `totalCount` behind them, and no asset by its id. So it is with `statistics` or
 * `byDate`, if they are the last field of results. One field alone may read them (test/graphql/readers.test.ts). Calls that are
 * merged, and all calls with `CACHE`, do not pass. Nor do they if `processingId` or `sourceId` is selected before `series`, and the
 * service sends it behind the assets; after one such body, such operations have their results held for five minutes.
 * - The first `RESULTS_HOLD_BYTES` are held back. A body that ends within them is checked as a whole before the
 *   response begins.
 * - The rest is read no faster than the client reads. If the client takes less than 1 MB in half a second, it is read
 *   ahead while a quarter of `MEMORY_BUDGET` is free and nobody waits for memory. The deadline of the operation does
 *   not hold for it, but the service has to send something in every `UPSTREAM_TIMEOUT_MS` that it may, and the client
 *   has to read (28).
 * - What is wrong in an asset is an error at its path, as ever. What makes the rest of the body invalid as a whole
 *   breaks the client's connection: it breaks off, is too long, no JSON or no UTF-8, has `assets` twice, or nothing
 *   comes. So does more work than `MAX_OPERATION_WORK`, unless the first entries and the length of the body show it.
 *   For an HTTP/1.0 client the connection is reset. A response that is broken never looks complete. The operation's
 *   line in the log and the metrics have the code, and the client may repeat its request.
 * - The attributes of an asset are those of its highest version (14). If an asset has a further entry after the first
 *   has passed, the connection breaks too, and for five minutes the results of that dataset are held as a whole. So
 *   they are if results that were held have several entries of an asset.
 */
describe.each(Object.entries(deliveries))('3.33 A large body %s', (_name, delivery) => {
  it('gives the same response as if it were held back, also where assets are odd', async () => {
    // One asset is larger than what is held back.
    const body = bodyOf(
      assets(3000),
      JSON.stringify({ ...assetResult('big'), results: Array(20_000).fill(assetResult('x').results[0]) }),
      '"omitted",null,{"asset_name":"no id"}',
      '{"asset_id":"odd","asset_name":7,"results":[{"value_date":5,"metrics":[{"name":"m","value":"1"}]}]}',
      assets(3000, 'y'),
    );
    const responses = [String(HOLD_BYTES), '500000000'].map(async (RESULTS_HOLD_BYTES) => {
      const { simulator, query } = await start({ env: { ...env, RESULTS_HOLD_BYTES } });
      simulator.intercept(() => ({ status: 200, ...delivery(body) }));
      return inOrder((await query(document, { headers: { 'x-request-id': 'the-same' } })).body);
    });
    const [actual, expected] = await Promise.all(responses);
    expect(actual.data.dataset.results.series.nodes).toBeDefined();
    // The comparison that explains is too slow for so much.
    if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
  });
});

describe('3.33 A large response that breaks', () => {
  it.each([
    ['ends too early', (body: Buffer) => body.subarray(0, -1)],
    ['goes on behind its end', (body: Buffer) => Buffer.concat([body, Buffer.from(' ]')])],
    ['is not UTF-8 near its end', (body: Buffer) => Buffer.concat([body.subarray(0, -700), Buffer.from([0xff]), body])],
    ['has a second list of assets', () => Buffer.from(`{"processing_id":"p","assets":[${assets(4000)}],"assets":[]}`)],
    [
      'has another id behind its assets',
      () => Buffer.from(`{"processing_id":"p","assets":[${assets(4000)}],"processing_id":"q"}`),
    ],
  ])('is broken off where it %s', async (_title, spoil) => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ body: pieces(spoil(large), [65_536]) }));
    await expect(bed.query(document)).rejects.toThrow();
    await eventually(() => expect(bed.log.join()).toContain('UPSTREAM_INVALID_RESPONSE'));
    expect((await bed.query('{ __typename }')).status).toBe(200);
  });

  it('resets a connection of HTTP/1.0', async () => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ body: large, cutAfterBytes: large.length / 2 }));
    await expect(sendRaw(bed, post(document).replace('HTTP/1.1', 'HTTP/1.0'))).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
  });

  it('breaks the connection of the requests behind it', async () => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ body: large, cutAfterBytes: large.length / 2 }));
    const received = await sendRaw(bed, post(document) + post('{ __typename }'));
    expect(received).not.toContain('{"data":{"__typename":"Query"}}');
  });
});

describe('3.33 A large response that passes', () => {
  it('is sent while most of its body has not come', async () => {
    const bed = await start({ env });
    const gate = Promise.withResolvers<void>();
    bed.simulator.intercept(() => ({ body: stopping(large, 2 ** 21, gate.promise) }));
    const { state } = await read(bed.subgraph.url, post(document), 100_000_000);
    await eventually(() => expect(state.bytes).toBeGreaterThan(2 ** 20));
    gate.resolve();
    await eventually(() => expect(state.tail).toContain('0\r\n\r\n'));
  });

  it('comes no faster than its client reads, once memory is not free', async () => {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '9000000' } });
    let sent = 0;
    const body = bodyOf(assets(90_000));
    bed.simulator.intercept(() => ({
      body: (async function* () {
        for await (const piece of pieces(body, [65_536])) {
          sent += piece.length;
          yield piece;
        }
      })(),
    }));
    const client = connectSlowly(bed.subgraph.url, document);
    await eventually(() => expect(client.bytes()).toBeGreaterThan(0));
    let before = -1;
    // Nothing moves any more.
    await eventually(
      () => {
        const isStill = sent === before;
        before = sent;
        expect(isStill).toBe(true);
      },
      { interval: 500 },
    );
    expect(sent).toBeLessThan(body.length / 2);
    client.destroy();
    await eventually(() => expect(bed.simulator.requests).toHaveLength(1));
    expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
  });

  it('is read ahead as far as a quarter of the memory stays free, and that memory is free when the client has it', async () => {
    const budget = 10 * 2 ** 20;
    const timeouts = { OPERATION_TIMEOUT_MS: '300000', UPSTREAM_TIMEOUT_MS: '300000' };
    const bed = await startMeasured({ env: { ...env, ...timeouts, MEMORY_BUDGET: String(budget) } });
    const gate = Promise.withResolvers<void>();
    // Of each asset the id is kept, and counts: so these are few, of 6 kB each.
    const body = bodyOf(assets(6000).replaceAll('Feld', 'ä'.repeat(2700)));
    bed.simulator.intercept(() => ({ body: stopping(body, 30 * 2 ** 20, gate.promise) }));
    const usedFor = (use: string) => readSample(bed, `rest_memory_use_bytes{use="${use}"}`);
    const held = () => readSample(bed, 'rest_memory_held_bytes');
    const client = connectSlowly(bed.subgraph.url, document);
    let before = -1;
    // Nothing moves any more. Each step takes half a second.
    await eventually(
      async () => {
        const now = await usedFor('read_ahead');
        const isStill = now === before;
        before = now;
        expect([now > 0, isStill]).toEqual([true, true]);
      },
      { interval: 1500 },
    );
    const most = await held();
    expect(most).toBe(before + (await usedFor('responses')));
    expect(most).toBeLessThanOrEqual(0.75 * budget);
    expect(most).toBeGreaterThan(0.35 * budget);
    client.readOn();
    // Most of the body has passed, and the rest has not come.
    await eventually(async () =>
      expect([client.bytes() > 2 ** 24, await usedFor('read_ahead'), (await held()) < most]).toEqual([true, 0, true]),
    );
    gate.resolve();
    await eventually(() => expect(client.tail()).toContain('0\r\n\r\n'));
    await eventually(async () => expect(await held()).toBe(0));
  });

  it('takes longer than an operation may, if its client is slow', async () => {
    const bed = await start({ env: { ...env, OPERATION_TIMEOUT_MS: '1000' } });
    bed.simulator.intercept(() => ({ body: large }));
    const client = await read(bed.subgraph.url, post(document), 3_000_000);
    await eventually(() => expect(client.state.tail).toContain('0\r\n\r\n'));
  });

  it('breaks when the service stalls', async () => {
    const bed = await start({ env: { ...env, UPSTREAM_TIMEOUT_MS: '500' } });
    bed.simulator.intercept(() => ({ body: stopping(large, 2 ** 21, new Promise(() => {})) }));
    await expect(bed.query(document)).rejects.toThrow();
    await eventually(() => expect(bed.log.join()).toContain('UPSTREAM_TIMEOUT'));
  });

  it('is held back for a while when entries of an asset are far from each other', async () => {
    const bed = await start({ env });
    const body = bodyOf(
      JSON.stringify({ ...assetResult('twice'), asset_name: 'old' }),
      assets(9000),
      JSON.stringify({ ...assetResult('twice'), asset_name: 'new', asset_version: 9 }),
    );
    bed.simulator.intercept(() => ({ body }));
    // No attribute of the highest version is selected.
    expect((await bed.query(ofDataset('results { series { nodes { asset { assetId } } } }'))).body.errors).toBe(
      undefined,
    );
    await expect(bed.query(document)).rejects.toThrow();
    const { nodes: all } = (await bed.query(document)).body.data.dataset.results.series;
    expect(all).toHaveLength(9002);
    expect([all[0].asset.name, all[9001].asset.name]).toEqual(['new', 'new']);
  });

  it('is held as a whole at once if the service sends the ids last, so that others wait for memory', async () => {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: '16000000' } });
    const long = Array.from({ length: 70 }, (_, at) =>
      JSON.stringify({ ...assetResult(`x${at}`), asset_name: 'x'.repeat(100_000) }),
    );
    const body = Buffer.from(`{"assets":[${long.join()}],"processing_id":"p"}`);
    const headers = { 'content-length': String(body.length) };
    bed.simulator.intercept(() => ({ headers, body }));
    const query = ofDataset('results { processingId series { nodes { version } } }');
    await bed.query(query);
    const responses = await Promise.all(Array.from({ length: 12 }, () => bed.query(query)));
    expect(responses.map(({ body: { errors } }) => errors)).toEqual(Array(12).fill(undefined));
  });

  it.each([
    ['with its length', { 'content-length': String(large.length) }],
    ['without its length', {}],
  ])('has what the work of an operation allows, and then ids: %s', async (_title, headers) => {
    const aliased = ofDataset(`results { series { nodes { ${times(4, (at) => `a${at}: asset { assetId name }`)} } } }`);
    const bed = await start({ env: { ...env, MAX_OPERATION_WORK: '1500000' } });
    bed.simulator.intercept(() => ({ headers, body: pieces(large, [65_536]) }));
    const { data, errors } = (await bed.query(aliased)).body;
    const { nodes } = data.dataset.results.series;
    expect([nodes.length, nodes[0].a3.name === null, nodes.at(-1).a3.name]).toEqual([12_000, false, null]);
    expect(new Set(errors.map(({ extensions }: { extensions: object }) => JSON.stringify(extensions)))).toEqual(
      new Set(['{"code":"REQUEST_LIMIT_EXCEEDED"}']),
    );
  });

  /** A subgraph with so much memory for all responses, and a service with a body of 7 MB. */
  async function startWithin(megabytes: number) {
    const bed = await start({ env: { ...env, MEMORY_BUDGET: String(Math.floor(megabytes * 2 ** 20)) } });
    bed.simulator.intercept(() => ({ status: 200, ...deliveries['of announced length']?.(large) }));
    return bed;
  }

  it('takes no more memory than for what is held back and for what is made of it', async () => {
    const { body } = await (await startWithin(3)).query(document);
    expect([body.data.dataset.results.series.nodes.length, body.errors]).toEqual([12_000, undefined]);
  });

  it('breaks off where there is never enough memory, and nothing else does', async () => {
    // The refusal comes while a chunk is sent, or between two of them.
    for (const hundredths of [186, 196, 206]) {
      const bed = await startWithin(hundredths / 100);
      await expect(bed.query(document)).rejects.toThrow();
      await eventually(() => expect(bed.log.join()).toContain('UPSTREAM_RESPONSE_TOO_LARGE'));
      expect((await bed.query('{ __typename }')).status).toBe(200);
    }
  });
});

/** The pieces of a body; it waits after so many bytes. */
async function* stopping(body: Buffer, bytes: number, wait: Promise<void>): AsyncGenerator<Uint8Array> {
  yield* pieces(body.subarray(0, bytes), [65_536]);
  await wait;
  yield* pieces(body.subarray(bytes), [65_536]);
}

/** A client that reads the first bytes of a response, and no more until `readOn`. */
function connectSlowly(url: string, query: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let bytes = 0;
  let tail = '';
  let readsOn = false;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    tail = (tail + chunk.toString('latin1')).slice(-20);
    if (!readsOn) socket.pause();
  });
  socket.on('error', () => {});
  socket.write(post(query));
  const readOn = () => {
    readsOn = true;
    socket.resume();
  };
  return { bytes: () => bytes, tail: () => tail, readOn, destroy: () => socket.destroy() };
}
