import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Ending, PROJECT, type Program, startProgram } from '../../test/support/process.ts';

/** buildah with a storage of its own, which is deleted with all images and containers when the test ends. */
export interface Buildah {
  /** A folder that is deleted with the storage. */
  readonly folder: string;
  /** Its command line, for programs that run it. */
  readonly commandLine: string;
  /** Runs a command, and returns what it printed. Throws if it fails. */
  run(...args: string[]): Promise<string>;
  /** Starts a program in a container. It is in the network of this machine. */
  start(container: string, env: Record<string, string>, command: readonly string[]): Program;
}

/** Makes an empty storage. */
export async function startBuildah(): Promise<Buildah> {
  const folder = await mkdtemp(join(tmpdir(), 'buildah-'));
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')];
  const begin = (args: readonly string[]) => startProgram('buildah', [...storage, ...args], { cwd: PROJECT });
  const run = async (...args: string[]) => succeeded(await begin(args).ended, args);
  onTestFinished(async () => {
    // A container that is still mounted could not be deleted.
    await run('rm', '--all');
    await rm(folder, { recursive: true });
  });
  await mkdir(join(folder, 'root'));
  return {
    folder,
    commandLine: ['buildah', ...storage].join(' '),
    run,
    start: (container, env, command) => {
      const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
      return begin(['run', '--isolation', 'chroot', ...settings, container, '--', ...command]);
    },
  };
}

function succeeded({ code, stdout, stderr }: Ending, args: readonly string[]): string {
  if (code !== 0) throw new Error(`buildah ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}
