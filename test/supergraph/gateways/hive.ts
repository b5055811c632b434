import { startGuarded } from '../../support/process.ts';
import { PROGRAMS } from '../programs/folder.ts';
import type { Gateway, Supergraph } from './gateway.ts';

/** Hive Gateway with its JavaScript planner. */
export const hive: Gateway = {
  name: 'Hive Gateway',
  runsHere: true,
  habits: {
    clientDisconnects: 'end',
    entityErrors: 'comes for each field, with a wrong list index or none',
    missingEntity: 'each field is null',
    requiresMissing: 'null',
    requiresFailing: 'an error object instead of the value',
    invalidVariable: '`BAD_USER_INPUT` with the original message',
    invalidLiteral: '`GRAPHQL_VALIDATION_FAILED` with the original message',
    refused: '`OVERLOADED` with the original message',
    nothingFetched: 'has `data` with null',
    serviceName: 'yes',
    listDefault: 'is used',
  },
  start: (supergraph, port) => startHive(supergraph, port, []),
};

/** Starts Hive Gateway with further command-line options. */
export function startHive({ file }: Supergraph, port: string, options: readonly string[]) {
  const program = 'node_modules/@graphql-hive/gateway/dist/bin.js';
  const where = ['--host', '127.0.0.1', '--port', port, '--config-path', 'hive.config.ts'];
  return startGuarded(process.execPath, [program, 'supergraph', file, ...where, ...options], {
    cwd: PROGRAMS,
    env: { NODE_ENV: 'production' },
  });
}
