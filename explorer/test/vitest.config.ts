import { defineConfig } from 'vitest/config';
import { chromiumNames, findTool, requireTools } from '../../test/support/tools.ts';
import { common } from '../../vitest.config.ts';

if (findTool(...chromiumNames) === undefined) requireTools('chromium-headless-shell');

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['explorer/test/*.test.ts'],
    maxWorkers: 2,
    // Other work of the machine may slow down a browser.
    testTimeout: 120_000,
  },
});
