import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import type { Sampling } from './trace-context.ts';
import type { Tracing } from './tracing.ts';

/** How traces are sampled and sent. */
export interface TraceExportOptions extends Pick<Sampling, 'sampler' | 'ratio'>, Pick<Tracing, 'sendsUpstream'> {
  /** Where the collector takes traces. */
  readonly url: string;
  /** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` for the way to it. Undefined if there is no proxy. */
  readonly proxies: Readonly<Record<string, string>> | undefined;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
  readonly version: string;
  readonly log: Pick<Log, 'traceExport'>;
}

/** Traces that are being made and sent. */
export interface TraceExport extends Tracing {
  /** Sends what is left, for a limited time. */
  stop(): Promise<void>;
}

/** How long the shutdown waits for the collector. */
const MAX_FLUSH_MS = 2000;

/**
 * Starts to send traces by OTLP over HTTP. The packages of OpenTelemetry's SDK are loaded only here, because most operators
 * do not need them. Nothing is registered globally. The SDK's own messages are not logged: they quote the environment and
 * the collector.
 *
 * @throws an error with the code ERR_MODULE_NOT_FOUND if a package is not installed
 */
export async function startTraceExport(options: TraceExportOptions): Promise<TraceExport> {
  const [sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const { url, proxies, sampler, ratio, batch, sendsUpstream, version, log } = options;
  const name = 'dataset-subgraph';
  const { defaultResource, detectResources, resourceFromAttributes } = resources;
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': name, 'service.version': version }))
    .merge(detectResources({ detectors: [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector] }));
  // It reads the other OTEL_EXPORTER_OTLP_* variables itself.
  const exporter = new OTLPTraceExporter({ url, ...(proxies && { httpAgentOptions: agentOptions(proxies) }) });
  const provider = new sdk.TracerProvider({
    resource,
    // Only spans of sampled traces are started.
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [new sdk.BatchSpanProcessor({ ...batch, exporter: loggingExporter(exporter, log) })],
  });
  const byTraceId = new sdk.TraceIdRatioBasedSampler(ratio);
  const isTraceIdSampled = (traceId: string) =>
    byTraceId.shouldSample(ROOT_CONTEXT, traceId).decision === sdk.SamplingDecision.RECORD_AND_SAMPLED;
  return {
    tracer: provider.getTracer(name, version),
    sampling: { sampler, ratio, isTraceIdSampled },
    sendsUpstream,
    stop: async () => {
      const waiting = new AbortController();
      const timeout = setTimeout(MAX_FLUSH_MS, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
      waiting.abort();
    },
  };
}

/** With options of its own, the exporter does not read the files of its variables. Node.js uses proxies from 24.5 on. */
function agentOptions(proxies: Readonly<Record<string, string>>) {
  const fileOf = (name: string) => {
    const path = process.env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? process.env[`OTEL_EXPORTER_OTLP_${name}`];
    return path === undefined ? undefined : readFileSync(path);
  };
  const files = { ca: fileOf('CERTIFICATE'), cert: fileOf('CLIENT_CERTIFICATE'), key: fileOf('CLIENT_KEY') };
  return { keepAlive: true, proxyEnv: proxies, ...files };
}

/** Logs when spans cannot be sent, and when they can be sent again: two lines, however long a collector is down. */
function loggingExporter(exporter: SpanExporter, log: TraceExportOptions['log']): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        const fails = code !== 0;
        if (fails !== isFailing) log.traceExport(fails, exportErrorCode(error));
        isFailing = fails;
        // To the SDK it is a success: otherwise it reports every failure by itself.
        done({ code: 0 });
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** The code of a connection error, or the status of a response. */
function exportErrorCode(error: Error | undefined): string | undefined {
  return error !== undefined && 'code' in error && error.code !== undefined ? String(error.code) : undefined;
}
