import { Counter, Registry } from '@prometheus-io/client';
import { errorCodes } from '../core/error-codes.ts';
import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { RestCallRecord } from '../rest/transport/rest-call.ts';
import { connectionErrorCause, connectionErrorCauses } from './connection-error-cause.ts';
import { registerGauges, type SubgraphState } from './gauges.ts';
import { Histogram } from './histogram.ts';
import { registerProcessMetrics } from './process-metrics.ts';
import { type ReadMetric, registerReadMetrics } from './read-metrics.ts';
import type { TraceableRequest } from './tracing.ts';

/** Seconds. The last ones are the deadlines: 20 s for the headers of a REST response, 28 s for an operation, 30 s in routers. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 28, 30];

/**
 * How an operation ended:
 * - `success`: without errors;
 * - `client_error`: with errors, all of which the client caused;
 * - `service_error`: with an error of the REST service or of the subgraph;
 * - `timeout`: the whole operation took too long;
 * - `shutting_down`: the subgraph ended it;
 * - `cancelled`: the client left before the response was complete.
 */
const outcomes = ['success', 'client_error', 'service_error', 'timeout', 'shutting_down', 'cancelled'] as const;
export type Outcome = (typeof outcomes)[number];

/**
 * Why a request was rejected before it was executed. `invalid_http`: what came was not HTTP, or did not come in time. It
 * counts nowhere else, unless its headers came in time: then it is aborted, too.
 */
const rejectReasons = ['max_operations', 'max_connections', 'max_downloads', 'router_secret', 'invalid_http'] as const;
export type RejectReason = (typeof rejectReasons)[number];

/** Why a REST call ends before it is sent. */
const notSentReasons = ['queueFull', 'circuitOpen', 'cancelled', 'timeout'] as const;

/** The REST operations of GraphQL operations. */
const ofGraphQL = ['getDatasetMetadata', 'getDatasetResults'] as const;

const codes = [...Object.keys(errorCodes), 'INTERNAL_SERVER_ERROR'];

/** The methods that have a label of their own. A client can send others. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Bytes are counted for each call and for each chunk, so they are plain numbers. */
interface Bytes {
  readonly received: Record<RestOperation, number>;
  streamed: number;
}

const bytes: readonly ReadMetric<Bytes>[] = [
  [
    'http_client_response_bytes_total',
    'Bytes of the bodies of REST responses, as received.',
    ({ received }) => Object.entries(received).map(([operation, value]) => ({ value, labels: { operation } })),
  ],
  [
    'graphql_streamed_response_bytes_total',
    'Bytes of large GraphQL responses, which are written while they are sent.',
    ({ streamed }) => streamed,
  ],
];

/**
 * The metrics that are recorded as things happen (OpenMetrics names, seconds and bytes). No label has a value that a client
 * can choose: no ids, no names of operations, no paths.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = this.#histogram(
    'http_server_request_duration_seconds',
    'Time from the headers of a request to the end of its response, for complete responses.',
    ['http_request_method', 'http_route', 'http_response_status_code'],
  );
  readonly #aborted = this.#counter(
    'http_server_requests_aborted_total',
    'Requests whose connection broke before the response was complete.',
    { http_route: [] },
  );
  readonly #rejected = this.#counter(
    'http_server_requests_rejected_total',
    'Requests that were rejected before they were executed, by reason.',
    { reason: rejectReasons },
  );
  readonly #operations = this.#histogram(
    'graphql_operation_duration_seconds',
    'Time of GraphQL operations, from the request to the end of the response, by outcome.',
    ['outcome'],
  );
  readonly #errors = this.#counter('graphql_errors_total', 'Errors in GraphQL responses, by code.', { code: codes });
  readonly #calls = this.#histogram(
    'http_client_request_duration_seconds',
    'Time of REST calls, from sending to the end of the response. The wait in the queue does not count.',
    ['operation', 'status_class', 'failure'],
  );
  readonly #waits = this.#histogram(
    'http_client_queue_wait_seconds',
    'Time that REST calls waited in the queue before they were sent.',
    ['operation'],
  );
  readonly #notSent = this.#counter(
    'http_client_requests_not_sent_total',
    'REST calls that ended before they were sent, by reason.',
    { operation: ofGraphQL, reason: notSentReasons },
  );
  readonly #retries = this.#counter('http_client_retries_total', 'REST calls that were retries.', {
    operation: ofGraphQL,
  });
  readonly #connectionErrors = this.#counter(
    'http_client_connection_errors_total',
    'REST calls that failed because of their connection, by cause.',
    { cause: connectionErrorCauses },
  );
  readonly #opened = this.#counter(
    'http_client_circuit_opened_total',
    'How often the circuit of a REST operation opened.',
    { operation: ofGraphQL },
  );
  readonly #bytes: Bytes = {
    received: { getDatasetMetadata: 0, getDatasetResults: 0, downloadStaticDataset: 0 },
    streamed: 0,
  };
  /** Stops measuring. */
  readonly stop: () => void;

  /** @param version that of the subgraph */
  constructor(version: string) {
    for (const outcome of outcomes) this.#operations.declare(outcome);
    registerReadMetrics(this.registry, bytes, () => this.#bytes);
    this.stop = registerProcessMetrics(this.registry, version);
  }

  /** Adds metrics of what the subgraph holds. */
  watch(read: () => SubgraphState): void {
    registerGauges(this.registry, read);
  }

  /**
   * A request is over.
   *
   * @param status undefined if its connection broke before its response was complete
   * @param outcome undefined if it was no GraphQL operation
   */
  requestEnded(
    { method, route }: TraceableRequest,
    status: number | undefined,
    outcome: Outcome | undefined,
    milliseconds: number,
  ): void {
    const seconds = milliseconds / 1000;
    if (status === undefined) this.#aborted.inc({ http_route: route });
    else this.#requests.observe(seconds, methods.has(method) ? method : '_OTHER', route, status);
    if (outcome !== undefined) this.#operations.observe(seconds, outcome);
  }

  requestRejected(reason: RejectReason): void {
    this.#rejected.inc({ reason });
  }

  /** @param code a code of the program (docs/errors.md), or of graphql-js */
  error(code: string): void {
    this.#errors.inc({ code });
  }

  streamed(bytes: number): void {
    this.#bytes.streamed += bytes;
  }

  callRetried(operation: RestOperation): void {
    this.#retries.inc({ operation });
  }

  circuitOpened(operation: RestOperation): void {
    this.#opened.inc({ operation });
  }

  callEnded({ operation, status, error, milliseconds, waited, bytes }: RestCallRecord): void {
    const failure = error?.failure ?? 'none';
    if (waited === undefined) {
      this.#notSent.inc({ operation, reason: failure });
      return;
    }
    const statusClass = status === null ? 'none' : `${Math.floor(status / 100)}xx`;
    this.#waits.observe(waited / 1000, operation);
    this.#calls.observe((milliseconds - waited) / 1000, operation, statusClass, failure);
    this.#bytes.received[operation] += bytes;
    const cause = error && connectionErrorCause(error);
    if (cause !== undefined) this.#connectionErrors.inc({ cause });
  }

  #histogram(name: string, help: string, labelNames: readonly string[]): Histogram {
    return new Histogram(this.registry, { name, help, labelNames, bounds: DURATIONS });
  }

  /** @param labels the values that are shown from the start: a counter that begins at 1 has no increase */
  #counter(name: string, help: string, labels: Readonly<Record<string, readonly string[]>>): Counter<string> {
    const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers: [this.registry] });
    let shown: Record<string, string>[] = [{}];
    for (const [label, values] of Object.entries(labels))
      shown = shown.flatMap((others) => values.map((value) => ({ ...others, [label]: value })));
    for (const each of shown) counter.inc(each, 0);
    return counter;
  }
}
