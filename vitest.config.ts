import { defineConfig } from 'vitest/config';

/** They run in processes of their own, by test/memory/vitest.config.ts. */
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

export default defineConfig({
  test: {
    // Node.js loads the modules, as it does for users: V8's offsets are those in the files. Vite would transform each of them.
    experimental: { viteModuleRunner: false },
    include: [...folders.map((folder) => `test/${folder}/*.test.ts`), 'simulator/test/*.test.ts'],
    exclude: memoryTests,
    globalSetup: ['test/support/prepared-explorer.ts'],
    setupFiles: ['test/support/random-setup.ts'],
    tags: [{ name: 'random', description: 'Tries as many random cases as test/support/random-cases.ts says.' }],
    // Loads the libraries once instead of once for each file.
    isolate: false,
    // Many tests wait for a timeout or for a slow client. Suites that start programs use two workers.
    maxWorkers: 7,
    // With the defaults, V8 keeps several times as much garbage.
    execArgv: ['--max-old-space-size=768', '--max-semi-space-size=8'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As long as `eventually` waits: other work of the machine may slow down what is looked for.
    expect: { poll: { timeout: 50_000 } },
  },
});
