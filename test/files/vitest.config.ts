import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';
import { requirePython } from '../support/tools.ts';
import { python } from './python.ts';

requirePython(['pandas'], python);

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['test/files/*.test.ts'],
    globalSetup: ['test/support/prepared-explorer.ts', 'test/support/left-out.ts'],
    maxWorkers: 2,
  },
});
