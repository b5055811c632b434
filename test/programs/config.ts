import { expect } from 'vitest';
import type { Entry } from '../support/entries.ts';
import { type Program, startProgram } from '../support/process.ts';

export const SERVICE = 'https://api.example.com';
export const missing =
  'DATASET_SERVICE_URL must be set to the URL of the dataset service. The demo does not need it.\n';
export const refused = (stderr: string) => ({ code: 1, stdout: '', stderr });
export const endpoint = expect.stringMatching(/^GraphQL endpoint: http:\/\/127\.0\.0\.1:\d+\/graphql\n$/);

type Environment = Record<string, string>;

/** A program, and the environment that it is given beside that of its process. */
export interface OneOfSeveral {
  readonly entry: Entry;
  readonly env: Readonly<Environment>;
}

/** How a program has started or ended: its exit code, null while it serves or if it is 0, and what it has printed until then. */
export interface Beginning {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** Runs programs in one process. */
export async function runPrograms(
  programs: readonly OneOfSeveral[],
  env: Environment = {},
): Promise<{ program: Program; began: Beginning[] }> {
  const program = startProgram(process.execPath, ['test/programs/run-programs.ts'], { env });
  program.type(JSON.stringify(programs), { last: true });
  const [, began = ''] = await program.printed(/^began (.*)\n/m);
  return { program, began: JSON.parse(began) };
}

/** How `npm start` begins in each of these environments. */
export async function runMain(environments: Environment[]): Promise<Beginning[]> {
  return (await runPrograms(environments.map((env) => ({ entry: 'main', env })))).began;
}

/** The environments as the keys of their beginnings, so that a difference shows which one it is. */
export async function endingsOf(environments: Environment[]) {
  const endings = await runMain(environments);
  return new Map(environments.map((environment, index) => [JSON.stringify(environment), endings[index]]));
}
