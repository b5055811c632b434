import { startGuarded } from '../../support/process.ts';
import { PROGRAMS } from '../programs/folder.ts';
import type { Gateway } from './gateway.ts';

/** Apollo Gateway (JavaScript) in Apollo Server. */
export const apollo: Gateway = {
  name: 'Apollo Gateway',
  runsHere: true,
  habits: {
    clientDisconnects: 'run on, up to the deadlines of the subgraph',
    entityErrors: 'has its list index',
    missingEntity: 'each field is null',
    requiresMissing: 'no request to that subgraph',
    requiresFailing: 'null',
    invalidVariable: '`BAD_USER_INPUT` with the original message',
    invalidLiteral: '`INTERNAL_SERVER_ERROR` with the whole response and the URL of the subgraph',
    refused: '`INTERNAL_SERVER_ERROR` with the whole response and the URL of the subgraph',
    nothingFetched: 'has `data` with null',
    serviceName: 'yes',
    listDefault: 'is used',
  },
  start: ({ file }, port) =>
    startGuarded(process.execPath, ['apollo.ts', file, port], {
      cwd: PROGRAMS,
      env: { NODE_ENV: 'production' },
    }),
};
