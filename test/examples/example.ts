import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { loadDemoData } from '../../simulator/src/demo-data.ts';
import { start } from '../support/harness.ts';
import { type Ending, PROJECT, startProgram } from '../support/process.ts';

/** The folder of the typed client. */
export const EXAMPLE = join(PROJECT, 'examples/typed-client');

/** Starts a subgraph with the data of the demo. Returns the environment of its clients, and what it has had of them. */
export async function startDemo() {
  const { subgraph, log, calls } = await start({ ...(await loadDemoData()), env: { LOG_OPERATIONS: 'on' } });
  return {
    env: { GRAPHQL_URL: new URL('/graphql', subgraph.url).href },
    /** How many REST calls for metadata and for results. */
    calls: () => ['GET', 'POST'].map((method) => calls().filter((call) => call.startsWith(method)).length),
    operations: () => log.filter((line) => JSON.parse(line).msg === 'operation').length,
  };
}

/** Runs one of the example's npm scripts, as in its README. */
export function npm(args: string[], options: { cwd?: string; env?: Record<string, string> } = {}): Promise<Ending> {
  return startProgram('npm', ['--silent', ...args], { cwd: EXAMPLE, ...options }).ended;
}

/** A text in a file of the example, and what replaces it. */
export type Change = readonly [file: string, from: string, to: string];

/** A copy of the example, beside a copy of the operations, with changes. Files are relative to the example. */
export async function changed(...changes: readonly Change[]): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'typed-client-'));
  onTestFinished(() => rm(project, { recursive: true }));
  await cp(join(PROJECT, 'operations'), join(project, 'operations'), { recursive: true });
  const copy = join(project, 'examples/typed-client');
  await cp(EXAMPLE, copy, { recursive: true, filter: (source) => !source.endsWith('node_modules') });
  await symlink(join(EXAMPLE, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, from, to] of changes) {
    const text = await readFile(join(copy, file), 'utf8');
    expect(text.split(from)).toHaveLength(2);
    await writeFile(join(copy, file), text.replace(from, to));
  }
  return copy;
}
