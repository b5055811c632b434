import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

/** The tests of the cache in Redis. They need a `redis-server`, which needs a core: it has 40 ms for a read. */
export default defineConfig({
  ...config,
  test: { ...config.test, include: ['test/redis/*.test.ts'], maxWorkers: 1 },
});
