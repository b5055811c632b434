import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They measure the memory of their process, or what its collector does: each runs in a new one. */
export const memoryTests = [
  'test/core/response-memory.test.ts',
  'test/rest/memory-budget.test.ts',
  'test/telemetry/garbage-collections.test.ts',
];

/** They mostly wait for timeouts and slow clients, and take longest. */
const waitingTests = [
  'test/server/slow-clients.test.ts',
  'test/rest/faults.test.ts',
  'test/downloads/results-files-clients.test.ts',
  'test/rest/outage.test.ts',
  'test/server/connections.test.ts',
];

/** The tests of the engine: they feed bytes, and need no server. */
export const engineTests = ['engine/test/*.test.ts'];

/** Those of them that try most random cases. */
const randomTests = ['oracle', 'broken', 'reduction', 'figures'].map((name) => `engine/test/${name}.test.ts`);

/** Begins with the tests that take longest, so that none of them is alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      [...waitingTests, ...memoryTests, ...randomTests].some((test) => moduleId.endsWith(`/${test}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** The folders of `test/` for the layers of `src/`, for `files/` and for the project. The others are suites of their own. */
const folders = [
  'core',
  'downloads',
  'graphql',
  'loaders',
  'oracle',
  'project',
  'rest',
  'results',
  'server',
  'telemetry',
];

/** What all suites have in common. */
export const common = {
  test: {
    // Node.js loads the modules, as it does for users: V8's offsets are those in the files. Vite would transform each of them.
    // Nothing is mocked, so no hook reads them first: with one, Node.js 22 cannot require a package of ES modules.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/prepared-explorer.ts'],
    setupFiles: ['test/support/random-setup.ts'],
    tags: [{ name: 'random', description: 'Tries as many random cases as test/support/random-cases.ts says.' }],
    // Loads the libraries once instead of once for each file.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: {
      // As long as `eventually` waits: other work of the machine may slow down what is looked for.
      poll: { timeout: 50_000 },
      // Each test checks something: one that makes no assertion fails, as where all of them are in a loop over nothing.
      requireAssertions: true,
    },
  },
} satisfies ViteUserConfig;

/** The tests of `npm test` that share processes. */
export const shared = {
  include: [...folders.map((folder) => `test/${folder}/*.test.ts`), 'simulator/test/*.test.ts'],
  exclude: memoryTests,
  // With the default, V8 keeps several times as much garbage. Where more random cases are tried, one process has most of them.
  execArgv: [`--max-old-space-size=${process.env.RANDOM_SHARE === undefined ? 768 : 1536}`],
};

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    // Many tests wait for a timeout or for a slow client. Suites that start programs use two workers.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'shared', ...shared } },
      { extends: true, test: { name: 'memory', include: memoryTests, isolate: true } },
    ],
  },
});
