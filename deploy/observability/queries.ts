import type { Query } from './grafana.ts';

/** The replicas that are chosen at the top of the dashboard. */
const of = 'namespace=~"$namespace", job="$job", instance=~"$instance"';

/** Events a second of a counter, or of the count of a histogram. */
const rate = (metric: string, labels = '') =>
  `rate(${metric}{${[of, ...(labels === '' ? [] : [labels])].join(', ')}}[$__rate_interval])`;

/** The sum of them by some labels. */
export const rates = (metric: string, by = '', labels = '') => `sum${by && ` by (${by})`} (${rate(metric, labels)})`;

export const quantile = (share: number, histogram: string, by = '', labels = '') =>
  `histogram_quantile(${share}, sum by (${['le', ...(by === '' ? [] : [by])].join(', ')}) (${rate(`${histogram}_bucket`, labels)}))`;

export const quantiles = (histogram: string, labels = ''): Query[] =>
  [0.5, 0.95, 0.99].map((share) => [quantile(share, histogram, '', labels), `p${share * 100}`]);

/** A gauge of each replica. */
export const each = (gauge: string, labels = '') => `${gauge}{${[of, ...(labels === '' ? [] : [labels])].join(', ')}}`;

/** How much of a limit is in use, on the replica where that is most. */
export const share = (used: string, limit: string) => `max(${each(used)} / ${each(limit)})`;

export const operations = 'graphql_operation_duration_seconds';
export const calls = 'http_client_request_duration_seconds';
export const answered = 'outcome=~"success|client_error"';

/** The terms of the service level objectives, as in rules.yaml. */
const rejections = rate('http_server_requests_rejected_total', 'reason=~"max_operations|max_connections"');
const total = `sum(${rate(`${operations}_count`, 'outcome!="cancelled"')} or ${rejections})`;
const failed = `sum(${rate(`${operations}_count`, 'outcome=~"service_error|timeout|shutting_down"')} or ${rejections})`;
const slow = `(${rates(`${operations}_count`, '', answered)} - ${rates(`${operations}_bucket`, '', `${answered}, le=~"1([.]0)?"`)})`;
/** No series of a failure means that nothing failed. */
export const failedShare = `(${failed} or vector(0)) / ${total}`;
export const slowShare = `${slow} / ${total}`;
