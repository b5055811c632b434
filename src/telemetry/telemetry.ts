/**
 * The face of telemetry/: what others see of a subgraph while it runs. Every request gets a RequestObservation
 * (observation.ts), and each layer reports to it through an interface of its own. From there it goes to the log, and to the
 * metrics if they are on.
 */

import type { RestOperation } from '../rest/errors.ts';
import { registerGauges, type SubgraphState } from './gauges.ts';
import type { Log } from './log.ts';
import { Metrics, type RejectReason } from './metrics.ts';
import { type ObservedRequest, type Reports, RequestObservation } from './observation.ts';
import { registerProcessMetrics } from './process-metrics.ts';

export type { SubgraphState } from './gauges.ts';
export { createLog, type Log } from './log.ts';
export type { RejectReason } from './metrics.ts';
export type { RequestObservation } from './observation.ts';

export interface TelemetryOptions {
  readonly log: Log;
  /** Whether there are metrics. */
  readonly metrics: boolean;
  /** Whether each operation has a line in the log. */
  readonly logOperations: boolean;
  /** The version of the subgraph. */
  readonly version: string;
}

/** The log and the metrics of one subgraph. */
export class Telemetry {
  readonly log: Log;
  readonly #reports: Reports;
  readonly #stopMeasuring: () => void;

  constructor({ log, metrics: hasMetrics, logOperations, version }: TelemetryOptions) {
    this.log = log;
    const metrics = hasMetrics ? new Metrics() : undefined;
    this.#reports = { log, metrics, logOperations };
    this.#stopMeasuring = metrics === undefined ? () => {} : registerProcessMetrics(metrics.registry, version);
  }

  /** Observes a request. */
  observe(request: ObservedRequest): RequestObservation {
    return new RequestObservation(request, this.#reports);
  }

  /** Counts a request that is rejected before it is executed. */
  rejected(reason: RejectReason): void {
    this.#reports.metrics?.requestRejected(reason);
  }

  circuitChanged(operation: RestOperation, isOpen: boolean): void {
    this.log.circuitChange(operation, isOpen);
    this.#reports.metrics?.circuitChanged(operation, isOpen);
  }

  /** Adds metrics of what the subgraph holds. */
  watch(read: () => SubgraphState): void {
    if (this.#reports.metrics !== undefined) registerGauges(this.#reports.metrics.registry, read);
  }

  /** The metrics in Prometheus' text format, with its media type. Undefined if there are none. */
  async metricsText(): Promise<{ readonly contentType: string; readonly text: string } | undefined> {
    const registry = this.#reports.metrics?.registry;
    return registry && { contentType: registry.contentType, text: await registry.metrics() };
  }

  stop(): void {
    this.#stopMeasuring();
  }
}
