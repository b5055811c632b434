// Runs programs of `src/`, one for each entry of the JSON array on standard input, in one process, because a process for
// each would take too long. Prints how each has started or ended, in a line that begins with `began`; the log of those
// that serve goes to standard output meanwhile and afterwards.
import { text } from 'node:stream/consumers';

const programs = JSON.parse(await text(process.stdin)) as { entry: string; env: Record<string, string> }[];
// Each program listens to the process.
process.setMaxListeners(0);

const given = { ...process.env };
const write = process.stdout.write.bind(process.stdout);
const writeError = process.stderr.write.bind(process.stderr);
const began: { code: unknown; stdout: string; stderr: string }[] = [];

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
  await import(`../../src/${entry}.ts?${run}`);
  began.push({ code: process.exitCode ?? null, ...written });
}

process.stdout.write = write;
process.stderr.write = writeError;
process.exitCode = undefined;
write(`began ${JSON.stringify(began)}\n`);
