/** What a Prometheus sees for some time, and the alerts that fire at the end of it. */
export interface Scenario {
  readonly title: string;
  /** How long it takes, in minutes. Default: 30. */
  readonly minutes?: number;
  /** Minutes between two samples and between two evaluations. Default: 1. */
  readonly interval?: number;
  /** Samples by series, instead of those of a healthy replica or beside them; undefined: there is no such series. */
  readonly series: Readonly<Record<string, Samples | undefined>>;
  /** All alerts that fire. */
  readonly fires: readonly FiringAlert[];
}

/** A value, and for how many steps. */
export type Phase = readonly [value: number, steps?: number | undefined];

/** Values of a series, one after the other: so many steps each, the last one until the end; NaN: the series is not there. */
export interface Samples {
  readonly isCounter: boolean;
  readonly phases: readonly Phase[];
}

/** The labels of an alert. */
export type FiringAlert = Readonly<Record<string, string>>;

/** A counter that increases by so much in each step. */
export const counter = (...phases: Phase[]): Samples => ({ isCounter: true, phases });
export const gauge = (...phases: Phase[]): Samples => ({ isCounter: false, phases });

/** The labels of the target in all scenarios. Where they run, the job is named by the title. */
export const target = { job: 'api', instance: 'a:9464' };

export const alert = (name: string, severity: string, labels: Record<string, string>): FiringAlert => ({
  alertname: `DatasetSubgraph${name}`,
  severity,
  ...labels,
});
export const ofJob = (name: string, labels = {}) => alert(name, 'ticket', { job: target.job, ...labels });
export const ofReplica = (name: string) => alert(name, 'ticket', target);
export const page = (name: string) => alert(name, 'page', { job: target.job });

export const operations = (outcome: string) => `graphql_operation_duration_seconds_count{outcome="${outcome}"}`;
export const withinSecond = (outcome: string, le = '1') =>
  `graphql_operation_duration_seconds_bucket{outcome="${outcome}", le="${le}"}`;
export const rejected = (reason: string) => `http_server_requests_rejected_total{reason="${reason}"}`;
export const calls = 'http_client_queue_wait_seconds_count{operation="getDatasetResults"}';
const callsWithin = (le: string) => `http_client_queue_wait_seconds_bucket{operation="getDatasetResults", le="${le}"}`;
export const callsAtOnce = callsWithin('0.1');
export const loopActive = 'nodejs_eventloop_time_seconds_total{state="active"}';
export const loopIdle = 'nodejs_eventloop_time_seconds_total{state="idle"}';
export const oddRows = 'results_odd_rows_total';
export const connectionErrors = (cause: string) => `http_client_connection_errors_total{cause="${cause}"}`;
export const circuit = 'http_client_circuit_open{operation="getDatasetResults"}';
export const internalErrors = 'graphql_errors_total{code="INTERNAL_SERVER_ERROR"}';
const ended = (failure: string) =>
  `http_client_request_duration_seconds_count{operation="getDatasetResults", status_class="2xx", failure="${failure}"}`;
export const lostForMemory = ended('memoryBudget');
const unsent = (reason: string) =>
  `http_client_requests_not_sent_total{operation="getDatasetResults", reason="${reason}"}`;
export const notSent = unsent('queueFull');

/** The series of a healthy replica with 1000 operations a minute, some of which clients cancel. */
export const healthy: Scenario['series'] = {
  up: gauge([1]),
  'dataset_subgraph_info{version="0.1.0", node_version="v24.0.0"}': gauge([1]),
  process_start_time_seconds: gauge([1000]),
  [operations('success')]: counter([1000]),
  [withinSecond('success')]: counter([1000]),
  [operations('service_error')]: counter([0]),
  [operations('timeout')]: counter([0]),
  [rejected('max_operations')]: counter([0]),
  [rejected('router_secret')]: counter([5]),
  graphql_operations_in_flight: gauge([10]),
  graphql_operations_limit: gauge([500]),
  'graphql_errors_total{code="NOT_FOUND"}': counter([5]),
  [circuit]: gauge([0]),
  [connectionErrors('dns')]: counter([0]),
  [calls]: counter([1000]),
  [callsAtOnce]: counter([1000]),
  [callsWithin('0.05')]: counter([800]),
  http_client_queue_length: gauge([0]),
  http_client_queue_limit: gauge([1000]),
  [notSent]: counter([0]),
  [unsent('cancelled')]: counter([5]),
  rest_memory_waiting_responses: gauge([0]),
  [lostForMemory]: counter([0]),
  [ended('none')]: counter([1000]),
  [ended('cancelled')]: counter([5]),
  nodejs_heap_size_used_bytes: gauge([5e7]),
  nodejs_heap_size_limit_bytes: gauge([1e9]),
  [loopActive]: counter([20]),
  [loopIdle]: counter([40]),
  [oddRows]: counter([0]),
  results_call_merging_suspended_total: counter([0]),
};
