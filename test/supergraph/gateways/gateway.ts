import type { GuardedProgram } from '../../support/process.ts';

/** The supergraph behind a gateway. */
export interface Supergraph {
  /** The file with the supergraph schema, made by Apollo's composer. */
  readonly file: string;
  readonly subgraphs: readonly { readonly name: string; readonly url: string; readonly schemaFile: string }[];
  /** A temporary folder for files of the gateway. */
  readonly folder: string;
}

/** Differences between gateways. The cases define each value. */
export interface Habits {
  readonly clientDisconnects: 'end' | 'run on, up to the deadlines of the subgraph';
  readonly entityErrors: 'has its list index' | 'comes for each field, with a wrong list index or none';
  readonly missingEntity: 'each field is null' | 'the first field is null, and may be repeated instead of the others';
  readonly requiresMissing: RequiredFields;
  readonly requiresFailing: RequiredFields;
  readonly invalidVariable: InvalidInput;
  readonly invalidLiteral: InvalidInput;
  readonly refused: Refused;
  readonly nothingFetched: 'has `data` with null' | 'has no `data`';
  readonly serviceName: 'yes' | 'no';
  readonly listDefault: 'is used' | '`OPERATION_VALIDATION_ERROR`';
}

/** What another subgraph gets for fields of our entity that it `@requires`. */
export type RequiredFields = 'no request to that subgraph' | 'null' | 'absent' | 'an error object instead of the value';

/** The error that a client gets for an invalid value of `TimeBound`. */
export type InvalidInput =
  | '`BAD_USER_INPUT` with the original message'
  | '`GRAPHQL_VALIDATION_FAILED` with the original message'
  | '`INTERNAL_SERVER_ERROR` with the whole response and the URL of the subgraph';

/** The error that a client gets for a fetch that this subgraph refuses before GraphQL, such as one too many. */
export type Refused =
  | '`OVERLOADED` with the original message'
  | '`INTERNAL_SERVER_ERROR` with the whole response and the URL of the subgraph'
  | '`SUBGRAPH_REQUEST_ERROR` without the original message';

/** The names of the tested gateways in the documentation. */
export type GatewayName = 'Apollo Gateway' | 'Hive Gateway' | 'Hive Gateway, Rust planner' | 'Grafbase';

/** A tested gateway. */
export interface Gateway {
  readonly name: GatewayName;
  /** Whether a build for this machine exists. */
  readonly runsHere: boolean;
  readonly habits: Habits;
  /** Starts it on this port of 127.0.0.1. */
  start(supergraph: Supergraph, port: string): GuardedProgram;
}
