// Runs `src/main.ts` once for each environment of the JSON array on standard input, and prints how each run ended.
import { json } from 'node:stream/consumers';
import { runPrograms } from './run-programs.ts';

const environments = (await json(process.stdin)) as Record<string, string>[];
const endings = await runPrograms(environments.map((env) => ({ entry: 'main', env })));
process.stdout.write(JSON.stringify(endings), () => process.exit(0));
