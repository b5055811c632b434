// Runs programs of `src/`, one for each entry of the JSON array on standard input, and prints how each has started or
// ended, in a line that begins with `began`; the log of those that serve goes to standard output meanwhile and afterwards.
import { text } from 'node:stream/consumers';
import { runPrograms } from '../run-programs.ts';

const programs = JSON.parse(await text(process.stdin)) as { entry: string; env: Record<string, string> }[];
// Each program listens to the process.
process.setMaxListeners(0);

const began = await runPrograms(programs);
process.stdout.write(`began ${JSON.stringify(began)}\n`);
