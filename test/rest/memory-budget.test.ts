import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, gate, listen, NAME, named, outline, start, TOKEN } from '../support/harness.ts';
import {
  answered,
  ended,
  env,
  hold,
  MEGABYTE,
  outlineOf,
  queryOf,
  RESULTS,
  range,
  refusal,
  resultsOf,
  sendResults,
} from '../support/memory-budget.ts';
import { readSample, startMeasured } from '../support/metrics.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The ways in which the same body may be sent: with its length, without, and compressed. */
const framings: Record<string, (body: Buffer) => Fault> = {
  'with a length': (body) => ({ body }),
  'in chunks': (body) => ({ body: chunks(body) }),
  'compressed, with a length': (body) => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) }),
  'compressed, in chunks': (body) => ({ headers: { 'content-encoding': 'gzip' }, body: chunks(gzipSync(body)) }),
};

async function* chunks(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += 50_000) yield body.subarray(at, at + 50_000);
}

const noMemory = (budget: number) =>
  refusal(
    'UPSTREAM_UNAVAILABLE',
    `Other responses use the memory that this response needs (MEMORY_BUDGET is ${budget}).`,
    { retryable: true },
  );

const tooLarge = (budget: number) =>
  refusal(
    'UPSTREAM_RESPONSE_TOO_LARGE',
    `The response of the dataset service is too large (MEMORY_BUDGET is ${budget}): select less, or get the results as a file (such as \`rowsFile\`).`,
  );

/*
 * Clause 3.33 of docs/contract.md in detail: MEMORY_BUDGET.
 * `MEMORY_BUDGET` bounds the bytes of all bodies held at the same time, and of what is built from them. A body counts
 * from before it is read until the operation's response is written, or its client has disconnected and nothing reads it
 * any more. A body that does not fit waits, and is not read meanwhile. Operations that already hold memory are
 * served first, then those of the token that holds least, each in the order of their requests. Bodies of unknown length
 * (compressed, or without a length) share an eighth of the budget; beyond that they grow one after the other. Up to 64 kB are granted even if the budget is used
 * up, so that metadata does not wait. These may take an eighth more, and 16 MB at most. Bodies of errors take no memory
 * of the budget.
 *
 * A body that does not get memory within its operation's deadline is `UPSTREAM_UNAVAILABLE`, retryable, and the message
 * names the setting. If all operations that hold memory wait for more, the body that grows beyond that eighth goes on with what
 * is left; if that is not enough, the last request of the others fails in the same way at once; so do those that wait for each other in another way (for a call that the cache shares), at their deadline. A body
 * that exceeds the budget, alone or with the others of its operation, is `UPSTREAM_RESPONSE_TOO_LARGE` at once. Memory is
 * kept for the next responses as far as the budget allows. Memory that is not used again within 10 s returns to the
 * system, even if nothing else happens.
 */
describe('3.33 MEMORY_BUDGET: a response', () => {
  it.each(Object.entries(framings))('may be as large as all of it, and not a byte larger: %s', async (_how, send) => {
    const budget = 2 * MEGABYTE;
    const bed = await start({ env: env(budget) });
    // What is still compressed takes memory, too.
    const spare = send === framings['with a length'] || send === framings['in chunks'] ? 0 : 20_000;
    sendResults(bed, () => send(resultsOf(budget - spare)));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
    sendResults(bed, () => send(resultsOf(budget + 1)));
    expect((await bed.query(RESULTS)).body).toEqual(tooLarge(budget));
    sendResults(bed, () => send(resultsOf(1000)));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
  });

  it.each(['off', 'memory'])(
    'counts for its whole operation: those that fit are there, the others refused at once: CACHE=%s',
    async (CACHE) => {
      const bed = await start({ env: env(2 * MEGABYTE, { CACHE, OPERATION_TIMEOUT_MS: '300000' }) });
      sendResults(bed, () => ({ body: resultsOf(MEGABYTE / 2) }));
      const ids = range(4).map((index) => `d${index}`);
      expect(outline(await bed.query(queryOf(...ids)))).toEqual(outlineOf(ids));
      const { data, errors } = outline(await bed.query(queryOf(...ids, 'd4')));
      const lost = Object.entries(data as Record<string, { results: unknown }>).filter(([, { results }]) => !results);
      expect(lost).toHaveLength(1);
      expect(errors).toEqual([`${lost[0]?.[0]}.results UPSTREAM_RESPONSE_TOO_LARGE`]);
    },
  );
});

describe('3.33 MEMORY_BUDGET: many responses at once', () => {
  it.each(Object.entries(framings))('come one after the other, all of them: %s', async (_how, send) => {
    // No deadline ends them, however busy the machine is.
    const timeouts = { OPERATION_TIMEOUT_MS: '300000', UPSTREAM_TIMEOUT_MS: '300000' };
    const bed = await start({ env: env(8 * MEGABYTE, timeouts) });
    const body = resultsOf(5 * MEGABYTE);
    sendResults(bed, () => send(body));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    let isDone = false;
    const answers = Promise.all(range(30).map(() => bed.query(RESULTS))).finally(() => {
      isDone = true;
    });
    // Those that wait have what is read from their sockets at a time.
    const limit = 8 * MEGABYTE + 30 * 2 ** 17;
    while (!isDone && most < limit) {
      const held = () => process.memoryUsage().arrayBuffers - before;
      await turn();
      // What is garbage is released a moment after it is collected.
      for (let times = 0; held() > limit && times < 5; times += 1) {
        collectGarbage();
        await turn();
      }
      most = Math.max(most, held());
    }
    expect(most).toBeLessThan(limit);
    for (const { body } of await answers) expect(body).toEqual(answered);
  });

  it('in chunks: the one that grows alone gets what is left, before those that wait for it to end', async () => {
    // It grows by doubling, to 2.1 MB. The other one leaves it 2.25 MB: enough for its end, but not for a step of an eighth.
    const bed = await startMeasured({ env: env(2_250_000 + 65_536, { OPERATION_TIMEOUT_MS: '300000' }) });
    const { opened, open } = gate();
    const isWaiting = async () => expect(await readSample(bed, 'rest_memory_waiting_responses')).toBe(1);
    async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
      for (let at = 0; at < body.length; at += 1000) {
        yield body.subarray(at, at + 1000);
        // It is received before the next piece, so that the steps are the same each time.
        for (const _ of range(3)) await turn();
        if (at !== 600_000) continue;
        open();
        await eventually(isWaiting);
      }
    }
    sendResults(bed, (id) => ({ body: id === 'grows' ? pieces(resultsOf(2_200_000)) : chunks(resultsOf(MEGABYTE)) }));
    const first = bed.query(queryOf('grows'));
    await opened;
    const second = bed.query(queryOf('waits'));
    expect([outline(await first), outline(await second)]).toEqual([outlineOf(['grows']), outlineOf(['waits'])]);
  });

  it('are served by token, whose operations hold least first', async () => {
    const bed = await startMeasured({ env: env(8 * MEGABYTE) });
    const { letGo, answer } = await hold(bed, resultsOf(4 * MEGABYTE));
    const waiting = (count: number) =>
      eventually(async () => expect(await readSample(bed, 'rest_memory_waiting_responses')).toBe(count));
    const order: string[] = [];
    const ask = (token: string, name: string) =>
      bed
        .query(RESULTS, { headers: { authorization: `Bearer ${token}` } })
        .then(({ body }) => expect(body).toEqual(answered))
        .then(() => order.push(name));
    // Another operation of the first token holds memory for as long as the test.
    const other = await hold(bed, resultsOf(MEGABYTE));
    sendResults(bed, () => ({ body: resultsOf(5 * MEGABYTE) }));
    const same = [ask(TOKEN, 'same 1'), ask(TOKEN, 'same 2')];
    await waiting(2);
    const others = ask('another', 'another');
    await waiting(3);
    letGo();
    await Promise.all([...same, others]);
    expect(order).toEqual(['another', 'same 1', 'same 2']);
    other.letGo();
    for (const each of [answer, other.answer]) expect(outline(await each)).toEqual(outlineOf(['first', 'second']));
  });

  it('let metadata pass, on whatever sockets there are', async () => {
    const bed = await start({ env: env(4 * MEGABYTE, { UPSTREAM_CONNECTIONS: '4' }) });
    const { letGo, answer } = await hold(bed, resultsOf(3 * MEGABYTE));
    const others = range(20).map(() => bed.query(RESULTS));
    await eventually(() => expect(bed.calls().length).toBeGreaterThanOrEqual(4));
    for (const _ of range(10)) expect((await bed.query(NAME)).body).toEqual(named);
    // The results are still waiting.
    expect(ended(bed)).toBe(1);
    letGo();
    for (const { body } of await Promise.all(others)) expect(body).toEqual(answered);
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second']));
  });

  it.each(['off', 'memory'])(
    'of operations that hold memory and wait for more: the last one loses its further response, the others go on, with CACHE=%s',
    async (CACHE) => {
      const bed = await startMeasured({ env: env(8 * MEGABYTE, { CACHE, OPERATION_TIMEOUT_MS: '300000' }) });
      const gates = new Map(['a2', 'b2'].map((id) => [id, gate()]));
      const body = resultsOf(3 * MEGABYTE);
      sendResults(bed, async (id) => {
        await gates.get(id)?.opened;
        return { body };
      });
      // No deadline ends them within the time of a test.
      const first = bed.query(queryOf('a1', 'a2'));
      await eventually(() => expect(ended(bed)).toBe(1));
      const second = bed.query(queryOf('b1', 'b2'));
      await eventually(() => expect(ended(bed)).toBe(2));
      await eventually(() => expect(bed.calls()).toHaveLength(4));
      gates.get('a2')?.open();
      await eventually(async () => expect(await readSample(bed, 'rest_memory_waiting_responses')).toBe(1));
      gates.get('b2')?.open();
      expect(outline(await second)).toEqual(outlineOf(['b1', 'b2'], { b2: 'UPSTREAM_UNAVAILABLE' }));
      expect(outline(await first)).toEqual(outlineOf(['a1', 'a2']));
    },
  );
});

describe('3.33 MEMORY_BUDGET: files', () => {
  it('end with a code if they get none for the time of an operation', async () => {
    const bed = await start({ env: env(5 * MEGABYTE, { OPERATION_TIMEOUT_MS: '200' }) });
    const { opened, open } = gate();
    bed.simulator.intercept(async ({ operation }) => {
      if (operation === 'getDatasetResults') await opened;
      return undefined;
    });
    const get = () =>
      bed.http(`/download/results/${DATASET_ID}?format=csv`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const first = get();
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const second = await get();
    expect([second.status, JSON.parse(second.text).errors[0]]).toEqual([
      503,
      expect.objectContaining({
        message: expect.stringContaining('MEMORY_BUDGET'),
        extensions: expect.objectContaining({ code: 'UPSTREAM_UNAVAILABLE' }),
      }),
    ]);
    open();
    expect((await first).status).toBe(200);
  });
});

describe('3.33 MEMORY_BUDGET: who waits', () => {
  it('and leaves, frees its place, and gets nothing', async () => {
    const bed = await start({ env: env(4 * MEGABYTE) });
    const { letGo, answer } = await hold(bed, resultsOf(3 * MEGABYTE));
    const leaving = new AbortController();
    const left = bed.query(RESULTS, { signal: leaving.signal }).catch((error) => error.code);
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    const next = bed.query(RESULTS);
    await eventually(() => expect(bed.calls()).toHaveLength(4));
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    await eventually(() => expect(bed.log.some((line) => line.includes('cancelled'))).toBe(true));
    letGo();
    expect((await next).body).toEqual(answered);
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second']));
  });

  it('has the memory of clients that have left, and none beside it', async () => {
    const budget = 64 * MEGABYTE;
    const bed = await start({ env: env(budget) });
    const never = gate();
    onTestFinished(() => never.open());
    const body = resultsOf(40 * MEGABYTE);
    sendResults(bed, (id) => (id === 'second' ? never.opened.then(() => ({ body })) : { body }));
    const before = process.memoryUsage().arrayBuffers;
    for (const round of range(8)) {
      const leaving = new AbortController();
      const left = bed.query(queryOf('first', 'second'), { signal: leaving.signal }).catch((error) => error.code);
      await eventually(() => expect(ended(bed)).toBe(2 * round + 1));
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(budget);
      leaving.abort();
      expect(await left).toBe('ABORT_ERR');
    }
  });

  it.each([
    ['identity', 'large', (body: Buffer) => body, 3 * MEGABYTE],
    ['gzip', 'large', (body: Buffer) => gzipSync(body), 3 * MEGABYTE],
    // So small that its last byte is there when the wait begins, and so large that there is one.
    ['gzip', 'small', (body: Buffer) => gzipSync(body), 140_000],
  ])(
    'loses nothing when the service closes its connection meanwhile: %s, %s',
    async (encoding, _size, encode, bytes) => {
      const second = gate();
      const whole = encode(resultsOf(bytes, randomBytes(Math.min(bytes, MEGABYTE) * 0.74).toString('base64')));
      const first = encode(resultsOf(4 * MEGABYTE - 10_000));
      const serviceUrl = await listen((socket) => {
        socket.once('data', async (request) => {
          if (request.includes('/second ')) await second.opened;
          const bodies = { first, second: encode(resultsOf(100)), [DATASET_ID]: whole };
          const id = /[^/]+(?= HTTP)/.exec(request.toString())?.[0] as keyof typeof bodies;
          const body = bodies[id] as Buffer;
          socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`);
          socket.end(body);
        });
      });
      const bed = await start({ serviceUrl, env: env(4 * MEGABYTE) });
      const holding = bed.query(queryOf('first', 'second'));
      await eventually(() => expect(ended(bed)).toBe(1));
      const others = range(10).map(() => bed.query(RESULTS));
      // The connections are closed by the time that these have their answers.
      for (const _ of range(20)) await bed.http('/health/live');
      expect(ended(bed)).toBe(1);
      second.open();
      expect(outline(await holding)).toEqual(outlineOf(['first', 'second']));
      for (const { body } of await Promise.all(others)) expect(body).toEqual(answered);
    },
  );

  it('longer than its operation may take, is told so', async () => {
    const budget = 5 * MEGABYTE;
    const times = { OPERATION_TIMEOUT_MS: '3000', UPSTREAM_TIMEOUT_MS: '300000', UPSTREAM_OUTAGE_MS: '60000' };
    const bed = await start({ env: env(budget, times) });
    // A file holds its memory for as long as the service takes for it.
    const { opened, open } = gate();
    const other = resultsOf(4 * MEGABYTE);
    sendResults(bed, async (id) => {
      if (id === DATASET_ID) await opened;
      return { body: id === DATASET_ID ? '{"assets":[]}' : other };
    });
    const path = `/download/results/${DATASET_ID}?format=csv`;
    const file = bed.http(path, { headers: { authorization: `Bearer ${TOKEN}` } });
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const waiting = await Promise.all(range(25).map(() => bed.query(RESULTS, { variables: { id: 'other' } })));
    for (const { body } of waiting) expect(body).toEqual(noMemory(budget));
    open();
    expect((await file).status).toBe(200);
    // That says nothing of the service, which is called as ever.
    sendResults(bed, () => ({ body: resultsOf(1000) }));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
  });
});
