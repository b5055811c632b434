import { startGuarded } from '../../process.ts';
import { PROGRAMS } from '../programs/folder.ts';
import type { Gateway } from './gateway.ts';

/** Apollo's gateway in JavaScript, in an Apollo Server. */
export const apollo: Gateway = {
  name: 'Apollo Gateway',
  runsHere: true,
  habits: {
    clientLeaves: 'they run on, to our deadlines',
    entityErrors: 'with its place in the list',
    missingEntity: 'each field is null',
    requiresMissing: 'it is not asked',
    requiresFailing: 'null',
    refusedVariable: '`BAD_USER_INPUT`, with our message',
    refusedLiteral: '`INTERNAL_SERVER_ERROR`, with our whole answer and our URL',
    nothingFetched: '`data`, with null',
    serviceName: 'yes',
  },
  start: ({ file }, port) =>
    startGuarded(process.execPath, ['apollo.ts', file, String(port)], {
      cwd: PROGRAMS,
      env: { NODE_ENV: 'production' },
    }),
};
