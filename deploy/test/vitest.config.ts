import { defineConfig } from 'vitest/config';
import { rootOnLinux } from '../../test/support/left-out.ts';
import { requireTools } from '../../test/support/tools.ts';
import { common } from '../../vitest.config.ts';

requireTools('prometheus', 'promtool', 'shellcheck', ...(rootOnLinux === undefined ? ['buildah' as const] : []));

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['deploy/test/*.test.ts'],
    globalSetup: ['test/support/prepared-explorer.ts', 'test/support/left-out.ts'],
    maxWorkers: 2,
  },
});
