import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

/** The tests of the cache in Redis. They need a `redis-server`. */
export default defineConfig({
  ...config,
  test: { ...config.test, include: ['test/redis/*.test.ts'], maxWorkers: 2 },
});
