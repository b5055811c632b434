import { Client } from 'undici';
import { expect } from 'vitest';
import { residentMemory } from '../support/process.ts';
import type { SeparateSubgraph } from './separate-subgraph.ts';

/** How long others may wait: the best of some attempts, because a busy machine adds to each. */
const MAX_BLOCK_MS = 50;
const ATTEMPTS = 15;
/** Beyond that of the process before: for the body, its index, what is decoded of it at a time, and what is not collected. */
const MAX_MEMORY = 600_000_000;

/** What others saw meanwhile: the longest time without an answer, and the memory of the process. */
interface Seen {
  readonly blockMs: number;
  readonly memory: number;
}

/** Asks for something, while others ask for next to nothing again and again. */
export async function whileOthersWait<T extends object>(
  subgraph: SeparateSubgraph,
  ask: () => Promise<T>,
): Promise<T & Seen> {
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
      memory = Math.max(memory, residentMemory(subgraph.pid));
    }
  })();
  const answer = await ask();
  isOver = true;
  await others;
  await client.close();
  return { ...answer, blockMs, memory };
}

/** Expects that others do not wait for long, and that little memory is taken. */
export async function expectHarmless(subgraph: SeparateSubgraph, ask: () => Promise<Seen>): Promise<void> {
  const before = residentMemory(subgraph.pid);
  const blocks: number[] = [];
  while (blocks.length < ATTEMPTS) {
    const { blockMs, memory } = await ask();
    expect(memory - before).toBeLessThan(MAX_MEMORY);
    blocks.push(blockMs);
    if (blockMs < MAX_BLOCK_MS) break;
  }
  expect(Math.min(...blocks)).toBeLessThan(MAX_BLOCK_MS);
}
