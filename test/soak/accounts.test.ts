import { describe, expect, it } from 'vitest';
import { decreased, disagreements, unrested, untouched } from './accounts.ts';
import { Figures } from './figures.ts';

const FILES = '/download/dataset/:id';

/** What was seen of ten requests for data and three for files. Nobody left, but a file was truncated. */
const seen = [
  'sent{route="/graphql"} 10',
  'answered{route="/graphql",status="200"} 8',
  'answered{route="/graphql",status="400"} 1',
  'answered{route="/graphql",status="503"} 1',
  `sent{route="${FILES}"} 3`,
  `answered{route="${FILES}",status="200"} 2`,
  'invalid 1',
  'overloaded 1',
  'outcome{outcome="success"} 5',
  'outcome{outcome="client_error"} 2',
  'outcome{outcome="service_error"} 2',
  'error{code="NOT_FOUND"} 3',
  'error{code="UPSTREAM_UNAVAILABLE"} 2',
  'streamed 1000000',
  'arrived{operation="getDatasetMetadata"} 12',
  'arrived{operation="downloadStaticDataset"} 3',
  'written 5000000',
  'circuit_opened{operation="getDatasetMetadata"} 1',
];

/** The metrics that agree with it. */
const reported = [
  'http_server_request_duration_seconds_count{http_request_method="POST",http_route="/graphql",http_response_status_code="200"} 8',
  'http_server_request_duration_seconds_count{http_request_method="POST",http_route="/graphql",http_response_status_code="400"} 1',
  'http_server_request_duration_seconds_count{http_request_method="POST",http_route="/graphql",http_response_status_code="503"} 1',
  `http_server_request_duration_seconds_count{http_request_method="GET",http_route="${FILES}",http_response_status_code="200"} 2`,
  `http_server_requests_aborted_total{http_route="${FILES}"} 1`,
  'http_server_requests_rejected_total{reason="max_operations"} 1',
  'http_server_requests_rejected_total{reason="max_connections"} 0',
  'http_server_requests_rejected_total{reason="max_downloads"} 0',
  'http_server_requests_rejected_total{reason="router_secret"} 0',
  'http_server_requests_rejected_total{reason="invalid_http"} 1',
  'graphql_operation_duration_seconds_count{outcome="success"} 5',
  'graphql_operation_duration_seconds_count{outcome="client_error"} 2',
  'graphql_operation_duration_seconds_count{outcome="service_error"} 1',
  'graphql_operation_duration_seconds_count{outcome="timeout"} 1',
  'graphql_operation_duration_seconds_count{outcome="cancelled"} 0',
  'graphql_operation_duration_seconds_count{outcome="shutting_down"} 0',
  'graphql_errors_total{code="NOT_FOUND"} 3',
  'graphql_errors_total{code="UPSTREAM_UNAVAILABLE"} 2',
  'graphql_streamed_response_bytes_total 1000000',
  'http_client_request_duration_seconds_count{operation="getDatasetMetadata",status_class="2xx",failure="none"} 10',
  'http_client_request_duration_seconds_count{operation="getDatasetMetadata",status_class="none",failure="unavailable"} 2',
  'http_client_request_duration_seconds_count{operation="downloadStaticDataset",status_class="2xx",failure="none"} 3',
  'http_client_queue_wait_seconds_count{operation="getDatasetMetadata"} 12',
  'http_client_queue_wait_seconds_count{operation="downloadStaticDataset"} 3',
  'http_client_requests_not_sent_total{operation="getDatasetMetadata",reason="circuitOpen"} 1',
  'http_client_retries_total{operation="getDatasetMetadata"} 2',
  'http_client_connection_errors_total{cause="reset"} 2',
  'http_client_circuit_opened_total{operation="getDatasetMetadata"} 1',
  'http_client_response_bytes_total{operation="getDatasetMetadata"} 4000000',
  'rest_cache_reads_total{operation="getDatasetMetadata",outcome="hit"} 5',
  'rest_cache_reads_total{operation="getDatasetMetadata",outcome="miss"} 11',
];

const HISTOGRAM = 'http_client_queue_wait_seconds';

/** The figures of these lines. A histogram has all its observations in its last bucket. */
function figuresOf(lines: readonly string[]): Figures {
  const buckets = lines.flatMap((line) =>
    /_count[ {]/.test(line) ? line.replace('_count', '_bucket').replace('}', ',le="+Inf"}') : [],
  );
  return Figures.parse([...lines, ...buckets].join('\n'));
}

/** The lines with one figure changed. */
function changed(lines: readonly string[], start: string, by: number): string[] {
  const matching = lines.filter((line) => line.startsWith(start));
  expect(matching).toHaveLength(1);
  return lines.map((line) =>
    line === matching[0] ? line.replace(/\d+$/, (value) => String(Number(value) + by)) : line,
  );
}

const judge = (ofOthers: readonly string[], ofProcess: readonly string[]) =>
  disagreements({ seen: figuresOf(ofOthers), reported: figuresOf(ofProcess), most: { errors: 4, bytes: 900 } });

describe('the metrics against what others saw', () => {
  it('agree', () => expect(judge(seen, reported)).toEqual([]));

  const graphql = 'http_server_request_duration_seconds_count{http_request_method="POST",http_route="/graphql"';
  it.each([
    [`${graphql},http_response_status_code="200"`, -1, /^the metrics report 12 requests, and there were 13$/],
    [`${graphql},http_response_status_code="200"`, -1, /7 responses of \/graphql with status 200, and there were 8$/],
    [`${graphql},http_response_status_code="200"`, -1, /9 requests of \/graphql, answered or aborted, .* 10$/],
    [`${graphql},http_response_status_code="503"`, 1, /2 responses of \/graphql with status 503, and there were 1$/],
    ['http_server_requests_aborted_total', -1, /2 requests of \/download\/dataset\/:id, answered or aborted, .* 3$/],
    ['http_server_requests_rejected_total{reason="max_operations"}', -1, /0 requests rejected at a limit, .* 1 to 2$/],
    ['http_server_requests_rejected_total{reason="max_operations"}', -1, /9 operations, and there were 10$/],
    ['http_server_requests_rejected_total{reason="max_downloads"}', 2, /3 requests rejected at a limit, .* 1 to 2$/],
    ['http_server_requests_rejected_total{reason="invalid_http"}', -1, /0 requests rejected as invalid HTTP, .* 1$/],
    ['http_server_requests_rejected_total{reason="router_secret"}', 1, /1 requests rejected without the secret .* 0$/],
    ['graphql_operation_duration_seconds_count{outcome="success"}', -1, /8 operations, and there were 9$/],
    ['graphql_operation_duration_seconds_count{outcome="success"}', 1, /6 .* the outcome success, and there were 5$/],
    ['graphql_operation_duration_seconds_count{outcome="client_error"}', -1, /1 .* the outcome client_error, .* 2$/],
    ['graphql_operation_duration_seconds_count{outcome="timeout"}', -1, /1 .* service_error or timeout, .* 2$/],
    ['graphql_operation_duration_seconds_count{outcome="cancelled"}', 1, /1 .* the outcome cancelled, .* 0$/],
    ['graphql_operation_duration_seconds_count{outcome="shutting_down"}', 1, /1 .* shutting_down, .* 0$/],
    ['graphql_errors_total{code="NOT_FOUND"}', -1, /2 errors with the code NOT_FOUND, and there were 3$/],
    ['graphql_errors_total{code="UPSTREAM_UNAVAILABLE"}', 1, /3 errors with the code UPSTREAM_UNAVAILABLE, .* 2$/],
    ['graphql_streamed_response_bytes_total', -1, /999999 bytes of streamed responses, and there were 1000000$/],
    [
      'http_client_request_duration_seconds_count{operation="getDatasetMetadata",status_class="2xx"',
      -1,
      /11 calls of get/,
    ],
    [
      'http_client_request_duration_seconds_count{operation="getDatasetMetadata",status_class="2xx"',
      3,
      /15 .* 12 to 14$/,
    ],
    [`${HISTOGRAM}_count{operation="getDatasetMetadata"}`, -1, /11 waits of getDatasetMetadata in the queue, .* 12$/],
    ['http_client_retries_total', 2, /4 retries of getDatasetMetadata .*, and there were 0 to 3$/],
    ['http_client_connection_errors_total', -1, /1 errors of connections, and there were 2$/],
    ['http_client_circuit_opened_total', -1, /0 openings of the circuit of getDatasetMetadata, and there were 1$/],
    [
      'rest_cache_reads_total{operation="getDatasetMetadata",outcome="miss"',
      -1,
      /10 misses of getDatasetMetadata .* 11$/,
    ],
    ['http_client_response_bytes_total', 2e6, /6000000 bytes of REST responses, and there were 0 to 5000000$/],
  ])('differ where %s is wrong by %d', (start, by, line) => {
    expect(judge(seen, changed(reported, start, by))).toContainEqual(expect.stringMatching(line));
  });

  it('differ where the buckets of a histogram miss an observation', () => {
    const figures = figuresOf(reported);
    figures.add(`${HISTOGRAM}_bucket`, { operation: 'getDatasetMetadata', le: '+Inf' }, -1);
    expect(disagreements({ seen: figuresOf(seen), reported: figures, most: { errors: 0, bytes: 0 } })).toEqual([
      `the metrics report 11 observations in all buckets of ${HISTOGRAM}_count{operation="getDatasetMetadata"}, and there were 12`,
    ]);
  });

  it('may differ by as much as the clients did not read that left', () => {
    const left = changed(seen, 'answered{route="/graphql",status="200"}', -1);
    const ofProcess = (errors: number, bytes: number) =>
      changed(changed(reported, 'graphql_errors_total{code="NOT_FOUND"}', errors), 'graphql_streamed', bytes);
    expect(judge(left, ofProcess(4, 900))).toEqual([]);
    expect(judge(left, ofProcess(5, 901))).toEqual([
      'the metrics report 8 errors with the code NOT_FOUND, and there were 3 to 7',
      'the metrics report 1000901 bytes of streamed responses, and there were 1000000 to 1000900',
    ]);
  });
});

describe('counters', () => {
  const before = Figures.parse('a_total{x="1"} 3\na_total{x="2"} 1\nb_bucket{le="1"} 2\nc_bytes 9');

  it('may stay or increase, and gauges may decrease', () => {
    expect(decreased(before, Figures.parse('a_total{x="1"} 3\na_total{x="2"} 2\nb_bucket{le="1"} 2'))).toEqual([]);
  });

  it('must not decrease or go', () => {
    expect(decreased(before, Figures.parse('a_total{x="1"} 2\nb_bucket{le="1"} 1'))).toEqual([
      'a_total{x="1"} decreased by 1',
      'b_bucket{le="1"} decreased by 1',
      'a_total{x="2"} decreased by 1',
    ]);
  });

  it('must count what every soak causes', () => {
    const line = 'http_client_retries_total is 0 after the soak';
    const retries = (count: number) =>
      Figures.parse(`http_client_retries_total{operation="getDatasetMetadata"} ${count}`);
    expect(untouched(retries(0), false)).toContain(line);
    expect(untouched(retries(1), false)).not.toContain(line);
  });

  it('must count what every soak with a cache causes', () => {
    const name = 'rest_cache_reads_total{outcome="hit"}';
    const line = `${name} is 0 after the soak`;
    expect(untouched(new Figures(), true)).toContain(line);
    expect(untouched(Figures.parse(`${name} 1`), true)).not.toContain(line);
    expect(untouched(new Figures(), false)).not.toContain(line);
  });
});

describe('gauges', () => {
  const names = [
    'http_server_active_requests',
    'http_server_open_connections',
    'graphql_operations_in_flight',
    'downloads_in_flight',
    'http_client_queue_length',
    'http_client_connections{pool="calls",state="running"}',
    'http_client_connections{pool="downloads",state="pending"}',
    'rest_memory_held_bytes',
    'rest_memory_use_bytes{use="responses"}',
    'rest_memory_use_bytes{use="read_ahead"}',
    'rest_memory_use_bytes{use="files"}',
    'rest_memory_waiting_responses',
  ];
  const allOf = (value: (name: string) => number) =>
    Figures.parse(names.map((name) => `${name} ${value(name)}`).join('\n'));

  it('are 0 at rest', () => expect(unrested(allOf(() => 0))).toEqual([]));

  it.each(names)('are wrong where %s is not', (wrong) => {
    const lines = unrested(allOf((name) => (name === wrong ? 7 : 0)));
    expect(lines).toEqual([expect.stringMatching(/ is 7 at rest$/)]);
  });

  it('must exist', () => expect(unrested(new Figures())).toHaveLength(names.length));
});
