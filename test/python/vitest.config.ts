import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';
import { requirePython } from '../support/tools.ts';

requirePython(['ensurepip', 'matplotlib', 'pandas', 'requests']);

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/python/*.test.ts'],
    globalSetup: ['test/support/prepared-explorer.ts', 'test/support/left-out.ts'],
  },
});
