import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { residentBytes } from '../../bench/process-figures.ts';
import { imageSettings } from '../../deploy/image-settings.ts';

/** What the process under test holds: bytes, and numbers of things. */
export interface Sample {
  readonly heapUsed: number;
  readonly rss: number;
  readonly external: number;
  /** Open files, sockets and pipes; null where the system does not say. */
  readonly descriptors: number | null;
  readonly sockets: number;
  /** All that keeps an event loop alive, but for timers. */
  readonly handles: number;
  /** Those that are unref'd too. */
  readonly timers: number;
}

/** The subgraph, running as a process of its own with a probe in it. */
export interface Subject {
  readonly endpoint: URL;
  /** Rejects when the process ends before it is stopped, as it does at an unhandled rejection. */
  readonly broken: Promise<never>;
  /** Collects the garbage, and tells what the process holds then. */
  sample(): Promise<Sample>;
  /** The memory in bytes that the process holds, found out without its doing anything; null where the system does not say. */
  resident(): number | null;
  /** SIGTERM; what has come of it, and what was written meanwhile. */
  stop(): Promise<{ code: number | null; stderr: string; internalErrors: number }>;
}

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Starts `src/main.ts` as `npm start` does; `SOAK_LEAK`, where it is set, makes it leak. */
export async function startSubject(serviceUrl: string, settings: Readonly<Record<string, string>>): Promise<Subject> {
  const { PATH = '', HOME = '', SOAK_LEAK } = process.env;
  // What is preloaded and how memory is allocated may be tried out; unless it is, it is as in the image.
  const allocator = Object.fromEntries(
    Object.entries({ ...imageSettings, ...process.env }).filter(([name]) => /^(MALLOC_|LD_PRELOAD$)/.test(name)),
  );
  const preloads = ['./src/node-version.cjs', './test/soak/probe.cjs', ...(SOAK_LEAK ? ['./test/soak/leak.cjs'] : [])];
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--unhandled-rejections=strict', ...preloads.flatMap((file) => ['-r', file]), 'src/main.ts'],
    {
      cwd: PROJECT,
      env: {
        ...{ PATH, HOME, PORT: '0', DATASET_SERVICE_URL: serviceUrl },
        ...allocator,
        ...settings,
        ...(SOAK_LEAK && { SOAK_LEAK }),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const { endpoint, internalErrors } = readOutput(child);
  let stopping = false;
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  const broken = closed.then(([code, signal]) => {
    if (!stopping) throw new Error(`The subgraph has ended by itself (${signal ?? code}).\n${stderr}`);
    return new Promise<never>(() => {});
  });
  broken.catch(() => {});
  return {
    endpoint: await Promise.race([endpoint, broken]),
    broken,
    sample: async () => {
      const response = once(child, 'message') as Promise<[Sample]>;
      child.send('sample');
      const [sample] = await Promise.race([response, broken]);
      return sample;
    },
    resident: () => residentBytes(child.pid ?? 0) ?? null,
    stop: async () => {
      stopping = true;
      child.kill('SIGTERM');
      const [code] = await closed;
      return { code, stderr, internalErrors: internalErrors() };
    },
  };
}

/** Reads what the program prints: the endpoint, and the log, of which only the number of errors is kept. */
function readOutput(child: ChildProcess): { endpoint: Promise<URL>; internalErrors: () => number } {
  const { promise, resolve } = Promise.withResolvers<URL>();
  let errors = 0;
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, url] = /^GraphQL endpoint: (\S+)/.exec(line) ?? [];
      if (url !== undefined) resolve(new URL(url));
      else if (/^\{"level":[56]0/.test(line)) errors += 1;
    }
  });
  return { endpoint: promise, internalErrors: () => errors };
}
