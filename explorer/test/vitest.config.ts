import { defineConfig } from 'vitest/config';
import { chromiumNames, findTool, requireTools } from '../../test/support/tools.ts';
import { common } from '../../vitest.config.ts';

if (findTool(...chromiumNames) === undefined) requireTools('chromium-headless-shell');

/** They measure how smooth a page is: nothing else runs then. */
const measuringTests = ['explorer/test/response-size.test.ts'];

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    maxWorkers: 2,
    // Other work of the machine may slow down a browser.
    testTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'pages',
          include: ['explorer/test/*.test.ts'],
          exclude: measuringTests,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'measuring', include: measuringTests, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
