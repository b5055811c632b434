import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { Usage } from '../core/usage.ts';
import { type ReadCacheState, readOutcomes } from '../rest/cache/read-cache.ts';
import type { RestClientState } from '../rest/client.ts';

/** What the parts of a subgraph hold at the moment. It is read when somebody asks for the metrics. */
export interface SubgraphState {
  readonly activeRequests: number;
  readonly connections: Usage;
  readonly operations: Usage;
  readonly downloads: Usage;
  readonly mergingSuspensions: number;
  readonly oddRows: number;
  readonly rest: RestClientState;
  /** Undefined if there is none. */
  readonly cache: ReadCacheState | undefined;
}

type Labels = Readonly<Record<string, string>>;
type Value = readonly [value: number, labels?: Labels];

/** Registers the metrics that are read from the state of the subgraph. */
export function registerGauges(registry: Registry, read: () => SubgraphState): void {
  const define = (
    Metric: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    values: () => readonly Value[],
  ) => {
    const labelNames = Object.keys(values()[0]?.[1] ?? {});
    return new Metric({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, labels = {}] of values()) this.inc(labels, value);
      },
    });
  };
  const gauge = (name: string, help: string, values: () => readonly Value[]) => define(Gauge, name, help, values);
  const counter = (name: string, help: string, values: () => readonly Value[]) => define(Counter, name, help, values);
  const usage = (
    [used, usedHelp]: readonly [name: string, help: string],
    [limit, limitHelp]: readonly [name: string, help: string],
    of: () => Usage,
  ) => {
    gauge(used, usedHelp, () => [[of().used]]);
    gauge(limit, limitHelp, () => [[of().limit]]);
  };

  gauge('http_server_active_requests', 'Requests whose response is not complete.', () => [[read().activeRequests]]);
  usage(
    ['http_server_open_connections', 'Connections of clients.'],
    ['http_server_connections_limit', 'MAX_CONNECTIONS.'],
    () => read().connections,
  );
  usage(
    ['graphql_operations_in_flight', 'GraphQL operations whose response is not complete.'],
    ['graphql_operations_limit', 'MAX_OPERATIONS.'],
    () => read().operations,
  );
  usage(
    ['downloads_in_flight', 'Files that are being sent.'],
    ['downloads_limit', 'MAX_DOWNLOADS.'],
    () => read().downloads,
  );
  usage(
    ['http_client_queue_length', 'REST calls that wait for a socket.'],
    ['http_client_queue_limit', 'UPSTREAM_QUEUE.'],
    () => read().rest.queue,
  );
  usage(
    ['rest_memory_held_bytes', 'Memory of REST responses, and of what is built from them.'],
    ['rest_memory_limit_bytes', 'MEMORY_BUDGET.'],
    () => read().rest.memory.usage,
  );
  gauge('rest_memory_use_bytes', 'The same by what it is held for.', () =>
    Object.entries(read().rest.memory.uses).map(([use, bytes]): Value => [bytes, { use }]),
  );
  gauge('rest_memory_waiting_responses', 'REST responses that wait for memory.', () => [[read().rest.memory.waiting]]);
  gauge(
    'http_client_connections',
    'Sockets to the REST service, and calls that wait for one inside the HTTP client.',
    () =>
      read().rest.pools.flatMap(({ pool, free, running, pending }): Value[] => [
        [free, { pool, state: 'free' }],
        [running, { pool, state: 'running' }],
        [pending, { pool, state: 'pending' }],
      ]),
  );
  gauge('http_client_connections_limit', 'The most sockets: UPSTREAM_CONNECTIONS and MAX_DOWNLOADS.', () =>
    read().rest.pools.map(({ pool, limit }): Value => [limit, { pool }]),
  );
  gauge('http_client_circuit_open', 'Whether the circuit of a REST operation is open.', () =>
    read().rest.circuits.map(({ operation, isOpen }): Value => [isOpen ? 1 : 0, { operation }]),
  );
  counter(
    'results_call_merging_suspended_total',
    'How often the results calls of a dataset were not merged for some minutes.',
    () => [[read().mergingSuspensions]],
  );
  counter('results_odd_rows_total', 'Rows of results that could not be copied as they are.', () => [[read().oddRows]]);

  const { cache } = read();
  if (cache === undefined) return;
  counter('rest_cache_reads_total', 'Reads of the service with CACHE on, by how they were answered.', () =>
    Object.entries(cache.reads).flatMap(([operation, counts]) =>
      readOutcomes.map((outcome): Value => [counts[outcome], { operation, outcome }]),
    ),
  );
  usage(
    ['rest_cache_held_bytes', 'Memory of the responses that are kept.'],
    ['rest_cache_limit_bytes', 'CACHE_MAX_BYTES.'],
    () => cache.store.usage,
  );
  gauge('rest_cache_entries', 'Responses that are kept.', () => [[cache.store.entries]]);
  counter('rest_cache_evictions_total', 'Responses that were dropped because there was no more room.', () => [
    [cache.store.evictions],
  ]);
}
