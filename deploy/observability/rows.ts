import type { Panel, Query, Row } from './grafana.ts';
import {
  answered,
  calls,
  each,
  failedShare,
  operations,
  quantile,
  quantiles,
  rates,
  share,
  slowShare,
} from './queries.ts';

type Options = Pick<Panel, 'show' | 'threshold'>;

const panel = (title: string, unit: string, description: string, queries: Query[], options?: Options): Panel => ({
  title,
  unit,
  description,
  queries,
  ...options,
});

const number = { show: 'number' } as const;
const areas = { show: 'areas' } as const;

const overview: Panel[] = [
  panel('Operations', 'reqps', 'GraphQL operations a second.', [[rates(`${operations}_count`), 'operations']], number),
  panel(
    'Failed',
    'percentunit',
    'The share of operations that fail. The objective is 0.5 % at most.',
    [[failedShare, 'failed']],
    {
      ...number,
      threshold: 0.005,
    },
  ),
  panel(
    'Slow',
    'percentunit',
    'The share of operations that take more than a second. The objective is 1 % at most.',
    [[slowShare, 'slow']],
    {
      ...number,
      threshold: 0.01,
    },
  ),
  panel(
    'p99',
    's',
    'Duration of operations that were answered.',
    [[quantile(0.99, operations, '', answered), 'p99']],
    number,
  ),
  panel('REST calls', 'reqps', 'Calls of the REST service a second.', [[rates(`${calls}_count`), 'calls']], number),
  panel(
    'Replicas',
    'none',
    'By version.',
    [[`count by (version, node_version) (${each('dataset_subgraph_info')})`, '{{version}}, Node.js {{node_version}}']],
    number,
  ),
];

const graphql: Panel[] = [
  panel(
    'Operations by outcome',
    'reqps',
    'service_error, timeout and shutting_down count as failed.',
    [[rates(`${operations}_count`, 'outcome'), '{{outcome}}']],
    areas,
  ),
  panel(
    'Failed and slow operations',
    'percentunit',
    'Shares of operations. The objectives are 0.5 % and 1 % at most.',
    [
      [failedShare, 'failed'],
      [slowShare, 'slower than 1 s'],
    ],
    { threshold: 0.01 },
  ),
  panel(
    'Duration',
    's',
    'Of operations that were answered, until the client has the response.',
    quantiles(operations, answered),
  ),
  panel(
    'Errors by code',
    'cps',
    'Errors in GraphQL responses. docs/errors.md explains the codes.',
    [[rates('graphql_errors_total', 'code'), '{{code}}']],
    areas,
  ),
  panel('Duration by outcome, p95', 's', 'Slow failures are timeouts. Fast ones are a full queue or an open circuit.', [
    [quantile(0.95, operations, 'outcome'), '{{outcome}}'],
  ]),
  panel('Large responses', 'Bps', 'Bytes of responses that are written while they are sent.', [
    [rates('graphql_streamed_response_bytes_total', 'instance'), '{{instance}}'],
  ]),
];

const http: Panel[] = [
  panel(
    'Requests by route and status',
    'reqps',
    'Complete responses.',
    [
      [
        rates(
          'http_server_request_duration_seconds_count',
          'http_request_method, http_route, http_response_status_code',
        ),
        '{{http_request_method}} {{http_route}} {{http_response_status_code}}',
      ],
    ],
    areas,
  ),
  panel(
    'Rejected and aborted requests',
    'reqps',
    'Rejected before they were executed; or the connection broke before the end.',
    [
      [rates('http_server_requests_rejected_total', 'reason'), 'rejected: {{reason}}'],
      [rates('http_server_requests_aborted_total', 'http_route'), 'aborted: {{http_route}}'],
    ],
  ),
  panel('Connections and requests in progress', 'none', 'Of all replicas together.', [
    [`sum(${each('http_server_open_connections')})`, 'connections'],
    [`sum(${each('http_server_active_requests')})`, 'requests'],
    [`sum(${each('graphql_operations_in_flight')})`, 'operations'],
  ]),
];

const rest: Panel[] = [
  panel(
    'Calls by status',
    'reqps',
    'Calls that were sent. none: there was no response.',
    [[rates(`${calls}_count`, 'operation, status_class'), '{{operation}} {{status_class}}']],
    areas,
  ),
  panel('Failures', 'reqps', 'Why calls failed. httpError is a status of 4xx or 5xx.', [
    [rates(`${calls}_count`, 'operation, failure', 'failure!="none"'), '{{operation}} {{failure}}'],
  ]),
  panel(
    'Duration',
    's',
    'Without the wait in the queue.',
    [0.5, 0.95].map((part) => [quantile(part, calls, 'operation'), `{{operation}} p${part * 100}`]),
  ),
  panel('Calls that were not sent', 'reqps', 'queueFull and circuitOpen protect the subgraph and the service.', [
    [rates('http_client_requests_not_sent_total', 'operation, reason'), '{{operation}} {{reason}}'],
  ]),
  panel('Connection errors and retries', 'cps', 'Errors of dns and tls do not go away by themselves.', [
    [rates('http_client_connection_errors_total', 'cause'), 'error: {{cause}}'],
    [rates('http_client_retries_total', 'operation'), 'retry: {{operation}}'],
  ]),
  panel('Circuits', 'none', 'Replicas whose circuit is open, and how often circuits opened.', [
    [`sum by (operation) (${each('http_client_circuit_open')})`, '{{operation}} open'],
    [
      `sum by (operation) (increase(${each('http_client_circuit_opened_total')}[$__rate_interval]))`,
      '{{operation}} opened',
    ],
  ]),
  panel('Bytes received', 'Bps', 'Bodies of REST responses, before decoding.', [
    [rates('http_client_response_bytes_total', 'operation'), '{{operation}}'],
  ]),
];

const saturation: Panel[] = [
  panel(
    'Limits in use',
    'percentunit',
    'On the replica where it is most.',
    [
      [share('graphql_operations_in_flight', 'graphql_operations_limit'), 'operations'],
      [share('http_client_queue_length', 'http_client_queue_limit'), 'queue'],
      [share('rest_memory_held_bytes', 'rest_memory_limit_bytes'), 'memory of REST responses'],
      [share('http_server_open_connections', 'http_server_connections_limit'), 'connections of clients'],
      [share('downloads_in_flight', 'downloads_limit'), 'downloads'],
      [share('process_open_fds', 'process_max_fds'), 'file descriptors'],
    ],
    { threshold: 0.8 },
  ),
  panel(
    'Event loop',
    'percentunit',
    'The share of time in which the JavaScript thread works. At 100 % a replica is full.',
    [
      [
        [
          rates('nodejs_eventloop_time_seconds_total', 'instance', 'state="active"'),
          rates('nodejs_eventloop_time_seconds_total', 'instance'),
        ].join(' / '),
        '{{instance}}',
      ],
    ],
    { threshold: 0.9 },
  ),
  panel(
    'Wait in the queue',
    's',
    'From the request for a REST call to its sending.',
    quantiles('http_client_queue_wait_seconds'),
  ),
  panel('Queue', 'none', 'REST calls that wait for a connection.', [
    [each('http_client_queue_length'), '{{instance}}'],
  ]),
  panel(
    'Connections to the REST service',
    'none',
    'Of all replicas together. pending: calls that wait inside the HTTP client.',
    [
      [`sum by (pool, state) (${each('http_client_connections')})`, '{{pool}} {{state}}'],
      [`sum by (pool) (${each('http_client_connections_limit')})`, '{{pool}} limit'],
    ],
  ),
  panel('Responses that wait for memory', 'none', 'They come one after the other. Metadata does not wait.', [
    [each('rest_memory_waiting_responses'), '{{instance}}'],
  ]),
];

const results: Panel[] = [
  panel('Odd rows', 'cps', 'Rows of results that could not be copied as they are.', [
    [rates('results_odd_rows_total'), 'odd rows'],
  ]),
  panel('Reads with the cache', 'cps', 'Only with CACHE=memory. A miss makes a REST call.', [
    [rates('rest_cache_reads_total', 'outcome'), '{{outcome}}'],
    [rates('rest_cache_evictions_total'), 'evicted'],
  ]),
  panel('Memory of the cache', 'bytes', 'Only with CACHE=memory.', [
    [each('rest_cache_held_bytes'), '{{instance}} held'],
    [`max(${each('rest_cache_limit_bytes')})`, 'limit'],
  ]),
  panel('Responses in the cache', 'none', 'Only with CACHE=memory.', [[each('rest_cache_entries'), '{{instance}}']]),
  panel(
    'Call merging suspended',
    'none',
    'How often the service returned assets of a dataset that were not requested.',
    [[`increase(${each('results_call_merging_suspended_total')}[$__rate_interval])`, '{{instance}}']],
  ),
];

const memory = (gauge: string, what: string): Query => [each(gauge), `{{instance}} ${what}`];

const process: Panel[] = [
  panel('CPU', 'percentunit', 'Of all threads. 100 % is one core.', [
    [rates('process_cpu_seconds_total', 'instance'), '{{instance}}'],
  ]),
  panel('Delay of the event loop', 's', 'Between two scrapes.', [
    ...['p50', 'p90', 'p99'].map((part): Query => [`max(${each(`nodejs_eventloop_delay_${part}_seconds`)})`, part]),
    [`max(${each('nodejs_eventloop_delay_max_seconds')})`, 'maximum'],
  ]),
  panel('Garbage collection', 'percentunit', 'The share of time, by kind.', [
    [rates('nodejs_gc_duration_seconds_sum', 'kind'), '{{kind}}'],
  ]),
  panel('Memory', 'bytes', 'Resident memory, and REST responses in it.', [
    memory('process_resident_memory_bytes', 'resident'),
    memory('rest_memory_held_bytes', 'REST responses'),
  ]),
  panel('Memory of REST responses', 'bytes', 'By what it is held for.', [
    [`sum by (use) (${each('rest_memory_use_bytes')})`, '{{use}}'],
  ]),
  panel('Heap', 'bytes', 'The process ends when the heap reaches its limit.', [
    memory('nodejs_heap_size_used_bytes', 'used'),
    memory('nodejs_heap_size_total_bytes', 'total'),
    memory('nodejs_heap_size_limit_bytes', 'limit'),
  ]),
  panel('Memory outside the heap', 'bytes', 'Buffers hold REST responses and chunks of responses.', [
    memory('nodejs_external_memory_bytes', 'external'),
    memory('nodejs_array_buffers_bytes', 'buffers'),
  ]),
  panel('Time since the start', 's', 'It falls to 0 when a replica restarts.', [
    [`time() - ${each('process_start_time_seconds')}`, '{{instance}}'],
  ]),
];

/** The rows of the dashboard, from what clients notice to what causes it. */
export const rows: readonly Row[] = [
  { title: 'Overview', panels: overview },
  { title: 'GraphQL', panels: graphql },
  { title: 'HTTP', panels: http },
  { title: 'REST service', panels: rest },
  { title: 'Saturation', panels: saturation },
  { title: 'Results', panels: results },
  { title: 'Process', panels: process },
];
