import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['explorer/test/*.test.ts'],
    maxWorkers: 2,
    // Other work of the machine may slow down a browser.
    testTimeout: 120_000,
  },
});
