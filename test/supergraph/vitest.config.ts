import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    experimental: common.test.experimental,
    include: ['test/supergraph/*.test.ts'],
    // One gateway at a time: the tests of large responses need the memory.
    fileParallelism: false,
    globalSetup: ['test/support/left-out.ts'],
    reporters: 'verbose',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
