import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';

/** Tests with responses of many megabytes. Each file runs in a new process, because some measure its memory. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/large/*.test.ts'], isolate: true, maxWorkers: 2 },
});
