import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { residentBytes } from '../../bench/process-figures.ts';
import { imageSettings } from '../../deploy/image-settings.ts';

/** The resources of the process under test: bytes and counts. */
export interface Sample {
  readonly heapUsed: number;
  readonly rss: number;
  readonly external: number;
  /** Resident memory beside the engine's heap, as far as it is reserved, and external memory. */
  readonly native: number;
  /** Open files, sockets and pipes; null if the system does not report them. */
  readonly descriptors: number | null;
  readonly sockets: number;
  /** Everything that keeps the event loop alive, except timers. */
  readonly handles: number;
  /** All timers, including unref'd ones. */
  readonly timers: number;
}

/** The subgraph as a separate process with a probe. */
export interface Subject {
  readonly endpoint: URL;
  /** Rejects when the process ends before `stop`, for example at an unhandled rejection. */
  readonly broken: Promise<never>;
  /** Collects garbage, and then takes a sample. */
  sample(): Promise<Sample>;
  /** The metrics. Their connection is closed afterwards, because each open one is a handle. */
  metrics(): Promise<string>;
  /** The resident memory in bytes, read from outside the process; null if the system does not report it. */
  resident(): number | null;
  /** Sends SIGTERM. Resolves to the exit code and the output. */
  stop(): Promise<{ code: number | null; stderr: string; internalErrors: number }>;
}

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Starts `src/main.ts` like `npm start`. With `SOAK_LEAK` it leaks. */
export async function startSubject(serviceUrl: string, settings: Readonly<Record<string, string>>): Promise<Subject> {
  const { PATH = '', HOME = '', SOAK_LEAK } = process.env;
  // The allocator has the image's settings, unless the environment overrides them.
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
        ...{ PATH, HOME, PORT: '0', METRICS_PORT: '0', DATASET_SERVICE_URL: serviceUrl },
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
  const { urls, internalErrors } = readOutput(child);
  let stopping = false;
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  const broken = closed.then(([code, signal]) => {
    if (!stopping) throw new Error(`The subgraph exited unexpectedly (${signal ?? code}).\n${stderr}`);
    return new Promise<never>(() => {});
  });
  broken.catch(() => {});
  const { endpoint, metrics } = await Promise.race([urls, broken]);
  return {
    endpoint,
    broken,
    sample: async () => {
      const response = once(child, 'message') as Promise<[Sample]>;
      child.send('sample');
      const [sample] = await Promise.race([response, broken]);
      return sample;
    },
    metrics: async () => {
      const { body } = await Promise.race([request(metrics, { reset: true }), broken]);
      return body.text();
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

interface Urls {
  readonly endpoint: URL;
  readonly metrics: URL;
}

/** Reads the URLs from the program's output, and counts the errors in its log. */
function readOutput(child: ChildProcess): { urls: Promise<Urls>; internalErrors: () => number } {
  const { promise, resolve } = Promise.withResolvers<Urls>();
  let endpoint = '';
  let errors = 0;
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, name, url = ''] = /^(GraphQL endpoint|Metrics): (\S+)/.exec(line) ?? [];
      if (name === 'GraphQL endpoint') endpoint = url;
      else if (name === 'Metrics') resolve({ endpoint: new URL(endpoint), metrics: new URL(url) });
      else if (/^\{"level":[56]0/.test(line)) errors += 1;
    }
  });
  return { urls: promise, internalErrors: () => errors };
}
