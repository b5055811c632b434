import { type Entry, entries } from '../support/entries.ts';

/** A program, and the environment that it is given beside that of this process. */
export interface Program {
  readonly entry: Entry;
  readonly env: Readonly<Record<string, string>>;
}

/** How a program has started or ended: its exit code, null while it serves, and what it has printed until then. */
export interface Beginning {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** Runs programs one after another in this process, because a process for each would take too long. */
export async function runPrograms(programs: readonly Program[]): Promise<Beginning[]> {
  const given = { ...process.env };
  const write = process.stdout.write.bind(process.stdout);
  const writeError = process.stderr.write.bind(process.stderr);
  const began: Beginning[] = [];
  for (const [run, { entry, env }] of programs.entries()) {
    const written = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].write = (chunk) => {
        written[name] += chunk;
        return true;
      };
    }
    process.env = { ...given, ...env };
    process.exitCode = undefined;
    // A module with a query of its own is run anew.
    await import(`../../${entries[entry]}?${run}`);
    began.push({ code: process.exitCode ?? null, ...written });
  }
  process.stdout.write = write;
  process.stderr.write = writeError;
  process.exitCode = undefined;
  return began;
}
