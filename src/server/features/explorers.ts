import type { ExplorerPreset, Explorers } from '../../../explorer/server/explorers.ts';
import { type Config, routeOf } from '../../config.ts';
import { readOperations } from '../../graphql/documents/operation-files.ts';
import { login } from '../../rest/login.ts';
import { GRAPHQL_PATH } from '../routes/graphql-route.ts';

/**
 * The explorers that are on. By default both are on if there is a preset. Undefined if none is on: then their code is not even
 * read.
 */
export async function loadExplorers(
  config: Config,
  preset: ExplorerPreset | undefined,
  schema: Parameters<typeof readOperations>[0],
): Promise<Explorers | undefined> {
  const { EXPLORER, INTROSPECTION, AUTH_SERVICE_URL: authUrl } = config;
  const byDefault = EXPLORER === undefined && preset !== undefined;
  const [sandbox, graphiql] = [byDefault || EXPLORER === 'sandbox', byDefault || EXPLORER === 'graphiql'];
  if (INTROSPECTION === 'off' || (!sandbox && !graphiql)) return undefined;
  const { createExplorers } = await import('../../../explorer/server/explorers.ts');
  const operations = readOperations(schema);
  const logIn = authUrl && ((email: string, password: string) => login(authUrl, email, password, routeOf(config)));
  return createExplorers({ sandbox, graphiql, preset, login: logIn, operations, endpoint: GRAPHQL_PATH });
}
