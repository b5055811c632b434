import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, gate, NAME, named, start, type TestBed } from '../support/harness.ts';
import { samples, startMeasured } from '../support/metrics.ts';
import { open } from '../support/overload.ts';

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
    for (const answer of bed.answers) expect((await answer).body).toEqual(named);
    await eventually(async () => expect((await bed.query(NAME)).body).toEqual(named));
  });

  it('a connection that has sent nothing gives way to a new one, the oldest first', async () => {
    const bed = await startMeasured({ env: { MAX_CONNECTIONS: '3' } });
    const silent = [await open(bed), await open(bed), await open(bed, 'GET /health/live HTT')];
    await grownOld(bed, { http_server_open_connections: 3 });
    const first = await open(bed, live);
    await eventually(() => expect(first.received()).toContain('{"status":"live"}'));
    expect(silent.map(({ isClosed }) => isClosed())).toEqual([true, false, false]);
    expect((await bed.query(NAME)).body).toEqual(named);
    await eventually(() => expect(silent.map(({ isClosed }) => isClosed())).toEqual([true, true, false]));
    expect(first.isClosed()).toBe(false);
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
    const closed = () => all.map(({ isClosed }) => isClosed());
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
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(slow.map(({ isClosed }) => isClosed())).toEqual([true, false]);
    held.open();
    expect((await answer).body).toEqual(named);
  });

  it('a flood of new connections keeps no more open than a hundred beyond it', async () => {
    const bed = await startBusy(3);
    const opened = await Promise.all(Array.from({ length: 210 }, () => open(bed)));
    const last = await open(bed, live);
    await eventually(() => expect(last.received()).toContain('{"status":"live"}'));
    await eventually(() => expect(opened.filter(({ isClosed }) => isClosed()).length).toBeGreaterThanOrEqual(110));
    expect(opened.filter(({ isClosed }) => !isClosed()).length).toBeGreaterThanOrEqual(98);
    bed.release();
    for (const answer of bed.answers) expect((await answer).body).toEqual(named);
  });
});

describe('3.28 KEEP_ALIVE_MS', () => {
  it('keeps an idle connection open for that long', async () => {
    const bed = await start();
    const { socket, received } = await open(bed, live);
    await eventually(() => expect(received()).toContain('"live"'));
    expect(received()).toContain('Keep-Alive: timeout=95');
    socket.write(live);
    await eventually(() => expect(received().split('"live"')).toHaveLength(3));
  });

  it('closes it later than it says, never earlier', async () => {
    const bed = await start({ env: { KEEP_ALIVE_MS: '1000' } });
    // Node.js closes it, by a timer of its own. A busy machine can only make that later.
    const sent = performance.now();
    const { received, isClosed } = await open(bed, live);
    await eventually(() => expect(received()).toContain('Keep-Alive: timeout=1'));
    await eventually(() => expect(isClosed()).toBe(true));
    expect(performance.now() - sent).toBeGreaterThan(1500);
  });
});
