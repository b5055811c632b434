/** Graphs for Prometheus' own page: traffic, errors, latency of the REST service, and saturation. */
const graphs: readonly { readonly expression: string; readonly isStacked?: boolean }[] = [
  {
    expression: 'sum by (outcome) (rate(graphql_operation_duration_seconds_count{outcome!="cancelled"}[1m]))',
    isStacked: true,
  },
  { expression: 'sum by (code) (rate(graphql_errors_total[1m]))', isStacked: true },
  {
    expression:
      'histogram_quantile(0.95, sum by (le, operation) (rate(http_client_request_duration_seconds_bucket[1m])))',
  },
  { expression: 'rate(nodejs_eventloop_time_seconds_total{state="active"}[1m])' },
];

/** The queries of these graphs. */
export const graphQueries = graphs.map(({ expression }) => expression);

/** The address of a page with the graphs. @param page the address of Prometheus' page for queries */
export function urlOfGraphs(page: URL): URL {
  const url = new URL(page);
  for (const [index, { expression, isStacked }] of graphs.entries()) {
    const parameters = { expr: expression, tab: '0', range_input: '10m', ...(isStacked && { stacked: '1' }) };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(`g${index}.${name}`, value);
  }
  return url;
}
