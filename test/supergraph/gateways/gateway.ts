import type { GuardedProgram } from '../../process.ts';

/** What a gateway is put in front of. */
export interface Supergraph {
  /** The file with the supergraph schema, made by Apollo's composer. */
  readonly file: string;
  readonly subgraphs: readonly { readonly name: string; readonly url: string; readonly schemaFile: string }[];
  /** A folder for files of the gateway's own; it is deleted afterwards. */
  readonly folder: string;
}

/** In what gateways differ. The cases know what each of these words means. */
export interface Habits {
  readonly clientLeaves: 'end' | 'run on, up to the deadlines of the subgraph';
  readonly entityErrors: 'has its list index' | 'comes for each field, with a wrong list index or none';
  readonly missingEntity: 'each field is null' | 'the first field is null, and may be repeated instead of the others';
  readonly requiresMissing: RequiredFields;
  readonly requiresFailing: RequiredFields;
  readonly refusedVariable: RefusedInput;
  readonly refusedLiteral: RefusedInput;
  readonly nothingFetched: 'has `data` with null' | 'has no `data`';
  readonly serviceName: 'yes' | 'no';
}

/** What another subgraph gets of the fields that it `@requires` of an entity of ours. */
export type RequiredFields = 'no request to that subgraph' | 'null' | 'absent' | 'an error object instead of the value';

/** The code with which a client hears that its value of `EpochMillis` is refused, and whether it hears why. */
export type RefusedInput =
  | '`BAD_USER_INPUT` with the original message'
  | '`GRAPHQL_VALIDATION_FAILED` with the original message'
  | '`INTERNAL_SERVER_ERROR` with the whole response and the URL of the subgraph';

/** A gateway that the cases are run against. */
export interface Gateway {
  /** As docs/gateways.md calls it. */
  readonly name: string;
  /** Whether there is a build of it for this machine. */
  readonly runsHere: boolean;
  readonly habits: Habits;
  /** Starts it at 127.0.0.1 and this port. */
  start(supergraph: Supergraph, port: number): GuardedProgram;
}
