import type { Config } from '../../config.ts';
import { ConfigError } from '../../core/error-codes.ts';
import { isLoopback } from '../../core/loopback.ts';
import { type Log, startTraceExport, type TraceExport } from '../../telemetry/telemetry.ts';

/** The optional packages that traces need. */
const packages = ['@opentelemetry/sdk-trace', '@opentelemetry/resources', '@opentelemetry/exporter-trace-otlp-proto'];

/**
 * Starts the traces. Undefined if the settings ask for none.
 *
 * @throws ConfigError if the packages that they need are not installed
 */
export async function startTraces(config: Config, version: string, log: Log): Promise<TraceExport | undefined> {
  const url = collectorUrl(config);
  const isOff = config.OTEL_SDK_DISABLED === 'true' || config.OTEL_TRACES_EXPORTER === 'none';
  if (url === undefined || isOff) return undefined;
  try {
    return await startTraceExport({
      url,
      proxies: isLoopback(new URL(url).hostname) ? undefined : proxiesOf(config),
      sampler: config.OTEL_TRACES_SAMPLER,
      ratio: config.OTEL_TRACES_SAMPLER_ARG,
      batch: {
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
      },
      sendsUpstream: config.TRACE_UPSTREAM === 'on',
      version,
      log,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(
      `Traces need packages that are not installed: run npm install ${packages.join(' ')}, or unset OTEL_EXPORTER_OTLP_ENDPOINT.`,
    );
  }
}

/** Where the collector takes traces (OpenTelemetry Protocol Exporter specification, "Endpoint URLs for OTLP/HTTP"). */
function collectorUrl(config: Config): string | undefined {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = config;
  if (own !== undefined || base === undefined) return own?.href;
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

/** The proxies as Node.js reads them. */
function proxiesOf({ HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: except = '' }: Config) {
  if (http === undefined && https === undefined) return undefined;
  const own = { ...(http && { HTTP_PROXY: http.href }), ...(https && { HTTPS_PROXY: https.href }) };
  return { ...own, NO_PROXY: except };
}
