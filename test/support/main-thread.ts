import { readFileSync } from 'node:fs';

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
export function mainThreadMs(pid: number): number {
  if (process.platform !== 'linux') return performance.now();
  const own = timesOf('thread-self');
  return timesOf(`${pid}/task/${pid}`).ran - own.ran - own.waited;
}
