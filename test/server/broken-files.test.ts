import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { head, PATH, startRaw } from '../support/download-route.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, gate, start, type TestBed, TOKEN } from '../support/harness.ts';
import { errorOf, open } from '../support/overload.ts';
import { resultsPath } from '../support/results-files.ts';

const get = (path: string, version: string, ...lines: string[]) =>
  [`GET ${path} HTTP/${version}`, 'host: x', `authorization: Bearer ${TOKEN}`, ...lines, '', ''].join('\r\n');

/** The chunk of a chunked body. */
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A service that begins a file with `abc`, and goes on with what the function writes. */
const startFile = (goOn: (socket: Socket) => void, line = 'transfer-encoding: chunked', env = {}) =>
  startRaw((socket) => {
    socket.write(head(line, 'connection: close') + (line.startsWith('t') ? chunk('abc') : 'abc'));
    goOn(socket);
  }, env);

/** A client that sends these bytes. Resolves when the connection is over. */
async function receive({ subgraph }: TestBed, text: string, onData?: (socket: Socket, received: string) => void) {
  const { hostname, port } = new URL(subgraph.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let received = '';
  let ending = '';
  socket.setEncoding('latin1').on('data', (data) => {
    received += data;
    onData?.(socket, received);
  });
  // Node.js 22 says that a connection has ended when a reset comes together with data. Only writing tells the difference then.
  socket.on('end', () => {
    socket.write('\n', (error) => {
      ending ||= error ? 'ECONNRESET' : 'end';
      socket.end();
    });
  });
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    ending ||= code ?? '';
  });
  socket.write(text);
  await new Promise((resolve) => socket.once('close', resolve));
  const [status = '', body = ''] = [received.slice(0, 15), received.split('\r\n\r\n').slice(1).join('\r\n\r\n')];
  return { status, body, ending };
}

const row = JSON.stringify({ value_date: 'd', metrics: [{ name: 'm', value: 1 }] });
const asset = (id: string) => `{"asset_id":"${id}","results":[${Array(10_000).fill(row).join()}]}`;
const assets = ['a', 'b', 'c', 'd', 'e'].map(asset).join();

describe('3.35 A file of unknown length for a client that speaks HTTP/1.0', () => {
  it('ends when it is complete', async () => {
    const bed = await startFile((socket) => socket.end(`${chunk('def')}0\r\n\r\n`));
    expect(await receive(bed, get(PATH, '1.0'))).toEqual({ status: 'HTTP/1.1 200 OK', body: 'abcdef', ending: 'end' });
  });

  it('that breaks off is reset', async () => {
    const bed = await startFile((socket) => socket.end());
    expect((await receive(bed, get(PATH, '1.0'))).ending).toBe('ECONNRESET');
  });

  it('of results that breaks off is reset', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ body: `{"assets":[${assets},5]}` }));
    const request = get(resultsPath('format=csv'), '1.0');
    expect(await receive(bed, request)).toMatchObject({ status: 'HTTP/1.1 200 OK', ending: 'ECONNRESET' });
  });

  it('is reset when the client closes its side before the end', async () => {
    const bed = await startFile(() => {});
    const begun = await receive(bed, get(PATH, '1.0'), (socket) => void socket.end());
    expect(begun).toEqual({ status: 'HTTP/1.1 200 OK', body: 'abc', ending: 'ECONNRESET' });
  });

  it('is reset at the end of the program', async () => {
    const bed = await startFile(() => {}, undefined, { OPERATION_TIMEOUT_MS: '100' });
    const { opened: begun, open: begin } = gate();
    const received = receive(bed, get(PATH, '1.0'), begin);
    await begun;
    await bed.subgraph.stop();
    expect(await received).toEqual({ status: 'HTTP/1.1 200 OK', body: 'abc', ending: 'ECONNRESET' });
  });
});

describe('3.20 Invalid HTTP behind a request', () => {
  const invalid: [string, string, Record<string, string>, number][] = [
    ['bytes that are no HTTP', '\0\r\n\r\n', {}, 400],
    ['a request that does not come to its end', 'GET / HTTP/1.1\r\nhost:', { REQUEST_TIMEOUT_MS: '300' }, 408],
  ];

  it.each(invalid)('breaks a response off that has begun: %s', async (_title, text, env) => {
    const bed = await startFile(() => {}, 'content-length: 500', env);
    const begun = await receive(bed, get(PATH, '1.1'), (socket) => void socket.write(text));
    expect(begun).toEqual({ status: 'HTTP/1.1 200 OK', body: 'abc', ending: 'end' });
  });

  it.each(invalid)('gets an error after a complete response: %s', async (_title, text, env, status) => {
    const bed = await startFile((socket) => socket.end('def'), 'content-length: 6', env);
    const { body } = await receive(bed, get(PATH, '1.1'), (socket, received) => {
      if (received.endsWith('abcdef')) socket.write(text);
    });
    expect(body.slice(0, 6)).toBe('abcdef');
    expect(errorOf(body.slice(6))).toMatchObject({ status, closes: true });
  });

  it.each(invalid)('gets an error instead of a response that has not begun: %s', async (_title, text, env, status) => {
    const bed = await start({ env });
    bed.simulator.intercept(() => ({ hang: true }));
    const { socket, received, closed } = await open(bed, get(PATH, '1.1'));
    await eventually(() => expect(bed.calls()).toEqual([`GET /v1/collection/staticdataset/${DATASET_ID}/download`]));
    socket.write(text);
    await closed;
    expect(errorOf(received())).toMatchObject({ status, closes: true });
  });
});
