import { type Figures, keyOf } from './figures.ts';

/** What happened between two rests, as others saw it, and as the process reports it. */
export interface Account {
  /**
   * - `sent` {route}: requests of which clients wrote the headers, and `invalid`: what they sent that is no HTTP;
   * - `answered` {route, status}: responses that clients read to their end;
   * - `outcome` {outcome}: those to GraphQL operations: success, client_error, service_error;
   * - `error` {code}: the errors in these, and `overloaded`: responses of requests that a limit rejected;
   * - `streamed`: bytes of responses without a content-length;
   * - `arrived` {operation}: calls that the REST service received, and `written`: bytes that it sent;
   * - `circuit_opened` {operation}: lines in the log of the process.
   */
  readonly seen: Figures;
  /** The metrics. */
  readonly reported: Figures;
  /** The most errors in one response, and the most bytes of one. */
  readonly most: { readonly errors: number; readonly bytes: number };
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
const GRAPHQL = '/graphql';
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
 * Otherwise the requests that were left bound the difference, because a client does not know what it did not read.
 */
export function disagreements(account: Account): string[] {
  const checks = [
    ...requestChecks(account),
    ...operationChecks(account),
    ...callChecks(account),
    ...cacheChecks(account),
    ...histogramChecks(account),
  ];
  return checks.flatMap(({ what, reported, from, to = from }) => {
    if (reported >= from && reported <= to) return [];
    return [`the metrics report ${reported} ${what}, and there were ${from === to ? from : `${from} to ${to}`}`];
  });
}

/** Every request is answered or aborted, and what is no request is counted apart. */
function requestChecks({ seen, reported }: Account): Check[] {
  const left = ROUTES.reduce((sum, route) => sum + leftAt(seen, route), 0);
  const overloaded = seen.sum('overloaded');
  const limits = ['max_operations', 'max_connections', 'max_downloads'];
  return [
    { what: 'requests', reported: reported.sum(REQUESTS) + reported.sum(ABORTED), from: seen.sum('sent') },
    ...ROUTES.map((route) => ({
      what: `requests of ${route}, answered or aborted`,
      reported: reported.sum(REQUESTS, { http_route: route }) + reported.sum(ABORTED, { http_route: route }),
      from: seen.sum('sent', { route }),
    })),
    ...ROUTES.flatMap((route) =>
      union(reported.values(REQUESTS, 'http_response_status_code'), seen.values('answered', 'status')).map(
        (status) => ({
          what: `responses of ${route} with status ${status}`,
          reported: reported.sum(REQUESTS, { http_route: route, http_response_status_code: status }),
          ...atLeast(seen.sum('answered', { route, status }), leftAt(seen, route)),
        }),
      ),
    ),
    {
      what: 'requests rejected at a limit',
      reported: limits.reduce((sum, reason) => sum + reported.sum(REJECTED, { reason }), 0),
      ...atLeast(overloaded, left),
    },
    {
      what: 'requests rejected as invalid HTTP',
      reported: reported.sum(REJECTED, { reason: 'invalid_http' }),
      from: seen.sum('invalid'),
    },
    {
      what: 'requests rejected without the secret of the router',
      reported: reported.sum(REJECTED, { reason: 'router_secret' }),
      from: 0,
    },
  ];
}

/** Every request of the GraphQL route that is not rejected becomes an operation, unless its client leaves before. */
function operationChecks({ seen, reported, most }: Account): Check[] {
  const left = leftAt(seen, GRAPHQL);
  const accepted = seen.sum('sent', { route: GRAPHQL }) - reported.sum(REJECTED, { reason: 'max_operations' });
  const operations = (...outcomes: string[]) =>
    outcomes.reduce((sum, outcome) => sum + reported.sum(OPERATIONS, { outcome }), 0);
  const ended = (outcome: string) => atLeast(seen.sum('outcome', { outcome }), left);
  return [
    { what: 'operations', reported: reported.sum(OPERATIONS), from: accepted - left, to: accepted },
    { what: 'operations with the outcome success', reported: operations('success'), ...ended('success') },
    {
      what: 'operations with the outcome client_error',
      reported: operations('client_error'),
      ...ended('client_error'),
    },
    {
      what: 'operations with the outcome service_error or timeout',
      reported: operations('service_error', 'timeout'),
      ...ended('service_error'),
    },
    { what: 'operations with the outcome cancelled', reported: operations('cancelled'), ...atLeast(0, left) },
    { what: 'operations with the outcome shutting_down', reported: operations('shutting_down'), from: 0 },
    ...union(reported.values('graphql_errors_total', 'code'), seen.values('error', 'code')).map((code) => ({
      what: `errors with the code ${code}`,
      reported: reported.sum('graphql_errors_total', { code }),
      ...atLeast(seen.sum('error', { code }), left * most.errors),
    })),
    {
      what: 'bytes of streamed responses',
      reported: reported.sum('graphql_streamed_response_bytes_total'),
      ...atLeast(seen.sum('streamed'), left * most.bytes),
    },
  ];
}

/** Every call that was sent arrives, unless it ends before that. */
function callChecks({ seen, reported }: Account): Check[] {
  const failed = (operation: string, failure: string) =>
    reported.sum(CALLS, { operation, failure, status_class: 'none' });
  const unavailable = reported.sum(CALLS, { failure: 'unavailable' });
  return [
    ...union(reported.values(CALLS, 'operation'), seen.values('arrived', 'operation')).flatMap((operation) => {
      const calls = reported.sum(CALLS, { operation });
      const arrived = seen.sum('arrived', { operation });
      const unsure = ['cancelled', 'timeout', 'unavailable'].reduce((sum, one) => sum + failed(operation, one), 0);
      const unsuccessful =
        calls - reported.sum(CALLS, { operation, failure: 'none' }) + reported.sum(NOT_SENT, { operation });
      return [
        { what: `calls of ${operation}`, reported: calls, ...atLeast(arrived, unsure) },
        {
          what: `waits of ${operation} in the queue`,
          reported: reported.sum('http_client_queue_wait_seconds_count', { operation }),
          from: calls,
        },
        {
          what: `retries of ${operation} (at most one for each call that failed)`,
          reported: reported.sum(RETRIES, { operation }),
          ...atLeast(0, unsuccessful),
        },
        {
          what: `openings of the circuit of ${operation}`,
          reported: reported.sum('http_client_circuit_opened_total', { operation }),
          from: seen.sum('circuit_opened', { operation }),
        },
      ];
    }),
    {
      what: 'errors of connections',
      reported: reported.sum('http_client_connection_errors_total'),
      ...atLeast(unavailable, reported.sum(CALLS, { failure: 'timeout' })),
    },
    {
      what: 'bytes of REST responses',
      reported: reported.sum('http_client_response_bytes_total'),
      ...atLeast(0, seen.sum('written')),
    },
  ];
}

/** With a cache: each read that it does not answer makes a call, which may be repeated, or not be sent. */
function cacheChecks({ reported }: Account): Check[] {
  return reported.values(READS, 'operation').map((operation) => ({
    what: `misses of ${operation} in the cache`,
    reported: reported.sum(READS, { operation, outcome: 'miss' }),
    from:
      reported.sum(CALLS, { operation }) + reported.sum(NOT_SENT, { operation }) - reported.sum(RETRIES, { operation }),
  }));
}

function histogramChecks({ reported }: Account): Check[] {
  return reported.all().flatMap(({ name, labels, value }) =>
    name.endsWith('_count')
      ? {
          what: `observations in all buckets of ${keyOf(name, labels)}`,
          reported: reported.sum(name.replace(/count$/, 'bucket'), { ...labels, le: '+Inf' }),
          from: value,
        }
      : [],
  );
}

/** A line for each counter that has decreased, or is gone. */
export function decreased(before: Figures, now: Figures): string[] {
  return now
    .since(before)
    .all()
    .filter(({ name, value }) => /_(total|count|sum|bucket)$/.test(name) && value < 0)
    .map(({ name, labels, value }) => `${keyOf(name, labels)} decreased by ${-value}`);
}

/** What the process holds only while it works. */
const gauges: readonly (readonly [name: string, labels?: Readonly<Record<string, string>>])[] = [
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

type Cause = readonly [name: string, labels?: Readonly<Record<string, string>>];

/** What every soak causes. A counter of it that stays 0 counts nothing. */
const caused: readonly Cause[] = [
  [ABORTED],
  [REJECTED, { reason: 'max_operations' }],
  [REJECTED, { reason: 'invalid_http' }],
  [OPERATIONS, { outcome: 'client_error' }],
  [OPERATIONS, { outcome: 'service_error' }],
  [OPERATIONS, { outcome: 'cancelled' }],
  ['graphql_streamed_response_bytes_total'],
  ['results_odd_rows_total'],
  [RETRIES],
  ['http_client_connection_errors_total', { cause: 'reset' }],
  ['http_client_response_bytes_total', { operation: 'getDatasetMetadata' }],
  ['http_client_response_bytes_total', { operation: 'getDatasetResults' }],
  ['http_client_response_bytes_total', { operation: 'downloadStaticDataset' }],
  ['http_client_circuit_opened_total'],
  [NOT_SENT, { reason: 'circuitOpen' }],
  ['process_cpu_seconds_total'],
  ['nodejs_gc_duration_seconds_count', { kind: 'major' }],
];

/** What a soak with a cache causes too. */
const causedWithCache = ['hit', 'joined', 'miss'].map((outcome): Cause => [READS, { outcome }]);

/** A line for each counter that stayed 0 in the whole soak. */
export function untouched(reported: Figures, hasCache: boolean): string[] {
  return [...caused, ...(hasCache ? causedWithCache : [])].flatMap(([name, labels = {}]) =>
    reported.sum(name, labels) > 0 ? [] : [`${keyOf(name, labels)} is 0 after the soak`],
  );
}

/** The requests whose response the client did not read to its end. */
function leftAt(seen: Figures, route: string): number {
  return seen.sum('sent', { route }) - seen.sum('answered', { route });
}

function atLeast(from: number, more: number): { readonly from: number; readonly to: number } {
  return { from, to: from + more };
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}
