import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Entry, entries } from './entries.ts';

/** The directory of the project, with a slash at its end. */
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Where Node.js keeps what it has compiled, so that programs start faster. */
const NODE_COMPILE_CACHE = `${PROJECT}node_modules/.cache/compiled`;

/** The environment of a program that is given these variables. */
export function environmentOf(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE, ...env };
}

/** How a program ended, and all that it wrote. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A program that runs as a process of its own. */
export interface Program {
  readonly ended: Promise<Ending>;
  /** Waits until its output, standard or error, has a match; rejects when it ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Types on its standard input; after the last text that has ended. */
  type(text: string, options?: { last: boolean }): void;
  kill(signal: NodeJS.Signals): void;
}

/** A program that outlives a test, but not the process that has started it. */
export interface GuardedProgram extends Program {
  /** The number of its process. */
  readonly pid: Promise<number>;
  /** Ends it at once, if it still runs. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** All of its environment, beside what finding programs takes. */
  env?: Record<string, string>;
  /** Default: the directory of the project. */
  cwd?: string;
  /** Signals also reach the processes that it starts, as Ctrl-C at a terminal does. */
  ownGroup?: boolean;
}

/** Starts a program; it ends with the test at the latest. */
export function startProgram(command: string, args: string[], options?: ProgramOptions): Program {
  const program = run(command, args, options);
  onTestFinished(async () => {
    program.kill('SIGKILL');
    await program.ended;
  });
  return program;
}

/** Private. Runs a shell command at a terminal. */
const TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", sys.argv[1]])))';

/** Starts a shell command at a terminal of its own. Its standard output is all that is written to the terminal. */
export function startAtTerminal(command: string, options?: ProgramOptions): Program {
  // The `script` of macOS has other options, and needs a terminal for its own input.
  return process.platform === 'linux'
    ? startProgram('script', ['-qec', command, '/dev/null'], options)
    : startProgram('python3', ['-c', TERMINAL, command], options);
}

/** The bytes of memory that a process has. */
export function residentMemory(pid: number): number {
  // The system's files are faster to read than `ps` is to start, and only Linux has them.
  const kilobytes =
    process.platform === 'linux'
      ? /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) * 1024;
}

/** Starts a program that is to be stopped; it also ends when this process is killed. */
export function startGuarded(command: string, args: string[], options?: ProgramOptions): GuardedProgram {
  const program = run(process.execPath, [`${PROJECT}test/support/guard.ts`, command, ...args], options);
  const pid = program.printed(/^process (\d+)$/m).then(([, number]) => Number(number));
  pid.catch(() => {});
  return {
    ...program,
    pid,
    stop: async () => {
      program.type('', { last: true });
      await program.ended;
    },
  };
}

/** What Node.js gets for one of our programs. */
function run(command: string, args: string[], { env, cwd = PROJECT, ownGroup = false }: ProgramOptions = {}): Program {
  const child = spawn(command, args, { cwd, env: environmentOf(env), detached: ownGroup });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  let isClosed = false;
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      isClosed = true;
      resolve({ code, signal, ...written });
    });
  });
  const kill = (signal: NodeJS.Signals) => {
    if (!ownGroup || child.pid === undefined) child.kill(signal);
    // When the output is closed, no process of the group has it open.
    else if (!isClosed) killGroup(child.pid, signal);
  };
  // A program that has ended does not read what is typed.
  child.stdin.on('error', () => {});
  return {
    ended,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
          if (match === null) return;
          for (const name of ['stdout', 'stderr'] as const) child[name].off('data', look);
          resolve(match);
        };
        for (const name of ['stdout', 'stderr'] as const) child[name].on('data', look);
        look();
        ended.then((ending) => reject(new Error(`no ${pattern} in ${JSON.stringify(ending)}`)), reject);
      }),
    type: (text, { last } = { last: false }) => void (last ? child.stdin.end(text) : child.stdin.write(text)),
    kill,
  };
}

/** Private. Sends a signal to the processes of a group that still run. */
function killGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    // On macOS, EPERM if all of them have ended and the leader has not been waited for.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ESRCH', 'EPERM'].includes(code)) throw error;
  }
}

/** Private. */
const argumentsOf = (entry: Entry) => ['-r', './src/node-version.cjs', entries[entry]];

/** Starts a program of the project as its npm script does. */
export function startEntry(entry: Entry, env: Record<string, string> = {}): Program {
  return startProgram(process.execPath, argumentsOf(entry), { env });
}

/** The same of a program that is to be stopped. */
export function startGuardedEntry(entry: Entry, env: Record<string, string> = {}): GuardedProgram {
  return startGuarded(process.execPath, argumentsOf(entry), { env });
}

/** Waits for the endpoint that a program prints. */
export async function endpointOf(program: Program): Promise<URL> {
  const [, url = ''] = await program.printed(/^GraphQL endpoint: (\S+)[^\n]*\n/m);
  return new URL(url);
}
