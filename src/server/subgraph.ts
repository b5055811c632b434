import type { ExplorerPreset } from '../../explorer/server/explorers.ts';
import type { Config } from '../config.ts';
import type { ApolloOptions } from '../graphql/apollo.ts';
import type { LogStream } from '../telemetry/telemetry.ts';

/** What a subgraph is started with. */
export interface SubgraphOptions {
  readonly config: Config;
  /** {base_url} of the REST service. */
  readonly serviceUrl: URL;
  /** Origins whose pages may send queries from a browser. */
  readonly corsOrigins: readonly string[];
  /** The initial content of the explorers. If it is given, they are on by default. */
  readonly explorerPreset?: ExplorerPreset;
  /** Whether all clients are on this host, so that download links may point to `localhost`. */
  readonly isLocal?: boolean;
  /** Replaces the schema of this project: test suites bring their own. */
  readonly makeSchema?: () => ApolloOptions['schema'];
  /** Receives the log, line by line. The default is standard output. */
  readonly logStream?: LogStream;
}

/** A running subgraph. */
export interface Subgraph {
  /** The GraphQL endpoint. */
  readonly url: string;
  /** Where the metrics are. Undefined if there are none. */
  readonly metricsUrl: string | undefined;
  /** The URLs of the explorers that are on, and of the start page, which leads into GraphiQL. */
  readonly explorers: {
    readonly sandbox: string | undefined;
    readonly graphiql: string | undefined;
    readonly start: string | undefined;
  };
  /** How many rows of results could not be copied as they are. */
  readonly oddRows: { readonly count: number };
  /**
   * Stops. The readiness check fails at once. Running requests may complete within a little more than the time of an
   * operation. Then every connection is closed. A second call waits for the first.
   */
  stop(): Promise<void>;
}
