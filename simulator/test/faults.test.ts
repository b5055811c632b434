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

describe('A fault', () => {
  it('is asked for per request, after it was recorded, may be awaited, and ends with undefined', async () => {
    const simulator = await start();
    const gate = Promise.withResolvers<Fault>();
    const order: string[] = [];
    simulator.intercept((request) => {
      expect(recordedBy(simulator)).toBe(request);
      return request.datasetId === 'trees' ? gate.promise : undefined;
    });
    const held = get(simulator, metadataPath('trees')).then(({ status }) => order.push(`held ${status}`));
    await get(simulator, metadataPath('unknown')).then(({ status }) => order.push(`free ${status}`));
    gate.resolve({ status: 500 });
    await held;
    expect(order).toEqual(['free 404', 'held 500']);
    simulator.intercept(undefined);
    expect((await get(simulator, metadataPath('trees'))).status).toBe(200);
  });

  it('of a status brings the label of §7', async () => {
    for (const [status, label] of [
      [400, 'BAD_REQUEST'],
      [401, 'WRONG_CREDENTIALS'],
      [403, 'UNAUTHORIZED'],
      [404, 'NOT_FOUND'],
      [405, 'METHOD_NOT_ALLOWED'],
      [409, 'DUPLICATE_ENTITY'],
      [500, 'INTERNAL_SERVER_ERROR'],
    ] as const) {
      await expectRefusal(await get(await startWithFault({ status }), metadataPath('trees')), status, label);
    }
  });

  it('of another status has no label, keeps the response of a success, and has no body with 204', async () => {
    const simulator = await start();
    const respond = async (status: number) => {
      simulator.intercept(() => ({ status }));
      const response = await get(simulator, metadataPath('trees'));
      return [response.status, response.headers.has('content-length'), await response.text()];
    };
    expect(await respond(503)).toEqual([503, true, expect.not.stringContaining('error')]);
    expect(await respond(206)).toEqual([206, true, JSON.stringify(trees.metadata)]);
    expect(await respond(204)).toEqual([204, false, '']);
    expect(await recordedBy(simulator).outcome).toBe('answered');
  });

  it('of headers replaces by name, repeats values, and drops by an empty list', async () => {
    const headers = { 'Content-Type': 'text/html', 'x-two': ['1', '2'], 'x-empty': '', 'content-length': [] };
    const response = await get(await startWithFault({ headers }), downloadPath('trees'));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html',
      'x-two': '1, 2',
      'x-empty': '',
      'transfer-encoding': 'chunked',
    });
    expect(response.headers.has('content-length')).toBe(false);
    expect(await response.text()).toBe('tree,height\noak,2\n');
  });

  it('of an iterable sends no faster than the client reads, and stops when the client leaves', async () => {
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
    const client = open(simulator, downloadPath('trees'), { headers: bearer }).end();
    (await responseTo(client)).pause();
    // Turns enough for a sender that does not wait for its reader to go far beyond what sockets buffer.
    for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
    expect(sent).toBeLessThan(100_000_000);
    client.destroy();
    await stopped.promise;
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('that cuts announces the whole body, sends a part of it, and pulls no more of an iterable', async () => {
    const pulled: string[] = [];
    const chunks = async function* () {
      for (const chunk of ['abc', 'def', 'ghi']) {
        pulled.push(chunk);
        yield chunk;
      }
    };
    for (const [fault, length, received] of [
      [{ cutAfterBytes: 0 }, '18', ''],
      [{ cutAfterBytes: 5 }, '18', 'tree,'],
      [{ cutAfterBytes: 5, body: chunks() }, undefined, 'abcde'],
    ] as const) {
      const simulator = await startWithFault(fault);
      const response = await responseTo(open(simulator, downloadPath('trees'), { headers: bearer }).end());
      expect(response.headers['content-length']).toBe(length);
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      await new Promise((resolve) => response.once('error', resolve));
      expect(text).toBe(received);
      expect(await recordedBy(simulator).outcome).toBe('aborted');
    }
    expect(pulled).toEqual(['abc', 'def']);
  });

  it('that is a mistake of a test shows as a 500', async () => {
    const simulator = await startWithFault({ headers: { 'x-split': 'two\r\nlines' } });
    await expectRefusal(await get(simulator, metadataPath('trees')), 500, 'INTERNAL_SERVER_ERROR');
    simulator.intercept(() => Promise.reject(new Error('a mistake in the test')));
    const response = await get(simulator, metadataPath('trees'));
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('a mistake in the test')]);
  });
});
