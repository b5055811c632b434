import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GuardedProgram, PROJECT, startGuarded } from '../../support/process.ts';
import { SECRET } from '../data.ts';
import { PROGRAMS } from '../programs/folder.ts';
import { grafbase } from './grafbase.ts';

/** The supergraph behind a gateway. */
export interface Supergraph {
  /** The file with the supergraph schema, made by Apollo's composer. */
  readonly file: string;
  readonly subgraphs: readonly { readonly name: string; readonly url: string; readonly schemaFile: string }[];
  /** A temporary folder for files of the gateway. */
  readonly folder: string;
}

/** The names of the tested gateways in the documentation. */
export type GatewayName = 'Apollo Gateway' | 'Hive Gateway' | 'Hive Gateway, Rust planner' | 'Grafbase';

const WITH_URL = "`INTERNAL_SERVER_ERROR`, with the subgraph's URL";

/** Differences between gateways, in the words of docs/federation.md. The cases check each value. */
export interface Habits {
  readonly clientDisconnects: 'end' | 'run on until the deadlines';
  readonly entityErrors: 'has its index' | 'for each field, index wrong or missing';
  readonly missingEntity: 'nulls' | 'only its first field, null, perhaps twice';
  readonly refused: '`OVERLOADED`' | '`SUBGRAPH_REQUEST_ERROR`' | typeof WITH_URL;
  readonly invalidLiteral: '`BAD_USER_INPUT`' | '`GRAPHQL_VALIDATION_FAILED`' | typeof WITH_URL;
  /** The sign of an asset whose name and version are missing, and of one whose call failed. */
  readonly signs: { readonly missing: string | null; readonly failing: string | null };
  /** Whether a response for which nothing could be fetched has no `data`. */
  readonly omitsData?: true;
  /** Whether the extensions of an error have no `serviceName`. */
  readonly omitsServiceName?: true;
  /** Whether it refuses an operation with a default for a variable that is a list. */
  readonly refusesListDefault?: true;
}

/** A tested gateway. */
export interface Gateway {
  readonly name: GatewayName;
  /** Whether a build for this machine exists. */
  readonly runsHere: boolean;
  /** Whether it is tested each night only, because another one is of its kind. */
  readonly isNightly?: true;
  readonly habits: Habits;
  /** Starts it on this port of 127.0.0.1. */
  start(supergraph: Supergraph, port: string): GuardedProgram;
}

const env = { NODE_ENV: 'production', ROUTER_SECRET: SECRET };

/** Apollo Gateway (JavaScript) in Apollo Server. */
const apollo: Gateway = {
  name: 'Apollo Gateway',
  runsHere: true,
  habits: {
    clientDisconnects: 'run on until the deadlines',
    entityErrors: 'has its index',
    missingEntity: 'nulls',
    refused: WITH_URL,
    invalidLiteral: WITH_URL,
    signs: { missing: null, failing: 'null, version null' },
  },
  start: ({ file }, port) => startGuarded(process.execPath, ['apollo.ts', file, port], { cwd: PROGRAMS, env }),
};

/** Hive Gateway with its JavaScript planner. */
const hive: Gateway = {
  name: 'Hive Gateway',
  runsHere: true,
  habits: {
    clientDisconnects: 'end',
    entityErrors: 'for each field, index wrong or missing',
    missingEntity: 'nulls',
    refused: '`OVERLOADED`',
    invalidLiteral: '`GRAPHQL_VALIDATION_FAILED`',
    signs: { missing: 'null, version null', failing: '[object Object], version [object Object]' },
  },
  start: (supergraph, port) => startHive(supergraph, port, []),
};

/** Hive Gateway with the Rust planner of Hive Router. */
const hiveRust: Gateway = {
  name: 'Hive Gateway, Rust planner',
  runsHere: true,
  isNightly: true,
  habits: {
    clientDisconnects: 'end',
    entityErrors: 'has its index',
    missingEntity: 'nulls',
    refused: '`OVERLOADED`',
    invalidLiteral: '`GRAPHQL_VALIDATION_FAILED`',
    signs: { missing: 'undefined, version undefined', failing: 'undefined, version undefined' },
    omitsData: true,
  },
  start: (supergraph, port) => startHive(supergraph, port, ['--hive-router-runtime']),
};

/** Starts Hive Gateway with the configuration of `deploy/`, which imports a package that is found from here. */
function startHive({ file, folder }: Supergraph, port: string, options: readonly string[]): GuardedProgram {
  const config = join(folder, 'gateway.config.ts');
  copyFileSync(`${PROJECT}deploy/hive/gateway.config.ts`, config);
  const where = ['--host', '127.0.0.1', '--port', port, '--config-path', config];
  const program = 'node_modules/@graphql-hive/gateway/dist/bin.js';
  return startGuarded(process.execPath, [program, 'supergraph', ...where, ...options], {
    cwd: PROGRAMS,
    env: { ...env, SUPERGRAPH: file },
  });
}

/** The tested gateways, in the order of the table. */
export const gateways: readonly Gateway[] = [apollo, hive, hiveRust, grafbase];

/** Whether all gateways are tested, with large responses: `GATEWAYS=all`. */
export const isNight = process.env.GATEWAYS === 'all';

/** Those that this run tests. */
export const running = gateways.filter(({ runsHere, isNightly = false }) => runsHere && (isNight || !isNightly));
