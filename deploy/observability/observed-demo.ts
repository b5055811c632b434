import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../src/run.ts';
import { urlOfGraphs } from './graphs.ts';
import { sendLoad } from './load.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the parts of the observed demo are. */
export interface ObservedDemo {
  readonly endpoint: URL;
  readonly metrics: URL;
  readonly prometheus: URL;
  readonly alerts: URL;
  readonly graphs: URL;
}

/** Runs the demo under a light load, and a Prometheus with the alerts that watches it, until the signal. */
export async function observeDemo(signal: AbortSignal, onReady: (demo: ObservedDemo) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'dataset-subgraph-'));
  const programs: ChildProcess[] = [];
  try {
    await runAll(programs, directory, signal, onReady);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await Promise.all(programs.map(stop));
    await rm(directory, { recursive: true });
  }
}

/** Starts everything, and sends requests. It ends by an error. */
async function runAll(
  programs: ChildProcess[],
  directory: string,
  signal: AbortSignal,
  onReady: (demo: ObservedDemo) => void,
): Promise<void> {
  const demo = start(programs, process.execPath, ['-r', './src/node-version.cjs', 'simulator/demo.ts'], {
    ...process.env,
    PORT: process.env.PORT ?? '0',
    METRICS_PORT: process.env.METRICS_PORT ?? '0',
    LOG_LEVEL: 'warn',
  });
  const endpoint = new URL(await demo.printed(/^GraphQL endpoint: (\S+)/m));
  const metrics = new URL(await demo.printed(/^Metrics: (\S+)/m));
  const config = {
    global: { scrape_interval: '2s', evaluation_interval: '10s' },
    rule_files: [join(PROJECT, 'deploy/observability/rules.yaml')],
    scrape_configs: [{ job_name: 'dataset-subgraph', static_configs: [{ targets: [metrics.host] }] }],
  };
  // YAML includes JSON.
  await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(config));
  const prometheus = start(programs, 'prometheus', [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ]);
  const address = await prometheus.printed(/"Listening on".* address=(\S+)/);
  await prometheus.printed(/(ready to receive web requests)/);
  // The page for queries has another path in each version.
  const { url: page } = await fetch(`http://${address}/`, { signal });
  onReady({
    endpoint,
    metrics,
    prometheus: new URL(`http://${address}/`),
    alerts: new URL(page.replace(/\w+$/, 'alerts')),
    graphs: urlOfGraphs(new URL(page)),
  });
  await Promise.race([sendLoad(endpoint, signal), demo.ended, prometheus.ended]);
}

/** A program that was started. Both promises reject when it ends. */
interface Started {
  /** Waits for a line, and returns its first group. */
  printed(pattern: RegExp): Promise<string>;
  readonly ended: Promise<never>;
}

function start(programs: ChildProcess[], command: string, args: string[], env = process.env): Started {
  const child = spawn(command, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing(command) : error));
    child.once('close', () => reject(new UsageError(`${command} has ended.\n${output}`)));
  });
  ended.catch(() => {});
  child.once('spawn', () => programs.push(child));
  const printed = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const [, found] = pattern.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
      look();
      ended.catch(reject);
    });
  return { printed, ended };
}

function missing(command: string): UsageError {
  return new UsageError(`${command} is not installed. On Debian or Ubuntu, run: apt-get install ${command}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'close');
}
