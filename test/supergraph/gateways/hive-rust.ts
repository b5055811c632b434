import type { Gateway } from './gateway.ts';
import { startHive } from './hive.ts';

/** Hive Gateway with the planner of Hive Router, which is in Rust. */
export const hiveRust: Gateway = {
  name: 'Hive Gateway, Rust planner',
  runsHere: true,
  habits: {
    clientLeaves: 'end',
    entityErrors: 'has its list index',
    missingEntity: 'each field is null',
    requiresMissing: 'absent',
    requiresFailing: 'absent',
    refusedVariable: '`BAD_USER_INPUT` with the original message',
    refusedLiteral: '`GRAPHQL_VALIDATION_FAILED` with the original message',
    nothingFetched: 'has no `data`',
    serviceName: 'yes',
  },
  start: (supergraph, port) => startHive(supergraph, port, ['--hive-router-runtime']),
};
