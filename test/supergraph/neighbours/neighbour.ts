import type { GatewayName } from '../gateways/gateways.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';

/** What a gateway answers. */
export interface Outcome {
  /** The exit code of a gateway whose process ends instead. Default: it runs on. */
  readonly exitCode?: number;
  /** The whole body without the locations of errors. */
  readonly body: unknown;
  /** The REST calls, in any order. */
  readonly calls: readonly string[];
}

/** A query of a client, and what becomes of it behind each gateway. */
export interface NeighbourCase {
  /** What the client or the neighbour does. */
  readonly title: string;
  readonly document: string;
  /** What the subgraphs define, from the fewest REST calls. */
  readonly right: Outcome;
  /** What other gateways do. */
  readonly except?: Readonly<Partial<Record<GatewayName, Outcome>>>;
}

/** Neighbours that show ways to build on our types. All neighbours are in one supergraph. */
export interface Topic {
  readonly neighbours: readonly OtherSubgraph[];
  readonly cases: readonly NeighbourCase[];
}

/** A response with data. */
export function ok(data: object, ...calls: string[]): Outcome {
  return { body: { data }, calls };
}

/** A response with data of the dataset. */
export function okOf(dataset: object, ...calls: string[]): Outcome {
  return ok({ dataset }, ...calls);
}

/** A fetch that this subgraph refuses, because the gateway has made an invalid document of a valid one. */
export function refusedFetch(message: string): Outcome {
  const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', serviceName: 'dataset' };
  return { body: { data: { dataset: null }, errors: [{ message, path: ['dataset'], extensions }] }, calls: [] };
}
