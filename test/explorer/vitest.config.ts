import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/explorer/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two browsers share the machine.
    expect: { poll: { timeout: 15_000 } },
  },
});
