// Runs programs, one for each entry of the JSON array on standard input. A line that starts with `began` reports
// how each started or ended. The logs go to standard output.
import { text } from 'node:stream/consumers';
import { type Program, runPrograms } from '../run-programs.ts';

const programs = JSON.parse(await text(process.stdin)) as Program[];
// Each program adds listeners to the process.
process.setMaxListeners(0);

const began = await runPrograms(programs);
process.stdout.write(`began ${JSON.stringify(began)}\n`);
