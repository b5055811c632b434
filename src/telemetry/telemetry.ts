/**
 * The public module of telemetry/: what others see of a subgraph while it runs. If the log has lines of requests, or there are metrics
 * or traces, every request gets a RequestObservation (observation.ts). Each layer reports to it through an interface of its own.
 */

import type { RestOperation } from '../rest/contract/rest-error.ts';
import type { Log } from './log.ts';
import type { Metrics, RejectReason } from './metrics.ts';
import { type ObservedRequest, type Reports, RequestObservation } from './observation.ts';
import type { TraceExport } from './trace-export.ts';

export { CallList } from './call-list.ts';
export { Log, type LogStream } from './log.ts';
export type { Metrics, RejectReason } from './metrics.ts';
export type { RequestObservation } from './observation.ts';
export { startTraceExport, type TraceExport } from './trace-export.ts';

export interface TelemetryOptions {
  readonly log: Log;
  /** Undefined if there are none. */
  readonly metrics: Metrics | undefined;
  /** Undefined if there are no traces. */
  readonly traces: TraceExport | undefined;
  /** Whether each operation has a line in the log. */
  readonly logOperations: boolean;
}

/** The log, the metrics and the traces of one subgraph. */
export class Telemetry {
  readonly log: Log;
  /** Undefined if there are none. */
  readonly metrics: Metrics | undefined;
  readonly #reports: Reports;
  readonly #traces: TraceExport | undefined;

  constructor({ log, metrics, traces, logOperations }: TelemetryOptions) {
    this.log = log;
    this.metrics = metrics;
    this.#traces = traces;
    this.#reports = { log, metrics, tracing: traces?.tracing, logOperations };
  }

  /** Whether anybody wants to know of requests. */
  get observesRequests(): boolean {
    const { log, metrics, tracing } = this.#reports;
    return log.hasRequests || metrics !== undefined || tracing !== undefined;
  }

  /** Observes a request. */
  observe(request: ObservedRequest): RequestObservation {
    return new RequestObservation(request, this.#reports);
  }

  /** Counts a request that is rejected before it is executed. */
  rejected(reason: RejectReason): void {
    this.metrics?.requestRejected(reason);
  }

  circuitChanged(operation: RestOperation, isOpen: boolean): void {
    this.log.circuitChange(operation, isOpen);
    if (isOpen) this.metrics?.circuitOpened(operation);
  }

  /** Stops. Sends the spans that have ended, if that takes no longer than a moment. */
  async stop(): Promise<void> {
    this.metrics?.stop();
    await this.#traces?.stop();
  }
}

/** Starts the metrics. Their code is read only here. @param version that of the subgraph */
export async function startMetrics(version: string): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts');
  return new Metrics(version);
}
