import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PYTHON } from '../support/tools.ts';

/** That of the tests of docs/python.md, which also has PyArrow if PyPI could be reached. */
const prepared = fileURLToPath(new URL('../../.cache/python/bin/python3', import.meta.url));

const hasPyArrowIn = (python: string) => spawnSync(python, ['-c', 'import pyarrow']).status === 0;

/** The Python that reads files: the first one with PyArrow, else Debian's. */
export const python = process.env.FILES_PYTHON ?? (hasPyArrowIn(prepared) ? prepared : PYTHON);

/** Whether it has PyArrow. */
export const hasPyArrow = hasPyArrowIn(python);
