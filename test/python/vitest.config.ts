import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';
import { requirePython } from '../support/tools.ts';

requirePython(['ensurepip', 'matplotlib', 'pandas', 'requests']);

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['test/python/*.test.ts'],
    globalSetup: ['test/support/prepared-explorer.ts', 'test/support/left-out.ts'],
  },
});
