import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';
import { requireTools } from '../support/tools.ts';

requireTools('redis-server');

/** The tests of the cache in Redis, which needs a core: it has 40 ms for a read. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/redis/*.test.ts'], maxWorkers: 1 },
});
