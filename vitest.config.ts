import { defineConfig } from 'vitest/config';

/** They run in processes of their own, by test/memory/vitest.config.ts. */
export const memoryTests = ['test/answer-memory.test.ts', 'test/memory-budget.test.ts', 'test/overload.test.ts'];

export default defineConfig({
  // As Node.js resolves it. Otherwise graphql would be loaded twice, once as CommonJS and once as a module.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/*.test.ts'],
    exclude: memoryTests,
    globalSetup: ['test/prepared-explorer.ts'],
    // The libraries are loaded once and not for each file.
    isolate: false,
    // Many tests wait for a time-out, or for a client that is slow on purpose; suites that start programs take two.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
