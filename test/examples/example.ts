import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Ending, endpointOf, PROJECT, type Program, startEntry, startProgram } from '../support/process.ts';

/** The folder of the typed client. */
export const EXAMPLE = join(PROJECT, 'examples/typed-client');

/** Starts the demo. Returns it with the environment of its clients. */
export async function startDemo() {
  const demo = startEntry('demo', { PORT: '0' });
  return { demo, env: { GRAPHQL_URL: (await endpointOf(demo)).href } };
}

/** Stops the demo. Returns the REST calls in its log, in their alphabetical order, and the number of its operations. */
export async function stopDemo(demo: Program): Promise<{ restCalls: string[]; operations: number }> {
  demo.kill('SIGTERM');
  const { stdout } = await demo.ended;
  const restCalls = [...stdout.matchAll(/^[\d:.]+ REST +(\w+) /gm)].map(([, operation = '']) => operation);
  return { restCalls: restCalls.toSorted(), operations: [...stdout.matchAll(/^[\d:.]+ GraphQL /gm)].length };
}

/** Runs one of the example's npm scripts, as in its README. */
export function npm(args: string[], options: { cwd?: string; env?: Record<string, string> } = {}): Promise<Ending> {
  return startProgram('npm', ['--silent', ...args], { cwd: EXAMPLE, ...options }).ended;
}

/** A copy of the example, beside a copy of the operations, with one text replaced. The file is relative to the example. */
export async function changed(file: string, from: string, to: string): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), 'typed-client-'));
  onTestFinished(() => rm(project, { recursive: true }));
  await cp(join(PROJECT, 'operations'), join(project, 'operations'), { recursive: true });
  const copy = join(project, 'examples/typed-client');
  await cp(EXAMPLE, copy, { recursive: true, filter: (source) => !source.endsWith('node_modules') });
  await symlink(join(EXAMPLE, 'node_modules'), join(copy, 'node_modules'));
  const text = await readFile(join(copy, file), 'utf8');
  expect(text.split(from)).toHaveLength(2);
  await writeFile(join(copy, file), text.replace(from, to));
  return copy;
}
