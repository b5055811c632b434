import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, DATASET_ID, dataset, gate, start, type TestBed, TOKEN } from '../support/harness.ts';
import { samples, startMeasured } from '../support/metrics.ts';

const NAME = `{ dataset(id: "${DATASET_ID}") { name } }`;
const nameData = { data: { dataset: { name: dataset.metadata.name } } };
const live = 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n';
const slowBody = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{';

/** Connections that nothing has come on for longer than they may do nothing before they give way. */
async function grownOld(bed: TestBed, use: Record<string, number>): Promise<void> {
  await eventually(async () => {
    const read = await samples(bed);
    expect(Object.fromEntries(Object.keys(use).map((name) => [name, read.get(name)]))).toEqual(use);
  });
  stopClock().advance(1100);
}

/** A connection, open until the end of the test; `received` is all that has come on it. */
async function open({ subgraph }: Pick<TestBed, 'subgraph'>, text = '') {
  const { hostname, port } = new URL(subgraph.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const state = { closed: false };
  socket.once('close', () => {
    state.closed = true;
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return { socket, state, received: () => received };
}

/** A subgraph with so many connections, each with a request that waits for the service. */
async function startBusy(connections: number) {
  const bed = await start({ env: { MAX_CONNECTIONS: String(connections) } });
  const held = gate();
  bed.simulator.intercept(() => held.opened.then(() => undefined));
  const answers = Array.from({ length: connections }, () => bed.query(NAME));
  await eventually(() => expect(bed.calls()).toHaveLength(connections));
  return { ...bed, answers, release: held.open };
}

function expectOverloaded(answer: Answer, connections: number): void {
  const message = `The subgraph is at its limit of ${connections} connections (MAX_CONNECTIONS).`;
  expect(answer.body).toEqual({ errors: [{ message, extensions: { code: 'OVERLOADED' } }] });
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } });
}

/*
 * Clause 3.28 of docs/contract.md in detail: connections.
 * Beyond `MAX_CONNECTIONS`, a new connection replaces an inactive one: first one that has sent no request for a second,
 * then one between two requests, then one whose request has not arrived after a second. Within each kind, the oldest is
 * replaced. While all connections have a request under way, a request on a further one gets the same 503, and its
 * connection is closed. A hundred such connections may be open. Beyond them, a new one replaces the oldest of them that
 * has sent no request. The health checks always respond. An idle connection stays open for `KEEP_ALIVE_MS`, and up to a
 * second longer.
 */
describe('3.28 MAX_CONNECTIONS', () => {
  it('while all of them have a request a further one is refused, and its connection closed; health checks are answered', async () => {
    const bed = await startBusy(3);
    expectOverloaded(await bed.query(NAME), 3);
    expect(bed.calls()).toHaveLength(3);
    expect((await bed.http('/health/ready')).status).toBe(200);
    expect((await bed.http('/health/live')).status).toBe(200);
    bed.release();
    for (const answer of bed.answers) expect((await answer).body).toEqual(nameData);
    await eventually(async () => expect((await bed.query(NAME)).body).toEqual(nameData));
  });

  it('a connection that has sent nothing gives way to a new one, the oldest first', async () => {
    const bed = await startMeasured({ env: { MAX_CONNECTIONS: '3' } });
    const silent = [await open(bed), await open(bed), await open(bed, 'GET /health/live HTT')];
    await grownOld(bed, { http_server_open_connections: 3 });
    const first = await open(bed, live);
    await eventually(() => expect(first.received()).toContain('{"status":"live"}'));
    expect(silent.map(({ state }) => state.closed)).toEqual([true, false, false]);
    expect((await bed.query(NAME)).body).toEqual(nameData);
    await eventually(() => expect(silent.map(({ state }) => state.closed)).toEqual([true, true, false]));
    expect(first.state.closed).toBe(false);
  });

  it('one between two requests gives way after those that have sent nothing, the one idle longest first', async () => {
    const bed = await startMeasured({ env: { MAX_CONNECTIONS: '3' } });
    const kept = [await open(bed, live), await open(bed, live)];
    for (const { received } of kept) await eventually(() => expect(received()).toContain('live'));
    const silent = await open(bed);
    await grownOld(bed, { http_server_open_connections: 3 });
    kept[0]?.socket.write(live);
    await eventually(() => expect(kept[0]?.received().split('"live"')).toHaveLength(3));
    const all = [...kept, silent];
    const closed = () => all.map(({ state }) => state.closed);
    all.push(await open(bed, live));
    await eventually(() => expect(closed()).toEqual([false, false, true, false]));
    all.push(await open(bed, live));
    await eventually(() => expect(closed()).toEqual([false, true, true, false, false]));
    for (const { received } of all.slice(-2)) await eventually(() => expect(received()).toContain('live'));
  });

  it('one whose request does not come to its end gives way, one whose request is under way never does', async () => {
    const bed = await startMeasured({ env: { MAX_CONNECTIONS: '3' } });
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    const answer = bed.query(NAME);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const slow = [await open(bed, slowBody), await open(bed, slowBody)];
    await grownOld(bed, { http_server_open_connections: 3, http_server_active_requests: 3 });
    bed.simulator.intercept(undefined);
    expect((await bed.query(NAME)).body).toEqual(nameData);
    expect(slow.map(({ state }) => state.closed)).toEqual([true, false]);
    held.open();
    expect((await answer).body).toEqual(nameData);
  });

  it('a flood of new connections keeps no more open than a hundred beyond it', async () => {
    const bed = await startBusy(3);
    const opened = await Promise.all(Array.from({ length: 210 }, () => open(bed)));
    const last = await open(bed, live);
    await eventually(() => expect(last.received()).toContain('{"status":"live"}'));
    await eventually(() => expect(opened.filter(({ state }) => state.closed).length).toBeGreaterThanOrEqual(110));
    expect(opened.filter(({ state }) => !state.closed).length).toBeGreaterThanOrEqual(98);
    bed.release();
    for (const answer of bed.answers) expect((await answer).body).toEqual(nameData);
  });

  it('2,100 connections that do nothing keep neither health checks nor requests out', async () => {
    const bed = await start();
    for (let count = 0; count < 2100; count += 100) {
      await Promise.all(Array.from({ length: 100 }, () => open(bed)));
    }
    for (let round = 0; round < 30; round += 1) {
      expect((await bed.http('/health/live')).status).toBe(200);
      expect((await bed.http('/health/ready')).status).toBe(200);
      expect((await bed.query(NAME)).body).toEqual(nameData);
    }
  });
});

describe('3.28 KEEP_ALIVE_MS', () => {
  /** Asks on one connection, again after a pause of so many milliseconds; whether it was still the same one. */
  async function askTwice(bed: TestBed, pauseMs: number): Promise<boolean> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = () =>
      new Promise<boolean>((resolve, reject) => {
        const request = httpRequest(bed.subgraph.url, {
          method: 'POST',
          agent,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        });
        request.on('error', reject);
        request.on('response', (response) => response.resume().once('end', () => resolve(request.reusedSocket)));
        request.end(JSON.stringify({ query: NAME }));
      });
    expect(await ask()).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return ask();
  }

  it('keeps an idle connection open for that long, longer than the 5 s of Node.js', async () => {
    const bed = await start();
    const ends: Socket[] = [];
    const onRequest = (message: unknown) => void ends.push((message as { socket: Socket }).socket);
    subscribe('http.server.request.start', onRequest);
    onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
    const { socket, received } = await open(bed, live);
    await eventually(() => expect(received()).toContain('"live"'));
    expect(received()).toContain('Keep-Alive: timeout=95');
    // Node.js closes it after so many milliseconds without a byte.
    await eventually(() => expect(ends.map(({ timeout }) => timeout)).toEqual([96_000]));
    socket.write(live);
    await eventually(() => expect(received().split('"live"')).toHaveLength(3));
  });

  it('closes it later than it says, never earlier', async () => {
    const bed = await start({ env: { KEEP_ALIVE_MS: '1000' } });
    // Node.js closes it, by a timer of its own. A busy machine can only make that later.
    const sent = performance.now();
    const { received, state } = await open(bed, live);
    await eventually(() => expect(received()).toContain('Keep-Alive: timeout=1'));
    await eventually(() => expect(state.closed).toBe(true));
    expect(performance.now() - sent).toBeGreaterThan(1500);
  });

  it('a client with a shorter time loses no request', async () => {
    const bed = await start({ env: { KEEP_ALIVE_MS: '2000' } });
    expect(await Promise.all(Array.from({ length: 20 }, (_, index) => askTwice(bed, index * 95)))).toHaveLength(20);
  });

  it('does not hold up the end of the program', async () => {
    const simulated = await start({ env: { KEEP_ALIVE_MS: '600000' } });
    const idle = await open(simulated, live);
    await eventually(() => expect(idle.received()).toContain('"live"'));
    expect(idle.state.closed).toBe(false);
    const began = performance.now();
    await simulated.subgraph.stop();
    expect(performance.now() - began).toBeLessThan(2000);
    await eventually(() => expect(idle.state.closed).toBe(true));
  });
});
