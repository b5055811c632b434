import { expect } from 'vitest';
import { knownMs } from '../support/known-work.ts';
import { longestStep } from '../support/main-thread.ts';
import { residentMemory } from '../support/process.ts';
import type { SeparateSubgraph } from './separate-subgraph.ts';

/**
 * How long the main thread may run between a request of others and its response: so many times what the machine takes just then for a
 * known piece of work.
 */
const MAX_BLOCK = 20;
/** On no machine is it less than this. */
const MAX_BLOCK_MS = 80;
/** Beyond that of the process before: for the body, the places of its entries, what is written of it, and what is not collected. */
const MAX_MEMORY = 600_000_000;

/** What others saw meanwhile: for how long the main thread ran at most before an answer, and the memory of the process. */
interface Seen {
  readonly blockMs: number;
  readonly memory: number;
}

/** Asks for something, while others ask for next to nothing again and again. */
export async function whileOthersWait<T extends object>(
  subgraph: SeparateSubgraph,
  ask: () => Promise<T>,
): Promise<T & Seen> {
  let memory = 0;
  const { answer, stepMs } = await longestStep(subgraph, ask, () => {
    memory = Math.max(memory, residentMemory(subgraph.pid));
  });
  return { ...answer, blockMs: stepMs, memory };
}

/** Expects that others do not wait for long, and that little memory is taken. */
export async function expectHarmless(subgraph: SeparateSubgraph, ask: () => Promise<Seen>): Promise<void> {
  const before = residentMemory(subgraph.pid);
  const attempt = async () => {
    const { blockMs, memory } = await ask();
    expect(memory - before).toBeLessThan(MAX_MEMORY);
    return blockMs;
  };
  if ((await attempt()) < MAX_BLOCK_MS) return;
  // The code was compiled, or the garbage collected, just then: not twice more.
  for (let again = 0; again < 2; again += 1) {
    const blockMs = await attempt();
    expect(blockMs).toBeLessThan(Math.max(MAX_BLOCK_MS, MAX_BLOCK * knownMs()));
  }
}
