import { resolve } from 'node:path';
import { type Child, startChild } from './children.ts';

/** The contestants, in the order of the tables. */
export const contestantNames = [
  ...(['subgraph', 'quiet', 'before', 'metrics', 'traces', 'memory'] as const),
  ...(['ordinary', 'mercurius', 'jit', 'relay', 'pipe'] as const),
];
export type ContestantName = (typeof contestantNames)[number];

/** The contestants for small responses. */
export const ofSmallSize: readonly ContestantName[] = contestantNames.filter(
  (name) => !['before', 'metrics', 'traces', 'memory'].includes(name),
);

/** The contestants for workloads of any size. Log lines matter only for small responses. */
export const ofAnySize: readonly ContestantName[] = ofSmallSize.filter((name) => name !== 'quiet');

/** The contestants for small responses out of several REST calls. The pipe copies the response of one call. */
export const ofSeveralCalls: readonly ContestantName[] = ofSmallSize.filter((name) => name !== 'pipe');

/** The definition of a contestant. */
export interface ContestantKind {
  /** Its name in the tables. */
  readonly title: string;
  /** Whether it serves GraphQL, or the paths of the REST service. */
  readonly speaks: 'graphql' | 'rest';
  /** The program, relative to this folder. */
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether it sends traces. The REST service takes them. */
  readonly hasTraces?: true;
}

/** A running contestant. */
export interface Contestant extends ContestantKind, Child {
  readonly name: ContestantName;
}

export const contestantKinds: Readonly<Record<ContestantName, ContestantKind>> = {
  subgraph: { title: 'this subgraph', speaks: 'graphql', file: '../src/main.ts', env: {} },
  quiet: {
    title: 'this subgraph, LOG_LEVEL=warn',
    speaks: 'graphql',
    file: '../src/main.ts',
    env: { LOG_LEVEL: 'warn' },
  },
  // In the folder that --before names.
  before: { title: 'the subgraph before', speaks: 'graphql', file: 'src/main.ts', env: {} },
  metrics: {
    title: 'this subgraph, metrics on',
    speaks: 'graphql',
    file: '../src/main.ts',
    env: { METRICS_PORT: '0' },
  },
  traces: {
    title: 'this subgraph, traces at 1 %',
    speaks: 'graphql',
    file: '../src/main.ts',
    env: { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
    hasTraces: true,
  },
  memory: {
    title: 'this subgraph, cache in memory',
    speaks: 'graphql',
    file: '../src/main.ts',
    // Nothing expires while it is measured.
    env: { CACHE: 'memory', CACHE_METADATA_SECONDS: '3600', CACHE_RESULTS_SECONDS: '3600' },
  },
  ordinary: { title: 'ordinary subgraph', speaks: 'graphql', file: 'ordinary/index.ts', env: {} },
  mercurius: { title: 'Mercurius with its JIT', speaks: 'graphql', file: 'ordinary/mercurius.ts', env: {} },
  jit: { title: 'graphql-jit on bare http', speaks: 'graphql', file: 'ordinary/jit.ts', env: {} },
  relay: { title: 'JSON relay', speaks: 'rest', file: 'relay.ts', env: {} },
  pipe: { title: 'byte pipe', speaks: 'rest', file: 'pipe.ts', env: {} },
};

/**
 * Starts a contestant with its default settings.
 *
 * @param settings further environment variables
 * @param folder the checkout of its program, if it is not this one
 */
export async function startContestant(
  name: ContestantName,
  upstreamUrl: string,
  nodeArguments: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Contestant> {
  const kind = contestantKinds[name];
  const common = { NODE_ENV: 'production', PORT: '0', DATASET_SERVICE_URL: upstreamUrl };
  const traces = kind.hasTraces && { OTEL_EXPORTER_OTLP_ENDPOINT: upstreamUrl };
  const env = { ...common, ...kind.env, ...traces, ...settings };
  const file = folder === undefined ? kind.file : resolve(folder, kind.file);
  const child = await startChild(kind.title, file, env, nodeArguments);
  return { ...kind, ...child, name };
}
