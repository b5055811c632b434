import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';
import { requirePython } from '../support/tools.ts';
import { python } from './python.ts';

requirePython(['pandas'], python);

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/files/*.test.ts'],
    globalSetup: ['test/support/prepared-explorer.ts', 'test/support/left-out.ts'],
    maxWorkers: 2,
  },
});
