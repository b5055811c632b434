import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createTraceState, isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api';

/** Version, trace id, parent id and flags (W3C Trace Context, section 3.2). Later versions may add fields. */
const traceparent = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The context of a span in the trace of its parent; in a new trace without a parent. @param traceFlags whether it is sampled */
export function childOf(parent: SpanContext | undefined, traceFlags: TraceFlags): SpanContext {
  const { traceId = randomBytes(16).toString('hex'), traceState } = parent ?? {};
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceFlags, ...(traceState && { traceState }) };
}

/** The client's span. Undefined without a valid `traceparent`: a new trace begins. */
export function remoteSpan(headers: IncomingHttpHeaders): SpanContext | undefined {
  const { traceparent: given, tracestate } = headers;
  // Absent from most requests if no router sends it.
  if (given === undefined) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', extra] = traceparent.exec(String(given)) ?? [];
  if (version === undefined || (version === '00' && extra !== undefined)) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const traceState = typeof tracestate === 'string' ? createTraceState(tracestate) : undefined;
  const span = { traceId, spanId, traceFlags, isRemote: true, ...(traceState && { traceState }) };
  // Ids of zeros are not valid.
  return isSpanContextValid(span) ? span : undefined;
}

/** The headers that make another service continue a trace: names and values in turn. */
export function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): readonly string[] {
  const headers = ['traceparent', `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`];
  const state = traceState?.serialize();
  if (state) headers.push('tracestate', state);
  return headers;
}

/** Which traces are recorded. */
export interface Sampling {
  /** An OTEL_TRACES_SAMPLER. */
  readonly sampler: string;
  /** The share of the traces, for samplers that have one. */
  readonly ratio: number;
  /** Decides by the trace id for that share, as other services do. */
  isTraceIdSampled(traceId: string): boolean;
}

/**
 * Decides whether a trace is recorded, before any span is started: the SDK takes about 1 µs to start one that is not recorded,
 * which is more than 1 % of a metadata response.
 *
 * @param parent the span of the client; undefined if a new trace begins
 */
export function isSampled({ sampler, ratio, isTraceIdSampled }: Sampling, parent: SpanContext | undefined): boolean {
  if (parent !== undefined && sampler.startsWith('parentbased_')) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
  if (!sampler.endsWith('traceidratio')) return sampler.endsWith('always_on');
  // The id of a new trace would be random, too.
  return parent === undefined ? Math.random() < ratio : isTraceIdSampled(parent.traceId);
}
