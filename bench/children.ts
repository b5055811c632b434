import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of the benchmark in a separate process. */
export interface Child {
  readonly pid: number;
  /** The address that it printed. */
  readonly url: string;
  /** The rest of the first line that it printed with this beginning. Waits for it. */
  printed(beginning: string): Promise<string>;
  /** Rejects when the process ends before it is stopped. */
  readonly broken: Promise<never>;
  stop(): Promise<void>;
}

const START_MS = 30_000;
const STOP_MS = 10_000;
const MAX_OUTPUT_LENGTH = 2_000;
const ADDRESS = /(http:\/\/\S+)\s/;

const running = new Set<ChildProcess>();
// Ends the children with this process.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a program of this repository and waits for the address that it prints.
 *
 * @param file relative to this folder
 * @param env its environment; of our own it gets only PATH
 * @param nodeArguments options of Node.js
 */
export async function startChild(
  name: string,
  file: string,
  env: Readonly<Record<string, string>>,
  nodeArguments: readonly string[],
): Promise<Child> {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [...nodeArguments, program], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let errorOutput = '';
  child.stderr.on('data', (text: Buffer) => {
    errorOutput = (errorOutput + text).slice(-MAX_OUTPUT_LENGTH);
  });
  let stopping = false;
  const broken = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    if (!stopping) throw new Error(`${name} has exited unexpectedly (${signal ?? code}).\n${errorOutput}`);
    return new Promise<never>(() => {});
  });
  broken.catch(() => {});
  const tooLate = timeout(
    START_MS,
    () => new Error(`${name} did not start within ${START_MS / 1000} s.\n${errorOutput}`),
  );
  const match = watchOutput(child);
  const found = (pattern: RegExp) => Promise.race([match(pattern), broken]);
  const url = await Promise.race([found(ADDRESS), tooLate.promise]).finally(tooLate.cancel);
  return {
    pid: child.pid ?? 0,
    url,
    printed: (beginning) => found(new RegExp(`^${beginning}(.*)\n`, 'm')),
    broken,
    stop: async () => {
      stopping = true;
      if (!running.has(child)) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Returns a function that waits until the output has a match, and resolves to its first group. */
function watchOutput(child: ChildProcess): (pattern: RegExp) => Promise<string> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MAX_OUTPUT_LENGTH) output += text;
  });
  return async (pattern) => {
    for (;;) {
      const [, group] = pattern.exec(output) ?? [];
      if (group !== undefined) return group;
      await once(child.stdout ?? child, 'data');
    }
  };
}

function timeout(milliseconds: number, error: () => Error): { promise: Promise<never>; cancel: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error()), milliseconds);
  return { promise, cancel: () => clearTimeout(timer) };
}
