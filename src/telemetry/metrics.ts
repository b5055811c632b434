import { Counter, Registry } from '@prometheus-io/client';
import { errorCodes } from '../core/error-codes.ts';
import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { RestCallRecord } from '../rest/transport/rest-call.ts';
import { connectionErrorCause, connectionErrorCauses } from './connection-error-cause.ts';
import { registerGauges, type SubgraphState } from './gauges.ts';
import { Histogram } from './histogram.ts';
import { registerProcessMetrics } from './process-metrics.ts';

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
    ['http_route'],
  );
  readonly #rejected = this.#counter(
    'http_server_requests_rejected_total',
    'Requests that were rejected before they were executed, by reason.',
    ['reason'],
  );
  readonly #operations = this.#histogram(
    'graphql_operation_duration_seconds',
    'Time of GraphQL operations, from the request to the end of the response, by outcome.',
    ['outcome'],
  );
  readonly #errors = this.#counter('graphql_errors_total', 'Errors in GraphQL responses, by code.', ['code']);
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
    ['operation', 'reason'],
  );
  readonly #retries = this.#counter('http_client_retries_total', 'REST calls that were retries.', ['operation']);
  readonly #connectionErrors = this.#counter(
    'http_client_connection_errors_total',
    'REST calls that failed because of their connection, by cause.',
    ['cause'],
  );
  readonly #opened = this.#counter(
    'http_client_circuit_opened_total',
    'How often the circuit of a REST operation opened.',
    ['operation'],
  );
  readonly #received: Record<RestOperation, number> = {
    getDatasetMetadata: 0,
    getDatasetResults: 0,
    downloadStaticDataset: 0,
  };
  #streamed = 0;
  /** Stops measuring. */
  readonly stop: () => void;

  /** @param version that of the subgraph */
  constructor(version: string) {
    // A counter that begins at 1 has no increase.
    for (const outcome of outcomes) this.#operations.declare(outcome);
    for (const reason of rejectReasons) this.#rejected.inc({ reason }, 0);
    for (const cause of connectionErrorCauses) this.#connectionErrors.inc({ cause }, 0);
    for (const operation of ['getDatasetMetadata', 'getDatasetResults']) {
      this.#opened.inc({ operation }, 0);
      this.#retries.inc({ operation }, 0);
      for (const reason of notSentReasons) this.#notSent.inc({ operation, reason }, 0);
    }
    for (const code of [...Object.keys(errorCodes), 'INTERNAL_SERVER_ERROR']) this.#errors.inc({ code }, 0);
    const received = this.#received;
    new Counter({
      name: 'http_client_response_bytes_total',
      help: 'Bytes of the bodies of REST responses, as received.',
      labelNames: ['operation'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [operation, bytes] of Object.entries(received)) this.inc({ operation }, bytes);
      },
    });
    this.stop = registerProcessMetrics(this.registry, version);
    const streamed = () => this.#streamed;
    new Counter({
      name: 'graphql_streamed_response_bytes_total',
      help: 'Bytes of large GraphQL responses, which are written while they are sent.',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(streamed());
      },
    });
  }

  /** Adds metrics of what the subgraph holds. */
  watch(read: () => SubgraphState): void {
    registerGauges(this.registry, read);
  }

  /** A response is complete. @param route the route of the program, not the path of the request */
  requestEnded(method: string, route: string, status: number, milliseconds: number): void {
    this.#requests.observe(milliseconds / 1000, methods.has(method) ? method : '_OTHER', route, status);
  }

  requestAborted(route: string): void {
    this.#aborted.inc({ http_route: route });
  }

  requestRejected(reason: RejectReason): void {
    this.#rejected.inc({ reason });
  }

  operationEnded(outcome: Outcome, milliseconds: number): void {
    this.#operations.observe(milliseconds / 1000, outcome);
  }

  /** @param code a code of the program (docs/errors.md), or of graphql-js */
  error(code: string): void {
    this.#errors.inc({ code });
  }

  streamed(bytes: number): void {
    this.#streamed += bytes;
  }

  callRetried(operation: RestOperation): void {
    this.#retries.inc({ operation });
  }

  circuitChanged(operation: RestOperation, isOpen: boolean): void {
    if (isOpen) this.#opened.inc({ operation });
  }

  callEnded({ operation, status, error, milliseconds, waited, bytes }: RestCallRecord): void {
    const failure = error?.failure ?? 'none';
    if (waited === undefined) {
      this.#notSent.inc({ operation, reason: failure });
      return;
    }
    this.#waits.observe(waited / 1000, operation);
    this.#calls.observe((milliseconds - waited) / 1000, operation, statusClass(status), failure);
    this.#received[operation] += bytes;
    const cause = error && connectionErrorCause(error);
    if (cause !== undefined) this.#connectionErrors.inc({ cause });
  }

  #histogram(name: string, help: string, labelNames: readonly string[]): Histogram {
    const histogram = new Histogram({ name, help, labelNames, bounds: DURATIONS });
    this.registry.registerMetric(histogram.metric);
    return histogram;
  }

  #counter(name: string, help: string, labelNames: string[]): Counter<string> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}

/** The methods that have a label of their own. A client can send others. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

function statusClass(status: number | null): string {
  return status === null ? 'none' : `${Math.floor(status / 100)}xx`;
}
