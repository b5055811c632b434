import type { Gateway } from './gateway.ts';
import { startHive } from './hive.ts';

/** Hive Gateway with the planner of Hive Router, which is in Rust. */
export const hiveRust: Gateway = {
  name: 'Hive Gateway, Rust planner',
  runsHere: true,
  habits: {
    clientLeaves: 'they end',
    entityErrors: 'with its place in the list',
    missingEntity: 'each field is null',
    requiresMissing: 'no such key',
    requiresFailing: 'no such key',
    refusedVariable: '`BAD_USER_INPUT`, with our message',
    refusedLiteral: '`GRAPHQL_VALIDATION_FAILED`, with our message',
    nothingFetched: 'no `data`',
    serviceName: 'yes',
  },
  start: (supergraph, port) => startHive(supergraph, port, ['--hive-router-runtime']),
};
