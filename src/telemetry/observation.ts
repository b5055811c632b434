import { errorCodes } from '../core/error-codes.ts';
import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { CallObserver, RestCallRecord, RestRequest } from '../rest/transport/rest-call.ts';
import { OddRowCounter } from '../results/results.ts';
import type { Log } from './log.ts';
import type { Metrics, Outcome } from './metrics.ts';
import type { TraceExport } from './trace-export.ts';
import { beginTrace, type RequestTrace, type TraceableRequest } from './tracing.ts';

/** What a subgraph and its requests report to. */
export interface Telemetry {
  readonly log: Log;
  /** Undefined if there are none. */
  readonly metrics: Metrics | undefined;
  /** Undefined if there are none. */
  readonly traces: TraceExport | undefined;
  /** Whether each operation has a line in the log. */
  readonly logOperations: boolean;
}

/**
 * Observes one request of a client, from its headers to the end of its response: its REST calls, its errors, and how it
 * ended. Every layer reports to it, and it reports to the log, to the metrics and to the trace.
 */
export class RequestObservation implements CallObserver {
  readonly requestId: string;
  /** Undefined if it has none. */
  readonly trace: RequestTrace | undefined;
  /** The type of its GraphQL operation, such as `query`, once it is known. */
  operationType: string | undefined;
  readonly #telemetry: Telemetry;
  readonly #request: TraceableRequest;
  readonly #started = performance.now();
  /** Those of a GraphQL operation. Undefined until it is known that the request is one. */
  #oddRows: OddRowCounter | undefined;
  #endedBy: 'timeout' | 'shutting_down' | undefined;
  /** Whether it is known what the client gets. */
  #isOver = false;
  /** The number of errors in the response, by code. */
  #errors: Record<string, number> | undefined;
  #hasServiceError = false;
  #restCalls = 0;
  #restBytes = 0;
  #streamedBytes = 0;
  /** Why a download broke off. */
  #downloadFailure: string | undefined;

  constructor(requestId: string, request: TraceableRequest, telemetry: Telemetry) {
    this.requestId = requestId;
    this.#request = request;
    this.#telemetry = telemetry;
    this.trace = telemetry.traces && beginTrace(request, telemetry.traces);
  }

  /** The request is a GraphQL operation. Returns the counter of its odd rows. @param all that of all operations */
  operationStarted(all: OddRowCounter): OddRowCounter {
    this.trace?.operationStarted();
    this.#oddRows = new OddRowCounter(all);
    return this.#oddRows;
  }

  /** The request is no GraphQL operation after all: a browser asked for a page. */
  markAsPage(): void {
    this.#oddRows = undefined;
    this.trace?.markAsPage();
  }

  callSent(request: RestRequest, resends: number, waited: number): readonly string[] | undefined {
    return this.trace?.callSent(request, resends, waited);
  }

  callEnded(call: RestCallRecord): void {
    const { log, metrics } = this.#telemetry;
    if (call.waited !== undefined) {
      this.#restCalls += 1;
      this.#restBytes += call.bytes;
    }
    if (this.#oddRows === undefined) this.#downloadFailure ??= call.error?.failure;
    metrics?.callEnded(call);
    const span = this.trace?.callEnded(call);
    // The log has one line about the open circuit.
    if (log.hasRequests && call.error?.failure !== 'circuitOpen')
      log.restCall(call, this.requestId, span ?? this.trace?.context);
  }

  callRetried(operation: RestOperation): void {
    this.#telemetry.metrics?.callRetried(operation);
    this.trace?.callRetried(operation);
  }

  /** The response has an error. @param code `extensions.code` */
  error(code: string): void {
    // What is executed meanwhile is not in the response.
    if (this.#isOver) return;
    this.#errors ??= {};
    this.#errors[code] = (this.#errors[code] ?? 0) + 1;
    this.#hasServiceError ||= isServiceError(code);
    this.#telemetry.metrics?.error(code);
  }

  /** An error that is a bug of this program. */
  internalError(): void {
    this.#hasServiceError = true;
  }

  /** The operation is ended before its response is ready. @param code the code of the error that is sent instead */
  aborted(reason: 'timeout' | 'shutting_down', code: string): void {
    this.error(code);
    this.#endedBy = reason;
    this.#isOver = true;
  }

  /** Bytes of a large response were sent. */
  streamed(bytes: number): void {
    this.#streamedBytes += bytes;
    this.#telemetry.metrics?.streamed(bytes);
  }

  /**
   * The response is over.
   *
   * @param status the status of a complete response; undefined if its connection broke before
   * @param length the bytes of a complete body, if it was not streamed
   */
  ended(status: number | undefined, length: number | undefined): void {
    const { log, metrics, logOperations } = this.#telemetry;
    const milliseconds = performance.now() - this.#started;
    this.#isOver = true;
    const outcome = this.#oddRows && this.#outcome(status);
    metrics?.requestEnded(this.#request, status, outcome, milliseconds);
    this.trace?.ended(status, this.#failure(status, outcome), this.operationType);
    if (outcome === undefined || !logOperations || !log.hasRequests) return;
    const logOperation = () => this.#logOperation(outcome, milliseconds, this.#streamedBytes || length);
    // The REST calls of a client that has left end now.
    if (status === undefined) setImmediate(logOperation);
    else logOperation();
  }

  #logOperation(outcome: Outcome, milliseconds: number, bytes: number | undefined): void {
    const errors = this.#errors ?? {};
    const rest = { restCalls: this.#restCalls, restBytes: this.#restBytes };
    const fields = { outcome, errors, ...rest, bytes, oddRows: this.#oddRows?.count ?? 0 };
    this.#telemetry.log.operation(fields, milliseconds, this.requestId, this.trace?.context);
  }

  /** Why the request failed, for its trace. */
  #failure(status: number | undefined, outcome: Outcome | undefined): string | undefined {
    if (outcome !== undefined) return outcome === 'success' || outcome === 'client_error' ? undefined : outcome;
    if (status === undefined) return this.#downloadFailure ?? 'cancelled';
    return status >= 500 ? String(status) : undefined;
  }

  #outcome(status: number | undefined): Outcome {
    if (this.#endedBy !== undefined) return this.#endedBy;
    if (this.#hasServiceError || (status !== undefined && status >= 500)) return 'service_error';
    if (status === undefined) return 'cancelled';
    return this.#errors !== undefined || status >= 400 ? 'client_error' : 'success';
  }
}

/** Whether an error says that the REST service or the subgraph failed, and not the client. */
function isServiceError(code: string): boolean {
  const known: { readonly status: number } | undefined = errorCodes[code as keyof typeof errorCodes];
  return known === undefined ? code === 'INTERNAL_SERVER_ERROR' : known.status >= 500;
}
