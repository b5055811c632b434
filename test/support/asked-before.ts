import type { Config } from '../../src/config.ts';

/**
 * Whether each document is asked for once before its test asks, so that the subgraph knows it (ASKED_BEFORE=on). Not where
 * a test looks at every request: at metrics, traces, or a line for each operation.
 */
export function asksBefore(config: Config): boolean {
  const { METRICS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, LOG_OPERATIONS } = config;
  const isTraced = (OTEL_EXPORTER_OTLP_ENDPOINT ?? OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined;
  return process.env.ASKED_BEFORE === 'on' && METRICS_PORT === undefined && !isTraced && LOG_OPERATIONS === 'off';
}
