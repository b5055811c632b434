import { existsSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';

/*
 * All properties of random tests: they are random by their seed only, and a failure tells how to see it again. Takes from the
 * environment `RANDOM_SEED` and `RANDOM_PATH`, as printed with a failure; a random seed unless given.
 */

const { RANDOM_SEED, RANDOM_PATH } = process.env;

fc.configureGlobal({
  includeErrorInReport: true,
  ...(RANDOM_SEED !== undefined && { seed: Number(RANDOM_SEED) }),
  ...(RANDOM_PATH !== undefined && { path: RANDOM_PATH }),
  reporter: (details) => {
    // Some properties throw by themselves.
    expect(details.numRuns).toBeGreaterThan(0);
    if (!details.failed) return;
    const { testPath = '', currentTestName = '' } = expect.getState();
    const cases = Object.entries(process.env).flatMap(([name, value]) =>
      /^RANDOM_SHARE$|_BYTES$/.test(name) ? `${name}=${value}` : [],
    );
    const seed = [
      `RANDOM_SEED=${details.seed}`,
      ...(details.counterexamplePath === null ? [] : [`RANDOM_PATH=${details.counterexamplePath}`]),
    ];
    const name = currentTestName.split(' > ').at(-1);
    const file = relative(process.cwd(), testPath);
    const config = `${dirname(file)}/vitest.config.ts`;
    const again = [
      ...cases,
      ...seed,
      'npx vitest run',
      ...(existsSync(config) ? [`--config ${config}`] : []),
      file,
      `-t ${JSON.stringify(name)}`,
    ];
    throw new Error(`To see it again: ${again.join(' ')}\n${fc.defaultReportMessage(details)}`);
  },
});
