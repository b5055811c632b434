/** Graphs of Prometheus' own page: what clients notice, what the REST service does, and what the process needs. */
const graphs: readonly { readonly expression: string; readonly isStacked?: boolean }[] = [
  { expression: 'sum by (outcome) (rate(graphql_operation_duration_seconds_count[1m]))', isStacked: true },
  { expression: 'sum by (code) (rate(graphql_errors_total[1m]))' },
  {
    expression: 'histogram_quantile(0.95, sum by (le, outcome) (rate(graphql_operation_duration_seconds_bucket[1m])))',
  },
  {
    expression: 'sum by (operation, status_class) (rate(http_client_request_duration_seconds_count[1m]))',
    isStacked: true,
  },
  {
    expression:
      'sum(rate(nodejs_eventloop_time_seconds_total{state="active"}[1m])) / sum(rate(nodejs_eventloop_time_seconds_total[1m]))',
  },
  { expression: 'process_resident_memory_bytes or nodejs_heap_size_used_bytes' },
];

/** The queries of these graphs. */
export const graphQueries = graphs.map(({ expression }) => expression);

/** The address of a page with the graphs. @param page the address of Prometheus' page for queries */
export function urlOfGraphs(page: URL): URL {
  const url = new URL(page);
  for (const [index, { expression, isStacked }] of graphs.entries()) {
    const parameters = { expr: expression, tab: '0', stacked: isStacked ? '1' : '0', range_input: '10m' };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(`g${index}.${name}`, value);
  }
  return url;
}
