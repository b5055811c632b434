import { defineConfig } from 'vitest/config';
import { common, engineTests, LongestFirst } from '../../vitest.config.ts';

/** The tests of the engine. */
export default defineConfig({
  test: {
    ...common.test,
    globalSetup: [],
    name: 'engine',
    include: engineTests,
    sequence: { sequencer: LongestFirst },
  },
});
