// Runs the programs that its parent names, one after another, because a process for each would take too long. Its messages say how
// each started or ended. What they write later, such as their logs, goes to standard output.
import { entries } from '../support/entries.ts';
import type { Beginning, OneOfSeveral } from './program-host.ts';

const given = { ...process.env };
const folder = process.cwd();
const streams = ['stdout', 'stderr'] as const;
// Each program adds listeners to them.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);
let runs = 0;

async function begin({ entry, args = [], env, cwd = folder }: OneOfSeveral): Promise<Beginning> {
  const written = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const writes = streams.map((name) => process[name].write);
  for (const name of streams) {
    process[name].write = (chunk) => {
      written[name].push(Buffer.from(chunk));
      return true;
    };
  }
  process.chdir(cwd);
  process.env = { ...given, ...env };
  process.argv = [process.execPath, entries[entry], ...args];
  process.exitCode = undefined;
  runs += 1;
  // A module with a query of its own is run anew. The address ends as that of the file does.
  await import(`../../${entries[entry]}?${runs}.ts`);
  const code = process.exitCode ?? null;
  process.exitCode = undefined;
  for (const [index, name] of streams.entries()) process[name].write = writes[index] as typeof process.stdout.write;
  const [stdout = '', stderr = ''] = streams.map((name) => Buffer.concat(written[name]).toString());
  return { code, stdout, stderr };
}

process.on('message', async (program: OneOfSeveral) => process.send?.(await begin(program)));
process.once('disconnect', () => process.exit());
