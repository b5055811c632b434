import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../support/doc-blocks.ts';
import { isTested } from '../support/left-out.ts';
import { endpointOf, PROJECT, startEntry, startProgram } from '../support/process.ts';
import { PYTHON } from '../support/tools.ts';

/** The Python that `npm run test:python` prepares: Debian's packages, and pyarrow and DuckDB where PyPI can be reached. Else Debian's. */
const prepared = join(PROJECT, '.cache/python/bin/python3');
const python = existsSync(prepared) ? prepared : PYTHON;

/** What comes from PyPI. Where that cannot be reached, the blocks that need it are not run. */
const hasPyPi = isTested(
  'the blocks of docs/python.md with pyarrow or DuckDB',
  spawnSync(python, ['-c', 'import duckdb, pyarrow']).status === 0 ? undefined : 'PyPI when test:python starts',
);
const needsPyPi = /read_parquet|duckdb/;

/** Between the outputs of two blocks. */
const SEPARATOR = '--- next block ---';

it('docs/python.md prints what it shows, from the first line to the last', { timeout: 120_000 }, async () => {
  const blocks = blocksOf('docs/python.md').filter(({ language }) => language !== 'sh');
  const programs = blocks.flatMap(({ language, code }, index) => {
    if (language !== 'python') return [];
    if (!hasPyPi && needsPyPi.test(code)) return [];
    const next = blocks[index + 1];
    return [{ code, shown: next?.language === 'text' ? next.code : '' }];
  });
  expect(programs.length).toBeGreaterThan(5);
  const { host } = await endpointOf(startEntry('demo', { PORT: '0', EXPLORER: 'off' }));
  const cwd = await mkdtemp(join(tmpdir(), 'python-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const script = programs.map(({ code }) => code).join(`\nprint(${JSON.stringify(SEPARATOR)})\n`);
  const program = startProgram(python, ['-c', script.replaceAll('127.0.0.1:4000', host)], {
    cwd,
    env: { MPLBACKEND: 'agg', MPLCONFIGDIR: cwd },
  });
  const { code, stdout, stderr } = await program.ended;
  expect([code, stderr]).toEqual([0, '']);
  const printed = stdout.split(`${SEPARATOR}\n`);
  expect(printed).toEqual(programs.map(({ shown }) => shown));
  const png = await readFile(join(cwd, 'july.png'));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
});
