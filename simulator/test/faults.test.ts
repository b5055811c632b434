import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  bearer,
  downloadPath,
  expectRefusal,
  get,
  metadataPath,
  open,
  recordedBy,
  responseTo,
  start,
  trees,
} from '../../test/support/simulator.ts';
import type { Fault, Simulator } from '../src/simulator.ts';

async function startWithFault(fault: Fault): Promise<Simulator> {
  const simulator = await start();
  simulator.intercept(() => fault);
  return simulator;
}

describe('faults', () => {
  it('are asked for per request, after it was recorded, and end with undefined', async () => {
    const simulator = await start();
    simulator.intercept((request) => {
      expect(recordedBy(simulator)).toBe(request);
      return request.datasetId === 'trees' ? { status: 500 } : undefined;
    });
    expect((await get(simulator, metadataPath('trees'))).status).toBe(500);
    expect((await get(simulator, metadataPath('unknown'))).status).toBe(404);
    simulator.intercept(undefined);
    expect((await get(simulator, metadataPath('trees'))).status).toBe(200);
  });

  it('may be awaited, so that a test decides when a response is sent', async () => {
    const simulator = await start();
    const gate = Promise.withResolvers<undefined>();
    const order: string[] = [];
    simulator.intercept((request) => (request.datasetId === 'trees' ? gate.promise : undefined));
    const held = get(simulator, metadataPath('trees')).then(() => order.push('held'));
    await get(simulator, metadataPath('unknown')).then(() => order.push('free'));
    gate.resolve(undefined);
    await held;
    expect(order).toEqual(['free', 'held']);
  });

  it.each([
    [400, 'BAD_REQUEST'],
    [401, 'WRONG_CREDENTIALS'],
    [403, 'UNAUTHORIZED'],
    [404, 'NOT_FOUND'],
    [405, 'METHOD_NOT_ALLOWED'],
    [409, 'DUPLICATE_ENTITY'],
    [500, 'INTERNAL_SERVER_ERROR'],
  ])('§7 status %i brings the label %s', async (status, label) => {
    await expectRefusal(await get(await startWithFault({ status }), metadataPath('trees')), status, label);
  });

  it('status: one that §7 does not list has no label', async () => {
    const response = await get(await startWithFault({ status: 503 }), metadataPath('trees'));
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 503, message: expect.any(String) });
  });

  it('status: a success keeps the response', async () => {
    const response = await get(await startWithFault({ status: 206 }), metadataPath('trees'));
    expect(response.status).toBe(206);
    expect(await response.json()).toEqual(trees.metadata);
  });

  it('status: 204 has no body and leaves the connection usable', async () => {
    const simulator = await startWithFault({ status: 204 });
    const response = await get(simulator, metadataPath('trees'));
    expect(response.status).toBe(204);
    expect(response.headers.has('content-length')).toBe(false);
    expect(await response.text()).toBe('');
    expect(await recordedBy(simulator).outcome).toBe('answered');
  });

  it('headers: replaces by name, repeats values, drops by an empty list', async () => {
    const headers = { 'Content-Type': 'text/html', 'x-two': ['1', '2'], 'x-empty': '', 'content-disposition': [] };
    const response = await get(await startWithFault({ headers }), downloadPath('trees'));
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('x-two')).toBe('1, 2');
    expect(response.headers.get('x-empty')).toBe('');
    expect(response.headers.has('content-disposition')).toBe(false);
    expect(await response.text()).toBe('tree,height\noak,2\n');
  });

  it('headers: without a content-length the same body is sent in chunks', async () => {
    const response = await get(await startWithFault({ headers: { 'content-length': [] } }), downloadPath('trees'));
    expect(response.headers.has('content-length')).toBe(false);
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(await response.text()).toBe('tree,height\noak,2\n');
  });

  it.each([
    ['text', 'größer'],
    ['bytes', Buffer.from('größer')],
  ])('body: %s replaces the body and keeps the headers', async (_case, body) => {
    const response = await get(await startWithFault({ body }), metadataPath('trees'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-length')).toBe('8');
    expect(await response.text()).toBe('größer');
  });

  it('body: with headers can be compressed; otherwise nothing is', async () => {
    const simulator = await start();
    const headers = { ...bearer, 'accept-encoding': 'gzip' };
    const plain = await get(simulator, metadataPath('trees'), headers);
    expect(plain.headers.has('content-encoding')).toBe(false);
    simulator.intercept(() => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('"packed"') }));
    expect(await (await get(simulator, metadataPath('trees'), headers)).json()).toBe('packed');
  });

  it('body: an iterable is sent chunk by chunk', async () => {
    const gate = Promise.withResolvers<void>();
    async function* chunks() {
      yield 'first ';
      await gate.promise;
      yield Buffer.from('second');
    }
    const simulator = await startWithFault({ body: chunks() });
    const response = await get(simulator, downloadPath('trees'));
    expect(response.headers.has('content-length')).toBe(false);
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first ');
    gate.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second');
    expect((await reader?.read())?.done).toBe(true);
    expect(await recordedBy(simulator).outcome).toBe('answered');
  });

  it('body: an iterable is asked no faster than the client reads, and stops when the client leaves', async () => {
    let sent = 0;
    const stopped = Promise.withResolvers<void>();
    async function* endless() {
      try {
        while (true) {
          sent += 1_000_000;
          yield Buffer.alloc(1_000_000);
        }
      } finally {
        stopped.resolve();
      }
    }
    const simulator = await startWithFault({ body: endless() });
    const client = open(simulator, downloadPath('trees'), { headers: bearer });
    client.end();
    const answer = await responseTo(client);
    answer.pause();
    // Turns enough for a sender that does not wait for its reader to go far beyond what sockets buffer.
    for (let turn = 0; turn < 1000; turn++) {
      await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(100_000_000);
    client.destroy();
    await stopped.promise;
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('body: an iterable that throws breaks the connection', async () => {
    const chunks = async function* () {
      yield 'first';
      throw new Error('no more');
    };
    const simulator = await startWithFault({ body: chunks() });
    const response = await get(simulator, downloadPath('trees'));
    await expect(response.text()).rejects.toThrow();
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it.each([0, 5])('cutAfterBytes: announces the whole body and sends %i bytes of it', async (cutAfterBytes) => {
    const simulator = await startWithFault({ cutAfterBytes });
    const client = open(simulator, downloadPath('trees'), { headers: bearer });
    client.end();
    const answer = await responseTo(client);
    expect(answer.headers['content-length']).toBe('18');
    let received = '';
    answer.on('data', (chunk) => {
      received += chunk;
    });
    await new Promise((resolve) => answer.once('error', resolve));
    expect(received).toBe('tree,height\n'.slice(0, cutAfterBytes));
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('cutAfterBytes: asks an iterable for no more than it sends', async () => {
    const asked: string[] = [];
    const chunks = async function* () {
      for (const chunk of ['abc', 'def', 'ghi']) {
        asked.push(chunk);
        yield chunk;
      }
    };
    const simulator = await startWithFault({ body: chunks(), cutAfterBytes: 5 });
    const response = await get(simulator, downloadPath('trees'));
    const reader = response.body?.getReader();
    let received = '';
    await expect(async () => {
      for (let part = await reader?.read(); !part?.done; part = await reader?.read()) {
        received += Buffer.from(part?.value ?? []);
      }
    }).rejects.toThrow();
    expect(received).toBe('abcde');
    expect(asked).toEqual(['abc', 'def']);
  });

  it('reset: the client gets no response but a reset', async () => {
    const simulator = await startWithFault({ reset: true });
    const client = open(simulator, metadataPath('trees'), { headers: bearer });
    client.end();
    // The syscall tells a reset from a plain end of the connection, which node:http gives the same code.
    await expect(responseTo(client)).rejects.toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('a handler that throws shows as a 500', async () => {
    const simulator = await start();
    simulator.intercept(() => Promise.reject(new Error('a mistake in the test')));
    const response = await get(simulator, metadataPath('trees'));
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('a mistake in the test');
  });

  it('a fault that cannot be sent shows as a 500', async () => {
    const simulator = await startWithFault({ headers: { 'x-split': 'two\r\nlines' } });
    await expectRefusal(await get(simulator, metadataPath('trees')), 500, 'INTERNAL_SERVER_ERROR');
  });
});
