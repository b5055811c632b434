import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LISTS } from '../support/aggregates.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID } from '../support/harness.ts';
import { residentMemory } from '../support/process.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const BUDGET = 2 ** 26;
/** What the process takes beside the budget: what is not collected yet, texts and chunks that wait for sockets, code. */
const MAX_BESIDE = 310_000_000;
const CLIENTS = 50;
const subgraph = new SeparateSubgraph({ MEMORY_BUDGET: String(BUDGET) });

const quantiles = Array.from({ length: 20 }, (_, index) => index / 20);
const selection = `byDate { dates metrics { ${LISTS} quantiles(of: [${quantiles.join()}]) } }`;
const query = `{ dataset(id: "${DATASET_ID}") { results { ${selection} } } }`;

/** A client that asks, and reads nothing of the response. */
async function askAndWait(): Promise<Socket> {
  const { hostname, port } = new URL(subgraph.origin);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  const body = JSON.stringify({ query });
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

describe('3.27 What is computed', () => {
  beforeAll(() => {
    const rows = Array.from({ length: 20_000 }, (_, at) => {
      const value_date = new Date(at * 86_400_000).toISOString().slice(0, 10);
      return { value_date, metrics: [0, 1].map((metric) => ({ name: `m${metric}`, value: at / 7 + metric })) };
    });
    const body = Buffer.from(JSON.stringify({ assets: [{ asset_id: 'a', results: rows }] }));
    subgraph.answer = () => body;
  });

  it('and waits for clients is memory of the budget, so that they take turns', { timeout: 120_000 }, async () => {
    const before = residentMemory(subgraph.pid);
    let most = before;
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, askAndWait));
    let served = 0;
    for (const socket of sockets) socket.once('readable', () => (served += 1)).once('close', () => (served += 1));
    await eventually(() => {
      most = Math.max(most, residentMemory(subgraph.pid));
      expect(served).toBeGreaterThanOrEqual(CLIENTS);
    });
    expect(most - before).toBeLessThan(BUDGET + MAX_BESIDE);
  });
});
