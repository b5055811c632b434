import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { always, bearer, begin, CONTENT, download, PATH } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { gate, ofDataset, send, start, startService } from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';

describe('3.35 A client of a download who leaves', () => {
  const endless = () => ({
    body: (async function* () {
      for (;;) yield Buffer.alloc(65_536);
    })(),
  });

  it.each<[string, () => Fault, boolean]>([
    ['before the head', () => ({ hang: true }), false],
    ['in the body', endless, true],
    ['in a body that does not go on', () => ({ body: silent() }), true],
  ])('%s ends the call within 100 ms: the quickest of five', async (_title, fault, hasHeaders) => {
    // The specification names this time, and real sockets take it: no other clock can show it.
    const bed = await start();
    bed.simulator.intercept(fault);
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      bed.simulator.clear();
      const leaving = new AbortController();
      const response = begin(bed, leaving.signal);
      if (hasHeaders) {
        (await response).on('error', () => {}).resume();
        await new Promise((resolve) => response.then((each) => each.once('data', resolve)));
      } else {
        response.catch(() => {});
        await eventually(() => expect(bed.calls()).toHaveLength(1));
      }
      const left = performance.now();
      leaving.abort();
      expect(await bed.simulator.requests[0]?.outcome).toBe('aborted');
      times.push(performance.now() - left);
    }
    expect(Math.min(...times)).toBeLessThan(100);
    await eventually(() => expect(bed.log).toHaveLength(5));
    for (const line of bed.log) expect(JSON.parse(line)).toMatchObject({ failure: 'cancelled' });
  });

  async function* silent() {
    yield 'abc';
    await gate().opened;
  }
});

describe('3.35 Many downloads', () => {
  it('take no connection from other calls, and are MAX_DOWNLOADS at most', async () => {
    const bed = await start({ env: { MAX_DOWNLOADS: '2', UPSTREAM_CONNECTIONS: '1' } });
    const { opened, open } = gate();
    bed.simulator.intercept(({ operation }) =>
      operation === 'downloadStaticDataset' ? opened.then(() => undefined) : undefined,
    );
    const [first, second] = [download(bed), download(bed)];
    await eventually(() => expect(bed.calls()).toHaveLength(2));
    const refused = await download(bed);
    expect(refused).toMatchObject({ status: 503, headers: { ...always, 'retry-after': '1' } });
    expect(JSON.parse(refused.text)).toEqual({
      errors: [
        {
          message: 'The subgraph is at its limit of 2 concurrent downloads (MAX_DOWNLOADS).',
          extensions: { code: 'OVERLOADED' },
        },
      ],
    });
    expect((await bed.query(ofDataset('name'))).body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
    open();
    for (const each of [first, second]) expect(await each).toMatchObject({ status: 200, text: CONTENT });
    expect(await download(bed)).toMatchObject({ status: 200, text: CONTENT });
  });

  it('leave their places, however they end', async () => {
    const bed = await start({ env: { MAX_DOWNLOADS: '1', UPSTREAM_TIMEOUT_MS: '200' } });
    for (const fault of [{ status: 404 }, { cutAfterBytes: 3 }, { reset: true }, { hang: true }]) {
      bed.simulator.intercept(() => fault);
      await download(bed);
    }
    bed.simulator.intercept(undefined);
    await download(bed, { method: 'HEAD' });
    await eventually(async () => expect((await download(bed)).status).toBe(200));
  });
});

describe('3.35 The end of the program', () => {
  async function startAndDownload(rest: Promise<void>, env: Record<string, string> = {}) {
    const service = await startService();
    service.intercept(() => ({
      body: (async function* () {
        yield 'abc';
        await rest;
        yield 'def';
      })(),
    }));
    const program = startEntry('main', { DATASET_SERVICE_URL: service.url, PORT: '0', ...env });
    const url = new URL(PATH, await endpointOf(program));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { agent: false, headers: bearer }, resolve).on('error', reject);
    });
    program.kill('SIGTERM');
    await eventually(async () => expect((await send(new URL('/health/ready', url))).status).toBe(503));
    return { program, response, service };
  }

  it('lets a download come to its end', async () => {
    const { opened, open } = gate();
    const { program, response } = await startAndDownload(opened);
    open();
    expect((await response.toArray()).join('')).toBe('abcdef');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('breaks one that takes longer than an operation may', async () => {
    const { program, response, service } = await startAndDownload(gate().opened, { OPERATION_TIMEOUT_MS: '500' });
    await expect(response.toArray()).rejects.toThrow('aborted');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await service.requests[0]?.outcome).toBe('aborted');
  });
});
