import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As Node.js resolves it. Otherwise graphql would be loaded twice, once as CommonJS and once as a module.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/*.test.ts'],
    globalSetup: ['test/prepared-explorer.ts'],
    // Most tests wait for a time-out or a process most of the time.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
