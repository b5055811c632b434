import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';

export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/composition/*.test.ts'], maxWorkers: 2 },
});
