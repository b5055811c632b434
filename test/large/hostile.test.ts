import { readFileSync } from 'node:fs';
import { Client, request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_ID } from '../harness.ts';
import { bodies, producers } from './hostile.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

/** The work of an operation: so little that its largest response takes a moment. */
const WORK = 20_000_000;
/** How much longer than its budget a response may be: what is not results, and its last step. */
const MAX_EXCESS = 1.1;
/** How long others may wait: the best of some attempts, because a busy machine adds to each. */
const MAX_BLOCK_MS = 100;
const ATTEMPTS = 5;
/** Beyond that of the process before: for the body, its index, what is decoded of it at a time, and what is not collected. */
const MAX_MEMORY = 600_000_000;

const subgraph = new SeparateSubgraph({ MAX_OPERATION_WORK: String(WORK) });

const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${subgraph.pid}/status`, 'utf8'))?.[1]) * 1024;

/** Asks, and looks on: the bytes of the response, its first characters, and for how long others waited. */
async function ask(selection: string): Promise<{ bytes: number; start: string; blockMs: number; memory: number }> {
  const client = new Client(subgraph.origin);
  let isOver = false;
  let blockMs = 0;
  let memory = 0;
  const others = (async () => {
    while (!isOver) {
      const sent = performance.now();
      const { body } = await client.request({ path: '/health/live', method: 'GET' });
      await body.dump();
      blockMs = Math.max(blockMs, performance.now() - sent);
      memory = Math.max(memory, resident());
    }
  })();
  const { body } = await request(`${subgraph.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify({ query: `{ dataset(id: "${DATASET_ID}") { results { series { ${selection} } } } }` }),
  });
  let bytes = 0;
  let start = '';
  for await (const chunk of body) {
    if (start.length < 2000) start += chunk.toString('utf8', 0, 2000);
    bytes += chunk.length;
  }
  isOver = true;
  await others;
  await client.close();
  return { bytes, start, blockMs, memory };
}

describe.each(Object.entries(bodies))('3.27 Of %s', (_title, makeBody) => {
  beforeAll(() => {
    const body = makeBody();
    subgraph.answer = () => body;
  });

  it.each(Object.entries(producers))('%s cost no more than an operation may', async (_name, selection) => {
    const before = resident();
    const blocks: number[] = [];
    while (blocks.length < ATTEMPTS) {
      const { bytes, start, blockMs, memory } = await ask(selection);
      expect(start).toMatch(/^{"data":|REQUEST_LIMIT_EXCEEDED/);
      expect(bytes).toBeLessThan(WORK * MAX_EXCESS);
      expect(memory - before).toBeLessThan(MAX_MEMORY);
      blocks.push(blockMs);
      if (blockMs < MAX_BLOCK_MS) break;
    }
    expect(Math.min(...blocks)).toBeLessThan(MAX_BLOCK_MS);
  });
});
