import type { GatewayName } from '../gateways/gateway.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';

/** What a gateway answers. */
export interface Outcome {
  /** The exit code of a gateway whose process ends instead. Default: it runs on. */
  readonly exitCode?: number;
  /** The HTTP status. Default: 200. */
  readonly status?: number;
  /** The whole body without the locations of errors. Of an incremental response: the list of its parts. */
  readonly body: unknown;
  /** The REST calls, in any order. */
  readonly calls: readonly string[];
}

/** A query of a client, and what becomes of it behind each gateway: a row of a table of test/supergraph/tables.md. */
export interface NeighbourCase {
  /** What the client or the neighbour does. */
  readonly title: string;
  readonly document: string;
  /** The HTTP header `Accept`. Default: none. */
  readonly accept?: string;
  /** The REST operation of deferred fields: it must not answer before the first part of the response has come. */
  readonly holds?: 'getDatasetMetadata' | 'getDatasetResults';
  /** By the words that the table has for them. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** The outcome that each gateway has. */
  readonly behind: Readonly<Record<GatewayName, string>>;
}

/** Neighbours that show one way to build on our types. */
export interface Topic {
  /** Whether they are in a supergraph of their own. Default: all are in one. */
  readonly isApart?: boolean;
  /** The gateways that do not start with it, and what they say. */
  readonly refusedBy?: Readonly<Partial<Record<GatewayName, RegExp>>>;
  readonly neighbours: readonly OtherSubgraph[];
  readonly cases: readonly NeighbourCase[];
}

/** The same outcome behind all gateways. */
export function everywhere(outcome: string): NeighbourCase['behind'] {
  return {
    'Apollo Gateway': outcome,
    'Hive Gateway': outcome,
    'Hive Gateway, Rust planner': outcome,
    Grafbase: outcome,
  };
}

/** The words for a client that gets the values of other arguments than its own. */
export const CLIENT_WRONG = 'wrong: the client gets what the neighbour requires';
