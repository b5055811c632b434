import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';

export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/conformance/*.test.ts'], maxWorkers: 2 },
});
