import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { common, engineTests, memoryTests, shared } from '../../vitest.config.ts';

/** Runs test files in the order in which they are named. */
class NamedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => process.argv.findIndex((word) => moduleId.endsWith(`/${word}`));
    return files.toSorted((one, other) => place(one) - place(other));
  }
}

/** The tests of `npm test`, and those of the engine. */
export default defineConfig({
  ...common,
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    ...common.test,
    setupFiles: [...common.test.setupFiles, 'test/mutation/process-setup.ts'],
    sequence: { sequencer: NamedOrder },
    projects: [
      { extends: true, test: { name: 'shared', ...shared } },
      { extends: true, test: { name: 'memory', include: memoryTests, isolate: true } },
      { extends: true, test: { name: 'engine', include: engineTests } },
    ],
  },
});
