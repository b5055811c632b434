import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'undici';

/** Between a response and the next request of others, in milliseconds. */
const REST_MS = 4;

/** For how long a thread has run and has waited to run, in milliseconds. */
function timesOf(thread: string): { ran: number; waited: number } {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ').map(Number);
  return { ran: ran / 1e6, waited: waited / 1e6 };
}

/**
 * A clock for how long the main thread of a process runs before this one sees its response, in milliseconds. It stands still while
 * this one runs, or waits to run: the response may be there by then, and the process go on. Only Linux says so; elsewhere it is the
 * time.
 */
function mainThreadMs(pid: number): number {
  if (process.platform !== 'linux') return performance.now();
  const own = timesOf('thread-self');
  return timesOf(`${pid}/task/${pid}`).ran - own.ran - own.waited;
}

/** Asks for something, while others ask for next to nothing again and again: for how long the main thread ran at most before a response. */
export async function longestStep<T>(
  { pid, origin }: { readonly pid: number; readonly origin: string },
  ask: () => Promise<T>,
  whenAnswered = () => {},
): Promise<{ answer: T; stepMs: number }> {
  const client = new Client(origin);
  let isOver = false;
  let stepMs = 0;
  const others = (async () => {
    while (!isOver) {
      const before = mainThreadMs(pid);
      const { body } = await client.request({ path: '/health/live', method: 'GET' });
      await body.dump();
      stepMs = Math.max(stepMs, mainThreadMs(pid) - before);
      whenAnswered();
      // Without a rest the requests of others would take as much time as what they wait for.
      await setTimeout(REST_MS);
    }
  })();
  const answer = await ask();
  isOver = true;
  await others;
  await client.close();
  return { answer, stepMs };
}
