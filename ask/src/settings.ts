import * as z from 'zod';
import { type Environment, readSettings, route, schemaNames, serviceUrl, setting } from '../../src/config.ts';
import { isToken, MAX_TOKEN_LENGTH } from '../../src/core/bearer-token.ts';

/** The settings of `ask`. */
export type AskSettings = z.output<typeof askSettings>;

const token = setting(
  `1 to ${MAX_TOKEN_LENGTH} visible ASCII characters`,
  (text) => (isToken(text) ? text : undefined),
  {
    isSecret: true,
  },
);

const askSettings = z.object({
  DATASET_SUBGRAPH_URL: serviceUrl.default(new URL('http://127.0.0.1:4000/graphql')),
  DATASET_TOKEN: token.optional(),
  SCHEMA_NAMES: schemaNames.optional(),
  LC_ALL: z.string().optional(),
  LC_CTYPE: z.string().optional(),
  LANG: z.string().optional(),
});

const loginSettings = z.object({
  AUTH_SERVICE_URL: serviceUrl.optional(),
  LOGIN_EMAIL: z.string().optional(),
  LOGIN_PASSWORD: z.string().optional(),
  ...route,
});

/**
 * Reads the settings of `ask`.
 *
 * @throws ConfigError for the first invalid value
 */
export function readAskSettings(environment: Environment): AskSettings {
  return readSettings(askSettings, environment);
}

/**
 * Reads the settings of the login.
 *
 * @throws ConfigError for the first invalid value
 */
export function readLoginSettings(environment: Environment): z.output<typeof loginSettings> {
  return readSettings(loginSettings, environment);
}
