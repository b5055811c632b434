import type { Registry } from '@prometheus-io/client';
import type { Usage } from '../core/usage.ts';
import { type ReadCacheState, readOutcomes } from '../rest/cache/read-cache.ts';
import type { RestClientState } from '../rest/client.ts';
import { type ReadMetric, registerReadMetrics } from './read-metrics.ts';

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

const ofSubgraph: readonly ReadMetric<SubgraphState>[] = [
  ['http_server_active_requests', 'Requests whose response is not complete.', (state) => state.activeRequests],
  ['http_server_open_connections', 'Connections of clients.', ({ connections }) => connections.used],
  ['http_server_connections_limit', 'MAX_CONNECTIONS.', ({ connections }) => connections.limit],
  [
    'graphql_operations_in_flight',
    'GraphQL operations whose response is not complete.',
    ({ operations }) => operations.used,
  ],
  ['graphql_operations_limit', 'MAX_OPERATIONS.', ({ operations }) => operations.limit],
  ['downloads_in_flight', 'Files that are being sent.', ({ downloads }) => downloads.used],
  ['downloads_limit', 'MAX_DOWNLOADS.', ({ downloads }) => downloads.limit],
  ['http_client_queue_length', 'REST calls that wait for a socket.', ({ rest }) => rest.queue.used],
  ['http_client_queue_limit', 'UPSTREAM_QUEUE.', ({ rest }) => rest.queue.limit],
  [
    'rest_memory_held_bytes',
    'Memory of REST responses, and of what is built from them.',
    ({ rest }) => rest.memory.usage.used,
  ],
  ['rest_memory_limit_bytes', 'MEMORY_BUDGET.', ({ rest }) => rest.memory.usage.limit],
  [
    'rest_memory_use_bytes',
    'The same by what it is held for.',
    ({ rest }) => Object.entries(rest.memory.uses).map(([use, value]) => ({ value, labels: { use } })),
  ],
  ['rest_memory_waiting_responses', 'REST responses that wait for memory.', ({ rest }) => rest.memory.waiting],
  [
    'http_client_connections',
    'Sockets to the REST service, and calls that wait for one inside the HTTP client.',
    ({ rest }) =>
      rest.pools.flatMap(({ pool, free, running, pending }) =>
        Object.entries({ free, running, pending }).map(([state, value]) => ({ value, labels: { pool, state } })),
      ),
  ],
  [
    'http_client_connections_limit',
    'The most sockets: UPSTREAM_CONNECTIONS and MAX_DOWNLOADS.',
    ({ rest }) => rest.pools.map(({ pool, limit }) => ({ value: limit, labels: { pool } })),
  ],
  [
    'http_client_circuit_open',
    'Whether the circuit of a REST operation is open.',
    ({ rest }) => rest.circuits.map(({ operation, isOpen }) => ({ value: isOpen ? 1 : 0, labels: { operation } })),
  ],
  [
    'results_call_merging_suspended_total',
    'How often the results calls of a dataset were not merged for some minutes.',
    ({ mergingSuspensions }) => mergingSuspensions,
  ],
  ['results_odd_rows_total', 'Rows of results that could not be copied as they are.', ({ oddRows }) => oddRows],
];

const ofCache: readonly ReadMetric<ReadCacheState>[] = [
  [
    'rest_cache_reads_total',
    'Reads of the service with CACHE on, by how they were answered.',
    ({ reads }) =>
      Object.entries(reads).flatMap(([operation, counts]) =>
        readOutcomes.map((outcome) => ({ value: counts[outcome], labels: { operation, outcome } })),
      ),
  ],
  ['rest_cache_held_bytes', 'Memory of the responses that are kept.', ({ store }) => store.usage.used],
  ['rest_cache_limit_bytes', 'CACHE_MAX_BYTES.', ({ store }) => store.usage.limit],
  ['rest_cache_entries', 'Responses that are kept.', ({ store }) => store.entries],
  [
    'rest_cache_evictions_total',
    'Responses that were dropped because there was no more room.',
    ({ store }) => store.evictions,
  ],
];

/** Registers the metrics that are read from the state of the subgraph. */
export function registerGauges(registry: Registry, read: () => SubgraphState): void {
  registerReadMetrics(registry, ofSubgraph, read);
  const { cache } = read();
  if (cache !== undefined) registerReadMetrics(registry, ofCache, () => cache);
}
