import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, DATASET_ID, dataset, gate, getSummary, start, type TestBed, TOKEN } from '../support/harness.ts';
import { json, post, refusal, sendRaw, typename, typenameData } from '../support/http.ts';
import { open } from '../support/overload.ts';

const LONG = 65_536;
const authorization = `Bearer ${TOKEN}`;
const named = { data: { dataset: { name: dataset.metadata.name } } };
const overloaded = (operations: number) =>
  refusal(`The subgraph is at its limit of long request bodies (MAX_OPERATIONS is ${operations}).`, 'OVERLOADED');

/** The body of a query of the dataset's name, with so many bytes. */
const bodyOf = (length: number) =>
  JSON.stringify({ query: `{ dataset(id: "${DATASET_ID}") { name } }` }).padEnd(length);

const askLong = (bed: TestBed, length = LONG) => bed.http('/graphql', post(bodyOf(length), { ...json, authorization }));

const raw = (body: string | Uint8Array, headers: string) =>
  Buffer.concat([
    Buffer.from(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\n${headers}` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ]).toString('latin1');

/** A subgraph whose service holds its answers back. */
async function startHeld(env: Record<string, string>) {
  const bed = await start({ env });
  const held = gate();
  bed.simulator.intercept(() => held.opened.then(() => undefined));
  return { ...bed, release: held.open };
}

function expectOverloaded({ status, headers, body }: Answer, operations: number): void {
  expect(body).toEqual(overloaded(operations));
  expect([status, headers['retry-after']]).toEqual([503, '1']);
}

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
    expectOverloaded(await askLong(bed), 4);
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
    expectOverloaded(await askLong(bed), 4);
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
      ...Array(7).fill([503, overloaded(20)]),
    ]);
  });

  it('of a connection that is reset leave their places to others', async () => {
    const bed = await start({ env: { MAX_OPERATIONS: '20' } });
    for (let round = 0; round < 20; round += 1) {
      const { socket } = await open(bed);
      socket.write(Buffer.from(encoded.repeat(20), 'latin1'), () => socket.resetAndDestroy());
    }
    await eventually(async () => expect(await ask(bed, 13)).toEqual(Array(13).fill([200, typenameData])));
  });
});
