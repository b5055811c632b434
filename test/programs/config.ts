import { expect, onTestFinished } from 'vitest';
import { type Beginning, type OneOfSeveral, type ProgramHost, startHost } from './program-host.ts';

export const SERVICE = 'https://api.example.com';
export const missing =
  'DATASET_SERVICE_URL must be set to the URL of the dataset service. The demo does not need it.\n';
export const refused = (stderr: string) => ({ code: 1, stdout: '', stderr });
export const endpoint = expect.stringMatching(/^GraphQL endpoint: http:\/\/127\.0\.0\.1:\d+\/graphql\n$/);

type Environment = Record<string, string>;

/** Runs programs in one process, which ends with the test at the latest. */
export async function runPrograms(
  programs: readonly OneOfSeveral[],
  env: Environment = {},
): Promise<{ host: ProgramHost; began: Beginning[] }> {
  const host = startHost(env);
  onTestFinished(async () => void (await host.stop()));
  return { host, began: await Promise.all(programs.map(host.run)) };
}

/** The endpoint that a program has printed. */
export function endpointIn({ stdout, stderr }: Beginning = { code: null, stdout: '', stderr: '' }): URL {
  const [, url] = /^GraphQL endpoint: (\S+)$/m.exec(stdout) ?? [];
  if (url === undefined || stderr !== '') throw new Error(`A program has not started: ${stdout}${stderr}`);
  return new URL(url);
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
