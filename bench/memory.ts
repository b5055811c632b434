/**
 * Compares allocators and sizes of the young generation: node bench/memory.ts [--only TEXT] [--rounds N]
 *
 * Each subgraph sends large responses, is idle for some seconds, and then sends small responses. JEMALLOC and MIMALLOC are
 * the paths of the libraries; a library without a path is skipped.
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Child, startChild } from './children.ts';
import { type Contestant, contestantKinds } from './contestants.ts';
import { repeat, saturate } from './load.ts';
import { cpuSeconds, residentBytes, watchPeak } from './process-figures.ts';
import { graphqlRequest } from './requests.ts';
import { median } from './statistics.ts';
import { large, metadata, middle } from './workloads.ts';

/** The environment and options of a subgraph. */
interface Candidate {
  readonly title: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeArguments?: readonly string[];
}

/** Megabytes, and CPU milliseconds for each response. */
interface Figures {
  readonly start: number;
  readonly peak: number;
  readonly idle: number;
  readonly rest: number;
  readonly largeCpuMs: number;
  readonly smallCpuMs: number;
}

const { JEMALLOC, MIMALLOC } = process.env;
const IDLE_MS = 15_000;
const REST_MS = 5_000;
const LARGE_RESPONSES = 24;
const SMALL_SECONDS = 4;

const { values: options } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string' } } });

const arenas = { MALLOC_ARENA_MAX: '2' };
const thresholds = { MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' };
const preloaded = (title: string, library: string | undefined, env = {}): Candidate[] =>
  library === undefined ? [] : [{ title, env: { LD_PRELOAD: library, ...env } }];

const candidates: readonly Candidate[] = [
  { title: 'glibc' },
  { title: 'glibc, MALLOC_ARENA_MAX=2', env: arenas },
  { title: 'glibc, thresholds of 128 kB', env: thresholds },
  { title: 'glibc, both', env: { ...arenas, ...thresholds } },
  ...preloaded('jemalloc', JEMALLOC),
  ...preloaded('jemalloc, background_thread', JEMALLOC, { MALLOC_CONF: 'background_thread:true,dirty_decay_ms:1000' }),
  ...preloaded('mimalloc', MIMALLOC),
  ...[1, 8, 32, 64].map((megabytes) => ({
    title: `glibc, --max-semi-space-size=${megabytes}`,
    nodeArguments: [`--max-semi-space-size=${megabytes}`],
  })),
];

const upstream = await startChild('the REST service', 'upstream.ts', {}, []);
const chosen = candidates.filter(({ title }) => title.includes(options.only ?? ''));
const samples = new Map<Candidate, Figures[]>(chosen.map((candidate) => [candidate, []]));
for (let round = 1; round <= Number(options.rounds ?? 2); round += 1) {
  for (const [candidate, figures] of samples) {
    const sample = await measure(candidate);
    figures.push(sample);
    process.stdout.write(`round ${round}, ${candidate.title}: ${row(sample).join(', ')}\n`);
  }
}
await upstream.stop();
process.stdout.write(
  '\n| allocator | MB at the start | peak MB | MB idle | MB at rest after small responses | CPU ms of a large response | of a small one |\n|---|---|---|---|---|---|---|\n',
);
for (const [{ title }, figures] of samples) {
  const medianOf = (name: keyof Figures) => median(figures.map((sample) => sample[name]));
  const names = ['start', 'peak', 'idle', 'rest', 'largeCpuMs', 'smallCpuMs'] as const;
  const medians = Object.fromEntries(names.map((name) => [name, medianOf(name)])) as unknown as Figures;
  process.stdout.write(`| ${[title, ...row(medians)].join(' | ')} |\n`);
}

function row({ start, peak, idle, rest, largeCpuMs, smallCpuMs }: Figures): string[] {
  return [...[start, peak, idle, rest, largeCpuMs].map((value) => value.toFixed(0)), smallCpuMs.toFixed(2)];
}

async function measure({ env = {}, nodeArguments = [] }: Candidate): Promise<Figures> {
  const kind = contestantKinds.subgraph;
  const common = { NODE_ENV: 'production', PORT: '0', DATASET_SERVICE_URL: upstream.url };
  const child: Child = await startChild(kind.title, kind.file, { ...common, ...env }, nodeArguments);
  const subgraph: Contestant = { ...kind, ...child, name: 'subgraph' };
  const resident = () => (residentBytes(child.pid) ?? 0) / 1e6;
  try {
    await forCount(subgraph, metadata, 200, 1);
    const start = resident();
    const peakOf = watchPeak(child.pid);
    const largeCpuMs = await forCount(subgraph, large, LARGE_RESPONSES, 3);
    const peak = (peakOf() ?? 0) / 1e6;
    await setTimeout(IDLE_MS);
    const idle = resident();
    await forCount(subgraph, middle, 40, 4);
    const smallCpuMs = await forSeconds(subgraph, SMALL_SECONDS);
    await setTimeout(REST_MS);
    return { start, peak, idle, rest: resident(), largeCpuMs, smallCpuMs };
  } finally {
    await child.stop();
  }
}

/** Sends so many requests on so many connections. Returns the CPU milliseconds for each response. */
async function forCount(
  subgraph: Contestant,
  workload: typeof large,
  count: number,
  connections: number,
): Promise<number> {
  let left = count - connections;
  return cpuOf(subgraph, workload, connections, () => left-- <= 0);
}

async function forSeconds(subgraph: Contestant, seconds: number): Promise<number> {
  return cpuOf(subgraph, metadata, 16, (elapsed) => elapsed >= seconds);
}

async function cpuOf(
  subgraph: Contestant,
  { query }: typeof large,
  connections: number,
  isEnough: (seconds: number) => boolean,
): Promise<number> {
  const before = cpuSeconds(subgraph.pid) ?? 0;
  const { latenciesMs } = await saturate(repeat(graphqlRequest(subgraph, query)), { connections, isEnough });
  return (((cpuSeconds(subgraph.pid) ?? 0) - before) * 1000) / latenciesMs.length;
}
