import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { common, memoryTests, shared } from '../../vitest.config.ts';

/** Keeps the order in which test files are given. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** The tests of `npm test`. */
export default defineConfig({
  ...common,
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    ...common.test,
    include: [...shared.include, ...memoryTests],
    setupFiles: [...common.test.setupFiles, 'test/mutation/process-setup.ts'],
    sequence: { sequencer: GivenOrder },
  },
});
