import { defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.ts';

/** Vite loads the modules: what Relay generates imports types as if they were values, which Node.js refuses. */
export default defineConfig({
  ...common,
  // As Node.js resolves graphql. Otherwise it would be loaded twice, as CommonJS and as a module.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    ...common.test,
    include: ['test/examples/*.test.ts'],
    experimental: { viteModuleRunner: true },
  },
});
