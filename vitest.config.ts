import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** They measure the memory of their process: each runs in a new one. */
export const memoryTests = [
  'test/core/response-memory.test.ts',
  'test/rest/cache-index-memory.test.ts',
  'test/rest/memory-budget.test.ts',
  'test/rest/memory-budget-waiting.test.ts',
  'test/server/overload.test.ts',
];

/** The folders of `test/` for the layers of `src/` and for the project. The others are suites of their own. */
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
    experimental: { viteModuleRunner: false },
    globalSetup: ['test/support/prepared-explorer.ts'],
    setupFiles: ['test/support/random-setup.ts'],
    tags: [{ name: 'random', description: 'Tries as many random cases as test/support/random-cases.ts says.' }],
    // Loads the libraries once instead of once for each file.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As long as `eventually` waits: other work of the machine may slow down what is looked for.
    expect: { poll: { timeout: 50_000 } },
  },
} satisfies ViteUserConfig;

/** The tests of `npm test` that share processes. */
export const shared = {
  include: [...folders.map((folder) => `test/${folder}/*.test.ts`), 'simulator/test/*.test.ts'],
  exclude: memoryTests,
  // With the default, V8 keeps several times as much garbage.
  execArgv: ['--max-old-space-size=768'],
};

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    // Many tests wait for a timeout or for a slow client. Suites that start programs use two workers.
    maxWorkers: 5,
    projects: [
      { extends: true, test: { name: 'shared', ...shared } },
      { extends: true, test: { name: 'memory', include: memoryTests, isolate: true } },
    ],
  },
});
