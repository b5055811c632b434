import { describe, expect, it } from 'vitest';
import { decreased, disagreements, unrested, untouched } from './accounts.ts';
import { Figures } from './figures.ts';

const FILES = '/download/dataset/:id';

/** What was seen of ten requests for data and three for files. Nobody left, but a file was truncated. */
const seen = [
  'sent{route="/graphql"} 10',
  'answered{route="/graphql"} 10',
  `sent{route="${FILES}"} 3`,
  `answered{route="${FILES}"} 2`,
  'invalid 1',
  'overloaded 1',
  'arrived{operation="getDatasetMetadata"} 12',
].join('\n');

/** The metrics that agree with it, and of how many more the disagreement is seen. */
const reported: readonly [line: string, value: number, more?: number][] = [
  ['http_server_request_duration_seconds_count{http_route="/graphql"}', 10],
  [`http_server_request_duration_seconds_count{http_route="${FILES}"}`, 2],
  [`http_server_requests_aborted_total{http_route="${FILES}"}`, 1],
  ['http_server_requests_rejected_total{reason="max_operations"}', 1, 2],
  ['http_server_requests_rejected_total{reason="invalid_http"}', 1],
  ['graphql_operation_duration_seconds_count{outcome="success"}', 9],
  ['http_client_request_duration_seconds_count{operation="getDatasetMetadata",status_class="2xx",failure="none"}', 10],
  [
    'http_client_request_duration_seconds_count{operation="getDatasetMetadata",status_class="none",failure="unavailable"}',
    2,
  ],
  ['http_client_requests_not_sent_total{operation="getDatasetMetadata",reason="circuitOpen"}', 1],
  ['http_client_retries_total{operation="getDatasetMetadata"}', 2],
  ['rest_cache_reads_total{operation="getDatasetMetadata",outcome="miss"}', 11],
];

/** The disagreements where one metric has other values. */
function judge(wrong = '', more = 0): string[] {
  const lines = reported.map(([line, value]) => `${line} ${value + (line === wrong ? more : 0)}`);
  return disagreements({ seen: Figures.parse(seen), reported: Figures.parse(lines.join('\n')) });
}

describe('The metrics against what others saw', () => {
  it('agree', () => expect(judge()).toEqual([]));

  it.each(reported)('differ where %s is more than %i', (line, _value, more = 1) => {
    const lines = judge(line, more);
    const [first = ''] = lines;
    expect(first).toMatch(/^the metrics report \d+ .+, and there were \d+( to \d+)?$/);
  });
});

it('Counters must not decrease or go, and gauges may decrease', () => {
  const before = Figures.parse('a_total{x="1"} 3\na_total{x="2"} 1\nb_bucket{le="1"} 2\nc_bytes 9');
  expect(decreased(before, Figures.parse('a_total{x="1"} 3\na_total{x="2"} 2\nb_bucket{le="1"} 2'))).toEqual([]);
  expect(decreased(before, Figures.parse('a_total{x="1"} 2\nb_bucket{le="1"} 1'))).toEqual([
    'a_total{x="1"} decreased by 1',
    'b_bucket{le="1"} decreased by 1',
    'a_total{x="2"} decreased by 1',
  ]);
});

it('Counters must count what every soak causes, and with a cache what that causes', () => {
  const line = 'rest_cache_reads_total{outcome="hit"} is 0 after the soak';
  expect(untouched(new Figures(), true)).toEqual(
    expect.arrayContaining([line, 'http_client_retries_total is 0 after the soak']),
  );
  expect(untouched(new Figures(), false)).not.toContain(line);
  expect(untouched(Figures.parse('rest_cache_reads_total{outcome="hit"} 1'), true)).not.toContain(line);
});

it('Gauges must be there, and 0 at rest', () => {
  const missing = unrested(new Figures());
  expect(missing.length).toBeGreaterThan(10);
  const names = [...new Set(missing.map((line) => line.replace('there is no ', '')))];
  expect(unrested(Figures.parse(names.map((name) => `${name} 0`).join('\n')))).toEqual([]);
  const busy = unrested(Figures.parse('http_client_connections{pool="calls",state="running"} 7'));
  expect(busy).toContain('http_client_connections{state="running"} is 7 at rest');
});
