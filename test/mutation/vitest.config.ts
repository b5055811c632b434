import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import config, { memoryTests } from '../../vitest.config.ts';

/** Keeps the order in which test files are given. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** The tests of `npm test`. */
export default defineConfig({
  ...config,
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    ...config.test,
    include: [...(config.test?.include ?? []), ...memoryTests],
    exclude: [],
    setupFiles: [...(config.test?.setupFiles ?? []), 'test/mutation/process-setup.ts'],
    sequence: { sequencer: GivenOrder },
  },
});
