import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

/** Tests with responses of many megabytes. Each file runs in a new process, because some measure its memory. */
export default defineConfig({
  ...config,
  test: { ...config.test, include: ['test/large/*.test.ts'], exclude: [], isolate: true, maxWorkers: 2, execArgv: [] },
});
