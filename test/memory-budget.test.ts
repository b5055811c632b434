import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fault } from '../src/simulator/simulator.ts';
import {
  type Answer,
  DATASET_ID,
  errorAt,
  gate,
  listen,
  ofDataset,
  outline,
  start,
  type TestBed,
  TOKEN,
} from './harness.ts';

const MEGABYTE = 2 ** 20;
const NAME = ofDataset('name');
const RESULTS = ofDataset('results { processingId }');
const answered = { data: { dataset: { results: { processingId: 'p' } } } };
const named = { data: { dataset: { name: 'Soil moisture' } } };
const range = (length: number) => Array.from({ length }, (_, index) => index);
const env = (bytes: number, more: Record<string, string> = {}) => ({ MEMORY_BUDGET: `${bytes}`, ...more });

/** A results answer of so many bytes, which begins with some filling. */
function resultsOf(bytes: number, filling = ''): Buffer {
  const text = '{"processing_id":"p","assets":[],"x":""}';
  return Buffer.from(text.replace('"x":""', `"x":"${filling.padEnd(bytes - text.length, 'x')}"`));
}

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

/** Answers results calls so; metadata calls as ever. */
function sendResults({ simulator }: TestBed, fault: (datasetId: string) => Fault | Promise<Fault>): void {
  simulator.intercept(async ({ operation, datasetId = '' }) =>
    operation === 'getDatasetResults' ? { status: 200, ...(await fault(datasetId)) } : undefined,
  );
}

const queryOf = (...ids: string[]) =>
  `{ ${ids.map((id) => `${id}: dataset(id: "${id}") { results { processingId } }`).join(' ')} }`;

/** The results of datasets in one operation, where all is well but for these, which have a code. */
const outlineOf = (ids: string[], failed: Record<string, string> = {}) => ({
  data: Object.fromEntries(ids.map((id) => [id, { results: id in failed ? null : { processingId: 'p' } }])),
  errors: Object.entries(failed).map(([id, code]) => `${id}.results ${code}`),
});

/** The calls that have got their answers, as the log says. */
const ended = ({ log }: TestBed, operation = 'getDatasetResults') =>
  log.map((line) => JSON.parse(line)).filter((line) => line.operation === operation).length;

/** An operation that holds the memory of one answer until it is let go, because it waits for a second one. */
async function hold(bed: TestBed, body: Buffer): Promise<{ letGo(): void; answer: Promise<Answer> }> {
  const second = gate();
  const before = ended(bed);
  sendResults(bed, (id) => (id === 'second' ? second.opened.then(() => ({ body: resultsOf(100) })) : { body }));
  const answer = bed.query(queryOf('first', 'second'));
  await vi.waitFor(() => expect(ended(bed)).toBe(before + 1));
  return { letGo: second.open, answer };
}

const refusal = (code: string, message: string, more: object = {}) => ({
  data: { dataset: { results: null } },
  errors: [
    {
      ...errorAt(['dataset', 'results'], code, { operation: 'getDatasetResults', status: 200, ...more }),
      message,
    },
  ],
});
const tooLarge = (budget: number) =>
  refusal(
    'UPSTREAM_RESPONSE_TOO_LARGE',
    `The response of the dataset service is too large (MEMORY_BUDGET is ${budget}).`,
  );
const noMemory = (budget: number) =>
  refusal(
    'UPSTREAM_UNAVAILABLE',
    `Other responses use the memory that this response needs (MEMORY_BUDGET is ${budget}).`,
    { retryable: true },
  );

describe('3.33 MEMORY_BUDGET: an answer', () => {
  it.each(Object.entries(framings))('may be as large as all of it, and not a byte larger: %s', async (_how, send) => {
    const budget = 2 * MEGABYTE;
    const bed = await start({ env: env(budget) });
    // What is still compressed takes memory, too.
    const spare = send === framings['with a length'] || send === framings['in chunks'] ? 0 : 20_000;
    sendResults(bed, () => send(resultsOf(budget - spare)));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
    sendResults(bed, () => send(resultsOf(budget + 1)));
    const sent = performance.now();
    expect((await bed.query(RESULTS)).body).toEqual(tooLarge(budget));
    expect(performance.now() - sent).toBeLessThan(5000);
    sendResults(bed, () => send(resultsOf(1000)));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
  });

  it('counts for its whole operation: those that fit are there, the others refused at once', async () => {
    const bed = await start({ env: env(2 * MEGABYTE) });
    sendResults(bed, () => ({ body: resultsOf(MEGABYTE / 2) }));
    const ids = range(4).map((index) => `d${index}`);
    expect(outline(await bed.query(queryOf(...ids)))).toEqual(outlineOf(ids));
    const { data, errors } = outline(await bed.query(queryOf(...ids, 'd4')));
    const lost = Object.entries(data as Record<string, { results: unknown }>).filter(([, { results }]) => !results);
    expect(lost).toHaveLength(1);
    expect(errors).toEqual([`${lost[0]?.[0]}.results UPSTREAM_RESPONSE_TOO_LARGE`]);
  });

  it('has no memory of earlier answers beside it that is more than the rest of the budget', async () => {
    const bed = await start({ env: env(64 * MEGABYTE) });
    const [earlier, larger] = [resultsOf(40 * MEGABYTE), resultsOf(60 * MEGABYTE)];
    const before = process.memoryUsage().arrayBuffers;
    sendResults(bed, () => ({ body: earlier }));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
    const { letGo, answer } = await hold(bed, larger);
    await vi.waitFor(() => expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * MEGABYTE));
    letGo();
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second']));
    sendResults(bed, () => ({ body: earlier }));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
  });
});

describe('3.33 MEMORY_BUDGET: many answers at once', () => {
  it.each(Object.entries(framings))('come one after the other, all of them: %s', async (_how, send) => {
    const bed = await start({ env: env(8 * MEGABYTE) });
    const body = resultsOf(5 * MEGABYTE);
    sendResults(bed, () => send(body));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    let isDone = false;
    const answers = Promise.all(range(30).map(() => bed.query(RESULTS))).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      await turn();
    }
    for (const { body } of await answers) expect(body).toEqual(answered);
    // Thirty of them are 150 MB. Those that wait have what their sockets hold, and the simulator has some.
    expect(most).toBeLessThan(75 * MEGABYTE);
  });

  it('are served by operation, the older one first', async () => {
    const bed = await start({ env: env(4 * MEGABYTE) });
    const { letGo, answer } = await hold(bed, resultsOf(3 * MEGABYTE));
    const order: number[] = [];
    const others: Promise<unknown>[] = [];
    for (const index of range(5)) {
      others.push(bed.query(RESULTS).then(() => order.push(index)));
      await vi.waitFor(() => expect(bed.calls()).toHaveLength(index + 3));
    }
    expect(ended(bed)).toBe(1);
    letGo();
    await Promise.all([answer, ...others]);
    expect(order).toEqual(range(5));
  });

  it('let metadata pass, on whatever sockets there are', async () => {
    const bed = await start({ env: env(4 * MEGABYTE, { UPSTREAM_CONNECTIONS: '4' }) });
    const { letGo, answer } = await hold(bed, resultsOf(3 * MEGABYTE));
    const others = range(20).map(() => bed.query(RESULTS));
    await vi.waitFor(() => expect(bed.calls().length).toBeGreaterThanOrEqual(4));
    for (const _ of range(10)) {
      const sent = performance.now();
      expect((await bed.query(NAME)).body).toEqual(named);
      expect(performance.now() - sent).toBeLessThan(2000);
    }
    expect(ended(bed)).toBe(1);
    letGo();
    for (const { body } of await Promise.all(others)) expect(body).toEqual(answered);
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second']));
  });

  it('let small results pass, with what is made of them', async () => {
    const bed = await start({ env: env(4 * MEGABYTE) });
    const large = resultsOf(3 * MEGABYTE);
    const { letGo, answer } = await hold(bed, large);
    const assets = range(100).map((index) => ({ asset_id: `a${index}`, results: [] }));
    const tiny = Buffer.from(JSON.stringify({ processing_id: 'p', assets }));
    sendResults(bed, (id) => ({ body: id === 'tiny' ? tiny : large }));
    const others = range(5).map(() => bed.query(RESULTS));
    await vi.waitFor(() => expect(bed.calls().length).toBeGreaterThanOrEqual(7));
    for (const _ of range(5)) expect(outline(await bed.query(queryOf('tiny')))).toEqual(outlineOf(['tiny']));
    letGo();
    for (const { body } of await Promise.all(others)) expect(body).toEqual(answered);
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second']));
  });

  it('of operations that hold memory and wait for more: the youngest loses its further answer, the others go on', async () => {
    const bed = await start({ env: env(8 * MEGABYTE) });
    const gates = new Map(['a2', 'b2'].map((id) => [id, gate()]));
    const body = resultsOf(3 * MEGABYTE);
    sendResults(bed, async (id) => {
      await gates.get(id)?.opened;
      return { body };
    });
    const first = bed.query(queryOf('a1', 'a2'));
    await vi.waitFor(() => expect(ended(bed)).toBe(1));
    const second = bed.query(queryOf('b1', 'b2'));
    await vi.waitFor(() => expect(ended(bed)).toBe(2));
    const started = performance.now();
    // The younger one waits first; the older one cannot go on either.
    gates.get('b2')?.open();
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(4));
    gates.get('a2')?.open();
    expect(outline(await second)).toEqual(outlineOf(['b1', 'b2'], { b2: 'UPSTREAM_UNAVAILABLE' }));
    expect(outline(await first)).toEqual(outlineOf(['a1', 'a2']));
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('of operations that hold memory and find no socket: those that have one and wait for memory give way', async () => {
    const bed = await start({ env: env(8 * MEGABYTE, { UPSTREAM_CONNECTIONS: '2' }) });
    sendResults(bed, () => ({ body: resultsOf(3 * MEGABYTE) }));
    const ids = ['a', 'b'];
    const answers = await Promise.all(range(12).map(() => bed.query(queryOf(...ids))));
    for (const answer of answers) {
      const { errors } = outline(answer);
      for (const error of errors) expect(error).toMatch(/^[ab]\.results UPSTREAM_UNAVAILABLE$/);
    }
    const whole = answers.filter(({ body }) => body.errors === undefined);
    expect(whole.length).toBeGreaterThan(0);
    // All is there again.
    expect((await bed.query(RESULTS)).body).toEqual(answered);
  });
});

describe('3.33 MEMORY_BUDGET: who waits', () => {
  it('and leaves, frees its place, and gets nothing', async () => {
    const bed = await start({ env: env(4 * MEGABYTE) });
    const { letGo, answer } = await hold(bed, resultsOf(3 * MEGABYTE));
    const leaving = new AbortController();
    const left = bed.query(RESULTS, { signal: leaving.signal }).catch((error) => error.code);
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(3));
    const next = bed.query(RESULTS);
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(4));
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    await vi.waitFor(() => expect(bed.log.some((line) => line.includes('cancelled'))).toBe(true));
    letGo();
    expect((await next).body).toEqual(answered);
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second']));
  });

  it('gets what a caller that leaves has held', async () => {
    const bed = await start({ env: env(4 * MEGABYTE) });
    const held = gate();
    onTestFinished(() => held.open());
    const body = resultsOf(3 * MEGABYTE);
    sendResults(bed, (id) => (id === 'second' ? held.opened.then(() => ({ body })) : { body }));
    const leaving = new AbortController();
    const left = bed.query(queryOf('first', 'second'), { signal: leaving.signal }).catch((error) => error.code);
    await vi.waitFor(() => expect(ended(bed)).toBe(1));
    const next = bed.query(RESULTS);
    await vi.waitFor(() => expect(bed.calls()).toHaveLength(3));
    leaving.abort();
    expect(await left).toBe('ABORT_ERR');
    expect((await next).body).toEqual(answered);
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
      await vi.waitFor(() => expect(ended(bed)).toBe(1));
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
    const budget = 32 * MEGABYTE;
    const bed = await start({ env: env(budget, { OPERATION_TIMEOUT_MS: '1500', UPSTREAM_OUTAGE_MS: '60000' }) });
    // A caller that does not take its answer, which holds the memory until it is cut off.
    const asset = { asset_id: 'a', asset_name: 'x'.repeat(24 * MEGABYTE) };
    const large = Buffer.from(JSON.stringify({ processing_id: 'p', assets: [asset] }));
    const other = resultsOf(12 * MEGABYTE);
    sendResults(bed, (id) => ({ body: id === DATASET_ID ? large : other }));
    const slow = await slowReader(bed, ofDataset('results { series { nodes { asset { name } } } }'));
    const waiting = await Promise.all(range(25).map(() => bed.query(RESULTS, { variables: { id: 'other' } })));
    for (const { body } of waiting) expect(body).toEqual(noMemory(budget));
    slow.destroy();
    // That says nothing of the service, which is called as ever.
    sendResults(bed, () => ({ body: resultsOf(1000) }));
    expect((await bed.query(RESULTS)).body).toEqual(answered);
  });
});

/** Asks, and reads nothing of the answer but its head. */
function slowReader({ subgraph }: TestBed, query: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
    const request = httpRequest(subgraph.url, { method: 'POST', headers, agent: false }, (response) => {
      response.on('error', () => {});
      resolve(response);
    });
    request.on('error', reject);
    request.end(JSON.stringify({ query }));
  });
}
