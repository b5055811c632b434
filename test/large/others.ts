import { expect } from 'vitest';
import { longestStep } from '../support/main-thread.ts';
import { residentMemory } from '../support/process.ts';
import type { SeparateSubgraph } from './separate-subgraph.ts';

/**
 * How long the main thread may run between a request of others and its response: so many times what the machine takes just then for a
 * known piece of work, which is 4 ms where a response takes 20 to 40. A machine that is busy or slow is slow at both.
 */
const MAX_BLOCK = 20;
/** On no machine is it less than this. */
const MAX_BLOCK_MS = 80;
/** The known piece of work is to parse this. */
const KNOWN_JSON = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ a: at, b: `x${at}`, c: [1.5, 2, 3] })));
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

/** What the machine takes for the known piece of work, in milliseconds: the median of five. */
function knownMs(): number {
  const taken = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage();
    JSON.parse(KNOWN_JSON);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return taken.sort((a, b) => a - b)[2] as number;
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
