import { defineConfig } from 'vitest/config';
import config, { memoryTests } from '../../vitest.config.ts';

/** The tests that measure the memory of their process. Each runs in a new process. */
export default defineConfig({
  ...config,
  test: { ...config.test, include: memoryTests, exclude: [], isolate: true, maxWorkers: 3, execArgv: [] },
});
