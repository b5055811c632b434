// Runs programs one after another in this process, because a process for each would take too long: one for each entry of the JSON
// array on standard input. A line that starts with `began` has how each started or ended. Their logs go to standard output.
import { text } from 'node:stream/consumers';
import { entries } from '../support/entries.ts';
import type { Beginning, OneOfSeveral } from './config.ts';

const programs = JSON.parse(await text(process.stdin)) as OneOfSeveral[];
// Each program adds listeners to the process.
process.setMaxListeners(0);
const given = { ...process.env };
const write = { stdout: process.stdout.write.bind(process.stdout), stderr: process.stderr.write.bind(process.stderr) };
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
process.stdout.write = write.stdout;
process.stderr.write = write.stderr;
process.exitCode = undefined;
process.stdout.write(`began ${JSON.stringify(began)}\n`);
