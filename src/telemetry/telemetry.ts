/**
 * The public module of telemetry/: what others see of a subgraph while it runs. If the log has lines of requests, or there are metrics
 * or traces, every request gets a RequestObservation (observation.ts). Each layer reports to it through an interface of its own.
 */

import type { Metrics } from './metrics.ts';

export { CallList } from './call-list.ts';
export { Log, type LogStream } from './log.ts';
export type { Metrics, RejectReason } from './metrics.ts';
export { RequestObservation, type Telemetry } from './observation.ts';
export { startTraceExport, type TraceExport } from './trace-export.ts';

/** Starts the metrics. Their code is read only here. @param version that of the subgraph */
export async function startMetrics(version: string): Promise<Metrics> {
  const { Metrics } = await import('./metrics.ts');
  return new Metrics(version);
}
