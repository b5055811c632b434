import { defineConfig } from 'vitest/config';
import { common, LongestFirst } from '../../vitest.config.ts';

/** Tests of the engine: they feed bytes, and need no server. */
export default defineConfig({
  test: {
    ...common.test,
    globalSetup: [],
    name: 'engine',
    include: ['engine/test/*.test.ts'],
    sequence: { sequencer: LongestFirst },
  },
});
