import { type Figures, keyOf } from './figures.ts';

/** What happened between two rests, as others saw it, and as the process reports it. */
export interface Account {
  /**
   * - `sent` {route}: requests of which clients wrote the headers, and `invalid`: what they sent that is no HTTP;
   * - `answered` {route}: responses that clients read to their end, and `overloaded`: those that a limit rejected;
   * - `arrived` {operation}: calls that the REST service received.
   */
  readonly seen: Figures;
  /** The metrics. */
  readonly reported: Figures;
}

/** A sum of metrics, and between which values it must be. */
interface Check {
  readonly what: string;
  readonly reported: number;
  readonly from: number;
  /** By default `from`. */
  readonly to?: number;
}

const ROUTES = ['/graphql', '/download/dataset/:id'];
const REQUESTS = 'http_server_request_duration_seconds_count';
const ABORTED = 'http_server_requests_aborted_total';
const REJECTED = 'http_server_requests_rejected_total';
const OPERATIONS = 'graphql_operation_duration_seconds_count';
const CALLS = 'http_client_request_duration_seconds_count';
const NOT_SENT = 'http_client_requests_not_sent_total';
const RETRIES = 'http_client_retries_total';
const READS = 'rest_cache_reads_total';

/**
 * A line for each disagreement. Where no client left before the end of its response, the figures must agree exactly.
 * Otherwise the requests that were left bound the difference, because a client does not know what it did not read. What is counted of
 * a request, an operation or a call, the tests of telemetry show.
 */
export function disagreements({ seen, reported }: Account): string[] {
  const limits = ['max_operations', 'max_connections', 'max_downloads'];
  const [atOperations = 0, ...others] = limits.map((reason) => reported.sum(REJECTED, { reason }));
  const rejected = others.reduce((sum, count) => sum + count, atOperations);
  const accepted = seen.sum('sent', { route: '/graphql' }) - atOperations;
  const overloaded = seen.sum('overloaded');
  const left = seen.sum('sent') - seen.sum('answered');
  const operations = union(reported.values(CALLS, 'operation'), seen.values('arrived', 'operation'));
  const checks: Check[] = [
    ...ROUTES.map((route) => ({
      what: `requests of ${route}, answered or aborted`,
      reported: reported.sum(REQUESTS, { http_route: route }) + reported.sum(ABORTED, { http_route: route }),
      from: seen.sum('sent', { route }),
    })),
    { what: 'requests rejected at a limit', reported: rejected, from: overloaded, to: overloaded + left },
    {
      what: 'requests rejected as invalid HTTP',
      reported: reported.sum(REJECTED, { reason: 'invalid_http' }),
      from: seen.sum('invalid'),
    },
    { what: 'operations', reported: reported.sum(OPERATIONS), from: accepted - left, to: accepted },
    ...operations.map((operation) => callCheck(operation, seen, reported)),
    // Each read that a cache does not answer makes a call, which may be repeated, or not be sent.
    ...reported.values(READS, 'operation').map((operation) => ({
      what: `misses of ${operation} in the cache`,
      reported: reported.sum(READS, { operation, outcome: 'miss' }),
      from:
        reported.sum(CALLS, { operation }) +
        reported.sum(NOT_SENT, { operation }) -
        reported.sum(RETRIES, { operation }),
    })),
  ];
  return checks.flatMap(({ what, reported, from, to = from }) => {
    if (reported >= from && reported <= to) return [];
    return [`the metrics report ${reported} ${what}, and there were ${from === to ? from : `${from} to ${to}`}`];
  });
}

/** Every call that was sent arrives, unless it ends before that. */
function callCheck(operation: string, seen: Figures, reported: Figures): Check {
  const calls = reported.sum(CALLS, { operation });
  const arrived = seen.sum('arrived', { operation });
  const unsure = ['cancelled', 'timeout', 'unavailable'].reduce(
    (sum, failure) => sum + reported.sum(CALLS, { operation, failure, status_class: 'none' }),
    0,
  );
  return { what: `calls of ${operation}`, reported: calls, from: arrived, to: arrived + unsure };
}

/** A line for each counter that has decreased, or is gone. */
export function decreased(before: Figures, now: Figures): string[] {
  return now
    .since(before)
    .all()
    .filter(({ name, value }) => /_(total|count|sum|bucket)$/.test(name) && value < 0)
    .map(({ name, labels, value }) => `${keyOf(name, labels)} decreased by ${-value}`);
}

type Named = readonly [name: string, labels?: Readonly<Record<string, string>>];

/** What the process holds only while it works. */
const gauges: readonly Named[] = [
  ['http_server_active_requests'],
  ['http_server_open_connections'],
  ['graphql_operations_in_flight'],
  ['downloads_in_flight'],
  ['http_client_queue_length'],
  ['http_client_connections', { state: 'running' }],
  ['http_client_connections', { state: 'pending' }],
  ['rest_memory_held_bytes'],
  ['rest_memory_use_bytes', { use: 'responses' }],
  ['rest_memory_use_bytes', { use: 'read_ahead' }],
  ['rest_memory_use_bytes', { use: 'files' }],
  ['rest_memory_waiting_responses'],
];

/** A line for each gauge that is not zero at rest, or is missing. */
export function unrested(reported: Figures): string[] {
  return gauges.flatMap(([name, labels = {}]) => {
    if (!reported.all().some((series) => series.name === name)) return [`there is no ${name}`];
    const value = reported.sum(name, labels);
    return value === 0 ? [] : [`${keyOf(name, labels)} is ${value} at rest`];
  });
}

/** What every soak causes. A counter of it that stays 0 counts nothing. */
const caused: readonly Named[] = [
  [ABORTED],
  [REJECTED, { reason: 'max_operations' }],
  [REJECTED, { reason: 'invalid_http' }],
  ...['client_error', 'service_error', 'cancelled'].map((outcome): Named => [OPERATIONS, { outcome }]),
  ['graphql_streamed_response_bytes_total'],
  ['results_odd_rows_total'],
  [RETRIES],
  ['http_client_connection_errors_total', { cause: 'reset' }],
  ...['getDatasetMetadata', 'getDatasetResults', 'downloadStaticDataset'].map(
    (operation): Named => ['http_client_response_bytes_total', { operation }],
  ),
  ['http_client_circuit_opened_total'],
  [NOT_SENT, { reason: 'circuitOpen' }],
  ['process_cpu_seconds_total'],
  ['nodejs_gc_duration_seconds_count', { kind: 'major' }],
];

/** What a soak with a cache causes too. */
const causedWithCache = ['hit', 'joined', 'miss'].map((outcome): Named => [READS, { outcome }]);

/** A line for each counter that stayed 0 in the whole soak. */
export function untouched(reported: Figures, hasCache: boolean): string[] {
  return [...caused, ...(hasCache ? causedWithCache : [])].flatMap(([name, labels = {}]) =>
    reported.sum(name, labels) > 0 ? [] : [`${keyOf(name, labels)} is 0 after the soak`],
  );
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}
