// Runs `src/main.ts` once for each environment of the JSON array on standard input, and prints how each run ended:
// in one process, because a process for each would take longer than all the rest of the suite.
import { json } from 'node:stream/consumers';

const environments = (await json(process.stdin)) as Record<string, string>[];
const given = { ...process.env };
const write = process.stdout.write.bind(process.stdout);
const endings: { code: unknown; stdout: string; stderr: string }[] = [];

for (const [run, environment] of environments.entries()) {
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text) => {
      written[name] += text;
      return true;
    };
  }
  process.env = { ...given, ...environment };
  process.exitCode = undefined;
  // A module with a query of its own is run anew.
  await import(`../src/main.ts?${run}`);
  endings.push({ code: process.exitCode ?? null, ...written });
}

write(JSON.stringify(endings), () => process.exit(0));
