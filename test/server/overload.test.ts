import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { hold } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, getSummary, NAME, named, start, type TestBed, TOKEN } from '../support/harness.ts';
import { json, post, refusal, sendRaw, typename, typenameData } from '../support/http.ts';
import { errorOf, open } from '../support/overload.ts';

const authorization = `Bearer ${TOKEN}`;
/** The head of a request whose body does not come. */
const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n';

function expectOverloaded({ status, headers, body }: Answer, message: string): void {
  expect(body).toEqual(refusal(message, 'OVERLOADED'));
  expect([status, headers['retry-after']]).toEqual([503, '1']);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
}

/** The bytes of a request with this body. */
const raw = (body: string | Uint8Array, headers: string) =>
  Buffer.concat([
    Buffer.from(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\n${headers}` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ]).toString('latin1');

/** A subgraph whose operations wait until they are let go. */
async function startHeld(env: Record<string, string>) {
  const bed = await start({ env });
  const held = hold(bed);
  const running = (count: number) => eventually(() => expect(bed.calls()).toHaveLength(count));
  return { ...bed, running, release: held.open };
}

/*
 * Clause 3.28 of docs/contract.md in detail.
 * Overload. While `MAX_OPERATIONS` run, a further request gets 503 with `OVERLOADED` and `Retry-After`, before its body
 * is read. A request counts as an operation only when its body has arrived. Pipelined requests of one connection begin
 * one after another, each in its own turn of the event loop. A body of 64 kB (65,536 bytes) or more is parsed in one
 * turn and processed in another.
 */
describe('3.28 MAX_OPERATIONS', () => {
  const message = 'The subgraph is at its limit of 2 concurrent operations (MAX_OPERATIONS).';

  it('operations run at the same time, and no more; whoever is refused makes no call, and may come again', async () => {
    const { query, http, calls, running, release } = await startHeld({ MAX_OPERATIONS: '2' });
    const accepted = [query(NAME), query(NAME)];
    await running(2);
    expectOverloaded(await query(NAME), message);
    expectOverloaded(await http('/graphql'), message);
    expect(calls()).toHaveLength(2);
    release();
    for (const answer of await Promise.all(accepted)) expect(answer.body).toEqual(named);
    await eventually(async () => expect((await query(NAME)).body).toEqual(named));
  });

  it('are refused before their body has come', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '1' });
    const accepted = bed.query(NAME);
    await bed.running(1);
    const { received } = await open(bed, head);
    await eventually(() => expect(received()).toContain('OVERLOADED'));
    bed.release();
    await accepted;
  });

  it('a request whose body comes slowly takes no place', async () => {
    const bed = await start({ env: { MAX_OPERATIONS: '1' } });
    for (let index = 0; index < 20; index++) await open(bed, `${head}{`);
    expect((await bed.query(NAME)).body).toEqual(named);
  });

  it('one that has sent its headers in time is refused when its body is there too late', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '1' });
    const body = JSON.stringify({ query: NAME });
    const late = await open(bed, raw(body, '').slice(0, -body.length + 1));
    const accepted = bed.query(NAME);
    await bed.running(1);
    late.socket.write(body.slice(1));
    await eventually(() => expect(late.received()).toContain('OVERLOADED'));
    expect(bed.calls()).toHaveLength(1);
    bed.release();
    await accepted;
  });
});

describe('3.28 Slow requests', () => {
  it.each<[string, string]>([
    ['nothing at all', ''],
    ['a part of a head', head.slice(0, -2)],
    ['a part of a body', `${head}{`],
  ])('%s gets a 408 in JSON, and a closed connection', async (_title, text) => {
    const bed = await start({ env: { REQUEST_TIMEOUT_MS: '300' } });
    const { received, closed } = await open(bed, text);
    await closed;
    expect(errorOf(received())).toEqual({ status: 408, closes: true, code: 'REQUEST_TIMEOUT' });
  });

  it('one that is just in time is answered, and its connection stays open for the next', async () => {
    const bed = await start({ env: { REQUEST_TIMEOUT_MS: '2000' } });
    const { socket, received } = await open(bed, 'GET /health/live HTTP/1.1\r\n');
    socket.write('host: x\r\n\r\n');
    await eventually(() => expect(received()).toContain('{"status":"live"}'));
    socket.write('GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(received()).toContain('{"status":"ready"}'));
  });
});

const LONG = 65_536;
const limitOf = (operations: number) =>
  `The subgraph is at its limit of long request bodies (MAX_OPERATIONS is ${operations}).`;

/** The body of a query of the dataset's name, with so many bytes. */
const bodyOf = (length: number) => JSON.stringify({ query: NAME }).padEnd(length);

const askLong = (bed: TestBed, length = LONG) => bed.http('/graphql', post(bodyOf(length), { ...json, authorization }));

/*
 * Clause 3.28 of docs/contract.md in detail: long and encoded bodies.
 * Of the bodies that have 64 kB or more, or are encoded, four are decoded and parsed at a time, and three of one
 * connection. Half as many as `MAX_OPERATIONS` wait for that, and connections take turns. Beyond them, the connection
 * with the most loses its last one. The bodies of 64 kB or more, decoded, have at most 64 kB for each of
 * `MAX_OPERATIONS` together (32 MB), each until its response is complete; the last one may exceed that. A request
 * beyond these limits gets the same 503.
 */
describe('3.28 Bodies of 64 kB or more', () => {
  it('have at most 64 kB for each of MAX_OPERATIONS; shorter ones are not affected', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '4' });
    const running = [askLong(bed, 3 * LONG), askLong(bed, LONG)];
    await eventually(() => expect(bed.calls()).toEqual([getSummary(), getSummary()]));
    expectOverloaded(await askLong(bed), limitOf(4));
    const short = askLong(bed, LONG - 1);
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    bed.release();
    for (const response of await Promise.all([...running, short])) expect(response.body).toEqual(named);
    expect((await askLong(bed)).body).toEqual(named);
    expect(bed.calls()).toEqual(Array(4).fill(getSummary()));
  });

  it('free what they hold when their connection is reset', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '4' });
    const { socket } = await open(bed, raw(bodyOf(4 * LONG), ''));
    await eventually(() => expect(bed.calls()).toEqual([getSummary()]));
    expectOverloaded(await askLong(bed), limitOf(4));
    socket.resetAndDestroy();
    bed.release();
    await eventually(async () => expect((await askLong(bed)).body).toEqual(named));
  });
});

describe('3.28 Encoded bodies', () => {
  const encoded = raw(gzipSync(typename, { level: 0 }), 'content-encoding: gzip\r\n');
  const last = 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

  /** Sends so many on one connection, and gives the status and the body of each response. */
  async function ask(bed: TestBed, count: number) {
    const received = await sendRaw(bed, Buffer.from(`${encoded.repeat(count)}${last}`, 'latin1'));
    const responses = received.split('HTTP/1.1 ').slice(1, -1);
    return responses.map((text) => [Number(text.slice(0, 3)), JSON.parse(text.slice(text.indexOf('\r\n\r\n')))]);
  }

  it('wait until they are decoded, half as many as MAX_OPERATIONS', async () => {
    const bed = await start({ env: { MAX_OPERATIONS: '20' } });
    // One connection has three of the four that are decoded.
    expect(await ask(bed, 20)).toEqual([
      ...Array(13).fill([200, typenameData]),
      ...Array(7).fill([503, refusal(limitOf(20), 'OVERLOADED')]),
    ]);
  });
});
