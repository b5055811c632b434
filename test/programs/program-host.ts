import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Entry } from '../support/entries.ts';
import { environmentOf, PROJECT } from '../support/process.ts';

type Environment = Readonly<Record<string, string>>;

/** A program, and what it is given beside the environment of its process. */
export interface OneOfSeveral {
  readonly entry: Entry;
  readonly args?: readonly string[];
  readonly env: Environment;
  /** Default: the directory of the project. */
  readonly cwd?: string;
}

/** How a program has started or ended: its exit code, null while it serves or if it is 0, and what it has printed until then. */
export interface Beginning {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** A process that runs programs one after another. */
export interface ProgramHost {
  /** Runs a program, after those before it have started or ended. */
  run(program: OneOfSeveral): Promise<Beginning>;
  /** Ends the process at once. Returns what its programs have written since they started. */
  stop(): Promise<{ stdout: string; stderr: string }>;
}

/** Starts a process for programs. It ends with this one at the latest. */
export function startHost(env: Environment = {}): ProgramHost {
  const child = fork(`${PROJECT}test/programs/run-programs.ts`, {
    cwd: PROJECT,
    env: environmentOf(env),
    silent: true,
  });
  const written = Promise.all([child.stdout, child.stderr].map((stream) => stream && text(stream)));
  const closed = once(child, 'close').then(async () => {
    const [stdout, stderr] = await written;
    return { stdout: stdout ?? '', stderr: stderr ?? '' };
  });
  const ended = closed.then(({ stderr }) =>
    Promise.reject(new Error(`The process of the programs has ended.\n${stderr}`)),
  );
  ended.catch(() => {});
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (program) => {
      const began = last.then(async () => {
        child.send(program);
        const [beginning] = (await Promise.race([once(child, 'message'), ended])) as [Beginning];
        return beginning;
      });
      last = began.catch(() => {});
      return began;
    },
    stop: () => {
      child.kill('SIGKILL');
      return closed;
    },
  };
}
