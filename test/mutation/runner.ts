/*
 * A process with one Vitest, which runs test files against one mutant after the other, each in new processes.
 */
import { relative } from 'node:path';
import { createVitest, type TestModule } from 'vitest/node';
import { FILE_ENDED, type Outcome, type Run } from './run-types.ts';

const vitest = await createVitest('test', {
  config: 'test/mutation/vitest.config.ts',
  watch: false,
  // It writes nothing.
  reporters: [{ onTestModuleEnd: () => void process.send?.(FILE_ENDED) }],
  onConsoleLog: () => false,
});
const project = vitest.getRootProject();
const { testTimeout } = project.config;

process.on('message', async (run: Run) => process.send?.(await outcomeOf(run)));
// The script was killed: nothing of it goes on.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
process.send?.('ready');

async function outcomeOf({ tests, mutant, coverageFolder, testMilliseconds, workers }: Run): Promise<Outcome> {
  project.provide('mutant', mutant);
  project.provide('coverageFolder', coverageFolder);
  const bail = coverageFolder === null ? 1 : 0;
  for (const { config } of [vitest, project]) {
    Object.assign(config, { maxWorkers: workers, bail, testTimeout: testMilliseconds ?? testTimeout });
  }
  vitest.state.filesMap.clear();
  const specifications = tests.map((test) => project.createSpecification(`${process.cwd()}/${test}`));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const failed = testModules.filter((module) => !module.ok());
  return {
    failed: failed.map((module) => relative(process.cwd(), module.moduleId)),
    reason: failed.map(failureOf).find((text) => text !== undefined) ?? unhandledErrors.map(String)[0],
  };
}

/** The first failed test of a file, or what kept the file from running. */
function failureOf(module: TestModule): string | undefined {
  for (const test of module.children.allTests('failed'))
    return `${test.fullName}: ${test.result().errors?.[0]?.message}`;
  return module.errors()[0]?.message;
}
