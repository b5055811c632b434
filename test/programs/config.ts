import { expect } from 'vitest';
import { type Ending, startProgram } from '../support/process.ts';

export const SERVICE = 'https://api.example.com';
export const missing =
  'DATASET_SERVICE_URL must be set to the URL of the dataset service. The demo does not need it.\n';
export const refused = (stderr: string) => ({ code: 1, stdout: '', stderr });
export const endpoint = expect.stringMatching(/^GraphQL endpoint: http:\/\/127\.0\.0\.1:\d+\/graphql\n$/);

type Environment = Record<string, string>;

/** How the program ends in each of these environments; one that starts to serve has the code null. */
export async function runMain(environments: Environment[]): Promise<Pick<Ending, 'code' | 'stdout' | 'stderr'>[]> {
  const program = startProgram(process.execPath, ['test/programs/run-main.ts']);
  program.type(JSON.stringify(environments), { last: true });
  return JSON.parse((await program.ended).stdout);
}

/** The environments as the keys of their endings, so that a difference shows which one it is. */
export async function endingsOf(environments: Environment[]) {
  const endings = await runMain(environments);
  return new Map(environments.map((environment, index) => [JSON.stringify(environment), endings[index]]));
}
