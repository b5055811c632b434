import type { Gateway } from './gateway.ts';
import { startHive } from './hive.ts';

/** Hive Gateway with the Rust planner of Hive Router. */
export const hiveRust: Gateway = {
  name: 'Hive Gateway, Rust planner',
  runsHere: true,
  habits: {
    clientDisconnects: 'end',
    entityErrors: 'has its list index',
    missingEntity: 'each field is null',
    requiresMissing: 'absent',
    requiresFailing: 'absent',
    invalidVariable: '`BAD_USER_INPUT` with the original message',
    invalidLiteral: '`GRAPHQL_VALIDATION_FAILED` with the original message',
    refused: '`OVERLOADED` with the original message',
    nothingFetched: 'has no `data`',
    serviceName: 'yes',
    listDefault: 'is used',
  },
  start: (supergraph, port) => startHive(supergraph, port, ['--hive-router-runtime']),
};
